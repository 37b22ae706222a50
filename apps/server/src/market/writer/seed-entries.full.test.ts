import { createHash } from 'node:crypto';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import {
  openSeeds,
  openSimulatedWriter,
  openWriter,
  readTexts,
  takeLease,
} from '@fairtick/kit/installation/writers.ts';
import { parseEntry, type SeedEntry } from '@fairtick/proof';
import { describe, expect, test } from 'vitest';
import { SimulatedFeed } from '../simulated/simulated-feed.ts';
import type { WriterTerm } from './writer-term.ts';

/** Ten seconds before midnight. */
const EVENING_MS = Date.UTC(2026, 1, 28, 23, 59, 50);
const DAY_MS = 86_400_000;

describe('the simulated market’s secrets in the log', () => {
  const house = forTest(() => House.open(new ManualFeed(), EVENING_MS));

  async function seeds(): Promise<SeedEntry[]> {
    return (await readTexts(house)).flatMap((text) => {
      const entry = parseEntry(text);
      return entry?.kind === 'seed' ? [entry] : [];
    });
  }

  const named = async () => (await seeds()).map(({ step, date }) => `${step} ${date}`);

  async function stepTo(writer: WriterTerm, timeMs: number): Promise<void> {
    house.clock.stepTo(timeMs);
    await writer.step();
  }

  test('are committed for today and tomorrow before the first price, and none is revealed', async () => {
    const { writer } = await openSimulatedWriter(house, EVENING_MS);
    for (let ms = 250; ms <= 4_000; ms += 250) await stepTo(writer, EVENING_MS + ms);
    expect(await named()).toEqual(['commit 2026-02-28', 'commit 2026-03-01']);
    const texts = await readTexts(house);
    const firstPrice = texts.findIndex((text) => text.startsWith('tick|'));
    expect(firstPrice).toBeGreaterThan(texts.findLastIndex((text) => text.startsWith('seed|')));
  });

  test('are revealed only after their day and match their commitments', async () => {
    const { writer } = await openSimulatedWriter(house, EVENING_MS);
    await stepTo(writer, EVENING_MS + 250);
    await stepTo(writer, EVENING_MS + 9_750);
    expect((await seeds()).filter(({ step }) => step === 'reveal')).toEqual([]);
    await stepTo(writer, EVENING_MS + 11_000);
    await stepTo(writer, EVENING_MS + 13_000);
    expect((await named()).slice(2)).toEqual(['commit 2026-03-02', 'reveal 2026-02-28']);
    await stepTo(writer, EVENING_MS + DAY_MS + 11_000);
    expect((await named()).slice(4)).toEqual(['commit 2026-03-03', 'reveal 2026-03-01']);
    const all = await seeds();
    for (const reveal of all.filter(({ step }) => step === 'reveal')) {
      const commit = all.find(({ step, date }) => step === 'commit' && date === reveal.date);
      expect(createHash('sha256').update(Buffer.from(reveal.hex, 'hex')).digest('hex')).toBe(commit?.hex);
    }
  });

  test('of days without a writer are committed and revealed too, but never before the end of their day', async () => {
    const first = await openSimulatedWriter(house, EVENING_MS);
    await stepTo(first.writer, EVENING_MS + 250);
    const returnMs = EVENING_MS + 3 * DAY_MS;
    const { writer } = await openSimulatedWriter(house, EVENING_MS);
    await stepTo(writer, returnMs);
    await stepTo(writer, returnMs + 1_000);
    expect((await named()).slice(2)).toEqual([
      'commit 2026-03-02',
      'commit 2026-03-03',
      'commit 2026-03-04',
      'reveal 2026-02-28',
      'reveal 2026-03-01',
      'reveal 2026-03-02',
    ]);
  });

  test('are committed by the next append if one fails', async () => {
    const { writer, feed } = await openSimulatedWriter(house, EVENING_MS);
    await takeLease(house.db.server);
    await expect(stepTo(writer, EVENING_MS + 250)).rejects.toThrow('the lease is lost');
    expect(await named()).toEqual([]);
    // The same process takes the lease again, with the same feed.
    const again = await openWriter(house, feed);
    await stepTo(again, EVENING_MS + 1_500);
    expect(await named()).toEqual(['commit 2026-02-28', 'commit 2026-03-01']);
  });

  test('are committed and revealed once, even if a standby takes over that started before the first commitment', async () => {
    const standbySeeds = await openSeeds(house, EVENING_MS);
    const standby = new SimulatedFeed({
      products: house.products,
      seeds: standbySeeds,
      installedMs: EVENING_MS,
      sinceMs: EVENING_MS,
    });
    const { writer } = await openSimulatedWriter(house, EVENING_MS);
    await stepTo(writer, EVENING_MS + 250);
    const before = await named();
    expect(before).toEqual(['commit 2026-02-28', 'commit 2026-03-01']);
    const next = await openWriter(house, standby);
    await stepTo(next, EVENING_MS + 1_500);
    expect(await named()).toEqual(before);
    await stepTo(next, EVENING_MS + 11_000);
    await stepTo(next, EVENING_MS + 13_000);
    expect(await named()).toEqual([...before, 'commit 2026-03-02', 'reveal 2026-02-28']);
  });

  /** The secret that a reveal in the log shows. */
  const revealed = async (date: string) => {
    const found = (await seeds()).find((seed) => seed.step === 'reveal' && seed.date === date);
    return Buffer.from(found?.hex ?? '', 'hex');
  };

  test('are nowhere in what the server’s role can read before they are revealed', async () => {
    const { writer } = await openSimulatedWriter(house, EVENING_MS);
    await stepTo(writer, EVENING_MS + 250);
    const { rows } = await house.db.server.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace in ('public'::regnamespace, 'ledger'::regnamespace)
         and has_table_privilege(c.oid, 'select')`,
    );
    const readable = rows.map(({ name }) => `select t::text as row from ${name} t`);
    const read = async (text: string) => (await house.db.server.query<{ row: string }>(text)).rows;
    const all = (await Promise.all(readable.map(read))).flat().map(({ row }) => row);
    await stepTo(writer, EVENING_MS + 11_000);
    await stepTo(writer, EVENING_MS + 13_000);
    const secret = await revealed('2026-02-28');
    expect(secret).toHaveLength(32);
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((row) => row.includes(secret.toString('hex')))).toEqual([]);
  });

  test('open for their own day only, so that none can be put in another’s place', async () => {
    await openSeeds(house, EVENING_MS);
    await house.db.server.query(
      `insert into feed_seeds (date, sealed_secret) select '2026-03-02', sealed_secret from feed_seeds where date = '2026-02-28'`,
    );
    await expect(openSeeds(house, EVENING_MS + DAY_MS)).rejects.toThrow('does not open');
  });

  test('of one day give every writer the same prices', async () => {
    const first = await openSimulatedWriter(house, EVENING_MS);
    const second = await openSeeds(house, EVENING_MS);
    const feed = new SimulatedFeed({
      products: house.products,
      seeds: second,
      installedMs: EVENING_MS,
      sinceMs: EVENING_MS,
    });
    const said = first.feed.take(EVENING_MS + 3_000);
    expect(said.length).toBeGreaterThan(100);
    expect(feed.take(EVENING_MS + 3_000)).toEqual(said);
  });
});
