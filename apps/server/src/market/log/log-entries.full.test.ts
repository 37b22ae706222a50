import { type House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { keysOf, openWriter, readTexts, rootOfTexts } from '@fairtick/kit/installation/writers.ts';
import { formatEntry, nobleVerifier, openNote, parseCheckpoint, parseEntry } from '@fairtick/proof';
import { afterEach, describe, expect, test } from 'vitest';
import { readLogHead } from './log-head.ts';

/** A feed that also makes one announcement. */
class TellingFeed extends ManualFeed {
  #told = false;

  async announcement() {
    if (this.#told) return null;
    this.#told = true;
    const text = formatEntry({ kind: 'seed', date: '2026-06-01', step: 'commit', hex: 'ab'.repeat(32) });
    return { texts: [text], mark: async () => {} };
  }
}

/** A log with every kind of entry: all kinds of ticks, gaps, rules, seeds and orders, across a restart. */
async function busyHouse(): Promise<House> {
  const feed = new TellingFeed();
  const still = await StillHouse.open({}, START_MS, feed);
  const { house } = still;
  const [eurusd, bitcoin, gas] = ['EUR/USD', 'BTC/USDT', 'NGAS'].map((symbol) => house.product(symbol)) as [
    ReturnType<House['product']>,
    ReturnType<House['product']>,
    ReturnType<House['product']>,
  ];
  const at = (ms: number) => house.clock.targetMs + ms;
  feed.price(eurusd, '1.08451', at(100));
  feed.price(bitcoin, '64001.5', at(250));
  feed.price(gas, '2.9001', at(250));
  await still.stepBy(250);
  const customers = [await house.customer(), await house.customer()];
  await still.place(
    customers.map((customer, place) =>
      house.request(customer, { symbol: 'EUR/USD', amount: place === 0 ? '10' : '1' }),
    ),
  );
  feed.quote(eurusd, 'a', '1.08449', at(300), at(290));
  feed.quote(eurusd, 'b', '1.09999', at(310), at(9));
  await house.stepBy(500);
  // The order settles: quotes are still fresh, so the price is restated. After that no quotes arrive.
  await house.stepTo(START_MS + 57_000);
  feed.price(eurusd, '1.08444', at(1_000));
  await house.runTo(START_MS + 70_000);
  const later = new ManualFeed();
  later.receivesSinceMs = null;
  const writer = await openWriter(house, later);
  house.clock.stepTo(START_MS + 71_000);
  await writer.step();
  later.price(bitcoin, '63999', START_MS + 71_100);
  house.clock.stepTo(START_MS + 71_250);
  await writer.step();
  house.clock.stepTo(START_MS + 72_250);
  await writer.step();
  return house;
}

describe('the entries of the log', () => {
  let house: House;
  afterEach(() => house?.close());

  test('every entry matches the grammar byte for byte, and all entries together have the root of the head', async () => {
    house = await busyHouse();
    const texts = await readTexts(house);
    const kinds = new Map<string, number>();
    for (const text of texts) {
      const entry = parseEntry(text);
      expect(entry, text).not.toBeNull();
      expect(formatEntry(entry as NonNullable<typeof entry>)).toBe(text);
      const word = entry?.kind ?? '';
      kinds.set(word, (kinds.get(word) ?? 0) + 1);
    }
    expect([...kinds.keys()].sort()).toEqual(['fix', 'gap', 'orders', 'rules', 'seed', 'tick']);
    const head = await readLogHead(house.db.server);
    expect(head.size).toBe(texts.length);
    expect(head.root.toString('hex')).toBe(rootOfTexts(texts));
  });

  test('a tick carries its sources in order, each with its times, number and use', async () => {
    house = await busyHouse();
    const texts = await readTexts(house);
    const rules = texts.find((text) => text.startsWith('rules|4|EUR/USD|')) as string;
    const ticks = texts.filter((text) => text.startsWith('tick|4|EUR/USD|'));
    const hash = rootOfTexts([rules]);
    const [first, second] = [START_MS + 100, START_MS + 550];
    // At the grid time between them the traded product restates its price.
    expect([ticks[0], ticks[2]]).toEqual([
      `tick|4|EUR/USD|1|${START_MS + 250}|1.08451|${hash}|` +
        `a,1.08451,${first},${first},${first},use;b,1.08451,${first},${first + 1},${first},use;c,1.08451,${first},${first + 2},${first},use`,
      `tick|4|EUR/USD|3|${START_MS + 750}|1.08450|${hash}|` +
        `a,1.08449,${START_MS + 540},${second},${second},use;` +
        `b,1.09999,${START_MS + 259},${START_MS + 560},${START_MS + 560},outlier;c,1.08451,${first},${first + 2},${first},use`,
    ]);
  });

  test('numbers of a product rise by one, and times never fall', async () => {
    house = await busyHouse();
    const numbers = new Map<string, number>();
    let timeMs = 0;
    for (const text of await readTexts(house)) {
      const entry = parseEntry(text);
      if (entry?.kind === 'tick' || entry?.kind === 'gap') {
        expect(entry.n).toBe((numbers.get(entry.symbol) ?? 0) + 1);
        numbers.set(entry.symbol, entry.n);
      }
      if (entry && 'timeMs' in entry) {
        expect(entry.timeMs).toBeGreaterThanOrEqual(timeMs);
        timeMs = entry.timeMs;
      }
    }
    expect(numbers.get('EUR/USD')).toBeGreaterThan(5);
  });

  test('each checkpoint is signed with the published key and has the log’s root at its size', async () => {
    house = await busyHouse();
    const texts = await readTexts(house);
    const { rows } = await house.db.server.query<{ note: string; size: string }>(
      'select note, size from log_checkpoints order by size',
    );
    const keys = keysOf(house);
    const verifier = nobleVerifier(keys.verifierKeys.checkpoints);
    const stranger = nobleVerifier(keys.verifierKeys.acceptances);
    if (!verifier || !stranger) throw new Error('the keys are not in the form of a verifier');
    expect(rows.length).toBeGreaterThan(3);
    for (const { note, size } of rows) {
      const opened = openNote(note, [verifier]);
      const checkpoint = opened && parseCheckpoint(opened.text);
      expect(checkpoint).toMatchObject({ origin: keys.checkpoints.name, size: Number(size) });
      expect(Buffer.from(checkpoint?.root ?? []).toString('hex')).toBe(
        rootOfTexts(texts.slice(0, Number(size))),
      );
      expect(openNote(note, [stranger])).toBeNull();
    }
    // The writer signs a checkpoint at least once a second. The last step of busyHouse is one second after the one before it, so the
    // last checkpoint covers all entries.
    expect(Number(rows.at(-1)?.size)).toBe(texts.length);
  });
});
