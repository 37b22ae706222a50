import { points } from '@fairtick/money';
import { formatEntry, parseEntry } from '@fairtick/proof';
import { GRID_MS } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';
import { House, START_MS } from '../../test/house.ts';
import { ManualFeed } from '../../test/manual-feed.ts';
import { readTexts, storyOf } from '../../test/writers.ts';
import type { Arrival } from './feeds/feed.ts';

const STALE_MS = 2_000;
const OUTLIER_BPS = 100n;
const QUORUM = 2;
const SOURCES = ['a', 'b', 'c'];

interface Said {
  readonly source: string;
  readonly price: bigint;
  readonly sourceMs: number;
  readonly sourceSeq: bigint;
  readonly receivedMs: number;
}

/** Hands out whatever a test puts in, at the next step, unchecked. */
class RawFeed extends ManualFeed {
  next: Said[] = [];
  productId = 0;

  override take(): readonly Arrival[] {
    const said = this.next;
    this.next = [];
    return said.map((quote) => ({
      productId: this.productId,
      quote: { ...quote, price: points(quote.price) },
    }));
  }
}

/**
 * What has to come of it, written down a second time from the rules alone: the median of what is fresh without what is far
 * from it, nothing under the quorum, and no quote that is not one.
 */
class Reference {
  readonly story: string[] = [];
  readonly #newest = new Map<string, Said>();
  #price: bigint | null = null;
  #tickMs = 0;
  #isStopped = false;

  step(timeMs: number, said: readonly Said[]): void {
    for (const quote of said) {
      const before = this.#newest.get(quote.source);
      const isQuote = quote.price > 0n && quote.receivedMs <= timeMs && SOURCES.includes(quote.source);
      const isSane = Number.isInteger(quote.sourceMs) && quote.sourceMs >= 0 && quote.sourceSeq >= 0n;
      if (isQuote && isSane && quote.price < 10n ** 17n && (!before || quote.sourceSeq > before.sourceSeq)) {
        this.#newest.set(quote.source, quote);
      }
    }
    const fresh = [...this.#newest.values()].filter(
      (quote) => timeMs - quote.sourceMs <= STALE_MS && timeMs - quote.receivedMs <= STALE_MS,
    );
    const middle = fresh.length === 0 ? 0n : this.#median(fresh);
    const used = fresh.filter(({ price }) => {
      const apart = price > middle ? price - middle : middle - price;
      return apart * 10_000n <= middle * OUTLIER_BPS;
    });
    if (used.length < QUORUM) {
      if (this.#price !== null && !this.#isStopped) this.story.push('gap quorum');
      this.#isStopped = this.#price !== null;
      return;
    }
    if (this.#price !== null && !used.some(({ receivedMs }) => receivedMs > this.#tickMs)) return;
    this.#price = this.#median(used);
    this.#tickMs = timeMs;
    this.#isStopped = false;
    this.story.push(`tick ${(Number(this.#price) / 1e5).toFixed(5)}`);
  }

  /** Of an even number the middle one nearer the last price, the lower if it is as near or there was none. */
  #median(quotes: readonly Said[]): bigint {
    const prices = quotes.map(({ price }) => price).sort((a, b) => Number(a - b));
    const [low, high] = [prices[(prices.length - 1) >> 1] as bigint, prices[prices.length >> 1] as bigint];
    if (this.#price === null) return low;
    const apart = (price: bigint) => Math.abs(Number(price - (this.#price as bigint)));
    return apart(high) < apart(low) ? high : low;
  }
}

const FAULTS = [
  'down',
  'stale',
  'frozen',
  'half as much again',
  'zero',
  'negative',
  'repeated',
  'out of order',
  'received in the future',
  'from the future',
  'not a time',
  'before all times',
  'without an end',
] as const;
type Fault = (typeof FAULTS)[number];

/** What a source with a fault says, given what it would have said. */
function spoil(fault: Fault, quote: Said, before: Said | undefined): Said[] {
  switch (fault) {
    case 'down':
      return [];
    case 'stale':
      return [{ ...quote, sourceMs: quote.sourceMs - 5_000 }];
    case 'frozen':
      return before ? [{ ...before, receivedMs: quote.receivedMs }] : [];
    case 'half as much again':
      return [{ ...quote, price: (quote.price * 3n) / 2n }];
    case 'zero':
      return [{ ...quote, price: 0n }];
    case 'negative':
      return [{ ...quote, price: -quote.price }];
    case 'repeated':
      return [quote, quote, { ...quote, price: quote.price + 50n }];
    case 'out of order':
      return [quote, { ...quote, price: quote.price + 50n, sourceSeq: quote.sourceSeq - 1n }];
    case 'received in the future':
      return [{ ...quote, receivedMs: quote.receivedMs + 60_000 }];
    case 'from the future':
      return [{ ...quote, sourceMs: quote.sourceMs + 60_000 }];
    case 'not a time':
      return [
        { ...quote, sourceMs: Number.NaN },
        { ...quote, sourceMs: quote.sourceMs + 0.5 },
      ];
    case 'before all times':
      return [
        { ...quote, sourceMs: -1 },
        { ...quote, sourceSeq: -1n },
      ];
    case 'without an end':
      return [{ ...quote, price: 10n ** 30n }];
  }
}

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
    const feed = new RawFeed({ staleMs: STALE_MS, outlierBps: Number(OUTLIER_BPS), quorum: QUORUM });
    house = await House.open(feed);
    feed.productId = house.product('EUR/USD').id;
    return feed;
  }

  /** One grid time with one quote of each source, spoilt as the faults say. */
  function say(
    at: { timeMs: number; middle: bigint },
    faults: ReadonlyMap<string, Fault>,
    last: Map<string, Said>,
  ) {
    return SOURCES.flatMap((source, place) => {
      const quote: Said = {
        source,
        price: at.middle + BigInt(place),
        sourceMs: at.timeMs - 120,
        sourceSeq: BigInt(at.timeMs / GRID_MS),
        receivedMs: at.timeMs - 20 * (place + 1),
      };
      const fault = faults.get(source);
      const said = fault ? spoil(fault, quote, last.get(source)) : [quote];
      if (fault !== 'frozen') last.set(source, quote);
      return said;
    });
  }

  test.each(FAULTS)('one source is %s: the price is what the rules say', async (fault) => {
    const feed = await open();
    const reference = new Reference();
    const last = new Map<string, Said>();
    for (let step = 1; step <= 40; step += 1) {
      const timeMs = START_MS + step * GRID_MS;
      const isFaulty = step > 10 && step <= 30;
      const said = say(
        { timeMs, middle: 108_400n + BigInt(step % 5) },
        new Map(isFaulty ? [['b', fault]] : []),
        last,
      );
      feed.next = said;
      reference.step(timeMs, said);
      await house.stepTo(timeMs);
    }
    expect(await storyOf(house, 'EUR/USD')).toEqual(reference.story);
    expect(reference.story.length).toBe(40);
  });

  test.each([1, 2, 3])('any of them, on any sources, at any time: seed %i', async (seed) => {
    const feed = await open();
    const reference = new Reference();
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
      // Now and then nobody says anything.
      const said = random() < 0.3 ? [] : say({ timeMs, middle }, faults, last);
      feed.next = said;
      reference.step(timeMs, said);
      await house.stepTo(timeMs);
    }
    expect(await storyOf(house, 'EUR/USD')).toEqual(reference.story);
    expect(reference.story.filter((mark) => mark === 'gap quorum').length).toBeGreaterThan(0);
    for (const text of await readTexts(house)) {
      const entry = parseEntry(text);
      expect(entry && formatEntry(entry)).toBe(text);
    }
  });

  test('a fresh price that lost its quorum to an outlier stops as soon as the other one is stale', async () => {
    const feed = await open();
    const at = START_MS + GRID_MS;
    const quote = (source: string, price: bigint, receivedMs: number): Said => ({
      source,
      price,
      sourceMs: receivedMs,
      sourceSeq: BigInt(receivedMs),
      receivedMs,
    });
    feed.next = [quote('a', 100_000n, at), quote('b', 100_001n, at)];
    await house.stepTo(at);
    feed.next = [quote('b', 100_002n, at + 1_000), quote('c', 150_000n, at + 1_000)];
    await house.stepTo(at + 1_000);
    await house.runTo(at + STALE_MS);
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.00000', 'tick 1.00000']);
    // Now only the second and the outlier are fresh: one that can be used.
    await house.stepBy(GRID_MS);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('gap quorum');
  });

  test('a source that the rules do not name has no say, and does not stop the log', async () => {
    const feed = await open();
    const at = START_MS + GRID_MS;
    const quote = (source: string, price: bigint): Said => ({
      source,
      price,
      sourceMs: at,
      sourceSeq: 1n,
      receivedMs: at,
    });
    feed.next = [quote('a', 100_000n), quote('b', 100_002n), quote('x', 100_003n), quote('y', 100_004n)];
    await house.stepTo(at);
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.00000']);
  });
});
