import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited, pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { PLACE } from '@fairtick/kit/hostile/lone-role.ts';
import { tokenHashOf } from '@fairtick/kit/people/traders.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';

let customer: string;
/** The checks of the two database functions against any caller. The server's own code can't send these calls. */
const still = forFile(() => pricedHouse(), closeAudited);
beforeEach(async () => {
  customer = await still.house.customer();
});
afterEach(async () => {
  expect(await still.house.balance(customer)).toEqual({ available: 10_000_000_000n, held: 0n });
});

const UNIT = 1_000_000;
/** An order of a minute in EUR/USD. */
const place = (key: string, units: number) => (): [string, unknown[]] => [
  PLACE,
  [tokenHashOf(customer), key, still.house.product('EUR/USD').id, 1, units * UNIT, null],
];
/** Seals the batch that comes so many after the one that this transaction placed last. */
const seal = (after: number) => (): [string, unknown[]] => [
  `select orders_seal(next_batch - 1 + $1, sha256('root'), sha256('leaf'), '') from placement_head`,
  [after],
];

/** Runs the statements as the server, in one transaction; returns the failure, or null. */
async function tryBatch(...statements: (() => [string, unknown[]])[]): Promise<string | null> {
  const client = await still.house.db.server.connect();
  try {
    await client.query('begin');
    for (const statement of statements) await client.query(...statement());
    await client.query('commit');
    return null;
  } catch (error) {
    await client.query('rollback');
    return failureOf(error);
  } finally {
    client.release();
  }
}

describe('a batch that is placed', () => {
  test('can’t be left without its seal', async () => {
    expect(await tryBatch(place('a', 5))).toBeNull();
    expect(await tryBatch(place('a', 10))).toBe('BATCH_MISMATCH');
  });

  test('is sealed once, and no other batch in its place', async () => {
    expect(await tryBatch(place('a', 10), seal(-1))).toBe('BATCH_MISMATCH');
    expect(await tryBatch(place('a', 10), seal(1))).toBe('BATCH_MISMATCH');
    expect(await tryBatch(place('a', 10), seal(0), seal(0))).toBe('BATCH_MISMATCH');
  });

  test('is sealed before the next one, so that no stake counts twice', async () => {
    expect(await tryBatch(place('a', 5_000), place('b', 5_000), seal(-1), seal(0))).toBe('BATCH_MISMATCH');
  });

  test('has no two requests of one customer', async () => {
    const request = still.house.request(customer, { symbol: 'EUR/USD', amount: '10' });
    const again = still.house.request(customer, { symbol: 'EUR/USD', amount: '10' });
    expect(await still.place([request, again]).catch(failureOf)).toBe('BATCH_MISMATCH');
  });

  test('takes its stakes only through its own functions', async () => {
    const call = `select ledger.reserve('k', sha256(''), '{${customer}}', array[1]::smallint[], '{1}', '{1}')`;
    await expect(still.house.db.server.query(call)).rejects.toMatchObject({ code: '42501' });
  });
});
