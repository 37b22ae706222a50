import {
  FAULTS,
  type Fault,
  PriceReference,
  RawFeed,
  type Said,
  SOURCES,
  sayAll,
} from '@fairtick/kit/installation/feed-faults.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { readTexts, storyOf } from '@fairtick/kit/installation/writers.ts';
import { formatEntry, parseEntry } from '@fairtick/proof';
import { GRID_MS } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';

const RULES = { quietMs: 2_000, outlierBps: 100, quorum: 2 };
/** Numbers in [0, 1), the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('a feed that lies or stops', () => {
  let house: House;
  afterEach(() => house?.close());

  async function open(): Promise<RawFeed> {
    const feed = new RawFeed(RULES);
    house = await House.open(feed);
    return feed;
  }

  const say = (feed: RawFeed, said: readonly Said[]) => feed.say(house.product('EUR/USD').id, said);

  test.each(FAULTS.map((fault) => [fault] as const))(
    'the price follows the rules while one source is %s',
    async (fault) => {
      const feed = await open();
      const reference = new PriceReference(RULES, 5);
      const last = new Map<string, Said>();
      for (let step = 1; step <= 40; step += 1) {
        const timeMs = START_MS + step * GRID_MS;
        const isFaulty = step > 10 && step <= 30;
        const said = sayAll(
          { timeMs, middle: 108_400n + BigInt(step % 5) },
          new Map(isFaulty ? [['b', fault]] : []),
          last,
        );
        say(feed, said);
        reference.step(timeMs, said, { isAlone: true });
        await house.stepTo(timeMs);
      }
      expect(await storyOf(house, 'EUR/USD')).toEqual(reference.story);
      expect(reference.story.length).toBe(40);
    },
  );

  test.each([[1], [2], [3]])('the price follows the rules under random faults: seed %i', async (seed) => {
    const feed = await open();
    const reference = new PriceReference(RULES, 5);
    const random = randomFrom(seed);
    const last = new Map<string, Said>();
    const faults = new Map<string, Fault>();
    let middle = 108_400n;
    for (let step = 1; step <= 600; step += 1) {
      const timeMs = START_MS + step * GRID_MS;
      middle += BigInt(Math.floor(random() * 9) - 4);
      for (const source of SOURCES) {
        if (random() < 0.04) faults.set(source, FAULTS[Math.floor(random() * FAULTS.length)] as Fault);
        if (random() < 0.06) faults.delete(source);
      }
      // In some steps no source gives a quote.
      const said = random() < 0.3 ? [] : sayAll({ timeMs, middle }, faults, last);
      say(feed, said);
      reference.step(timeMs, said, { isAlone: true });
      await house.stepTo(timeMs);
    }
    expect(await storyOf(house, 'EUR/USD')).toEqual(reference.story);
    expect(reference.story.filter((mark) => mark === 'gap quorum').length).toBeGreaterThan(0);
    for (const text of await readTexts(house)) {
      const entry = parseEntry(text);
      expect(entry && formatEntry(entry)).toBe(text);
    }
  });

  test('the price stops once one of two usable quotes is stale and the third quote is an outlier', async () => {
    const feed = await open();
    const at = START_MS + GRID_MS;
    const quote = (source: string, price: bigint, receivedMs: number): Said => ({
      source,
      price,
      sourceMs: receivedMs,
      sourceSeq: BigInt(receivedMs),
      receivedMs,
    });
    say(feed, [quote('a', 100_000n, at), quote('b', 100_001n, at)]);
    await house.stepTo(at);
    await house.runTo(at + 750);
    say(feed, [quote('b', 100_002n, at + 1_000), quote('c', 150_000n, at + 1_000)]);
    await house.stepTo(at + 1_000);
    await house.runTo(at + RULES.quietMs);
    expect(new Set(await storyOf(house, 'EUR/USD'))).toEqual(new Set(['tick 1.00000', 'tick 1.00001']));
    // Now only the second quote and the outlier are fresh, so only one is usable.
    await house.stepBy(GRID_MS);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('gap quorum');
  });

  test('a source that the rules do not name is ignored and does not stop the log', async () => {
    const feed = await open();
    const at = START_MS + GRID_MS;
    const quote = (source: string, price: bigint): Said => ({
      source,
      price,
      sourceMs: at,
      sourceSeq: 1n,
      receivedMs: at,
    });
    say(feed, [quote('a', 100_000n), quote('b', 100_002n), quote('x', 100_003n), quote('y', 100_004n)]);
    await house.stepTo(at);
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.00001']);
  });
});
