import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { leafHash, rootAt, rootOf } from '@fairtick/proof';
import { expect, test } from 'vitest';
import type { Queryable } from '../../platform/db/database.ts';
import { LogReader } from './log-reader.ts';

const still = forFile(() => pricedHouse());

test('the log’s last bundle is read again only for its new entries', async () => {
  const { db, reader, products, rules } = still.house;
  let statements = 0;
  const counted = {
    query: (...words: Parameters<Queryable['query']>) => {
      statements += 1;
      return db.server.query(...words);
    },
  } as Queryable;
  const proofs = new LogReader(counted, products, rules);
  const demandWhole = async (): Promise<number> => {
    const texts = await reader.bundle(0);
    expect(await Promise.all(texts.map((_, index) => proofs.text(index)))).toEqual(texts);
    const leaves = texts.map((text) => leafHash(text));
    expect(await rootAt(texts.length, proofs)).toEqual(rootOf(leaves));
    await expect(proofs.text(texts.length)).rejects.toThrow('the log has no entry');
    await expect(proofs.read(0, texts.length)).rejects.toThrow(RangeError);
    return texts.length;
  };
  const before = await demandWhole();
  for (let past = 0; past < 5; past += 1) await still.tick('EUR/USD', `1.0841${past}`);
  statements = 0;
  await rootAt(before, proofs);
  await proofs.text(before - 1);
  expect(statements).toBe(0);
  await proofs.text(before);
  expect(statements).toBe(1);
  expect(await demandWhole()).toBeGreaterThan(before);
  expect(before).toBeLessThan(200);
});
