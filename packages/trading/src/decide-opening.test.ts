import { Random } from '@fairtick/kit/hostile/random.ts';
import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import {
  decideOpening,
  type Gap,
  GRID_MS,
  gridBefore,
  type JudgedQuote,
  type ListedQuote,
  lastOpening,
  type Opening,
  type SymbolEntry,
  type Tick,
} from './index.ts';

/** The opening time that the acceptance names. */
const OPENS_FROM = 1_000_002_000;
const DELAY = 2_000;
const SETTLES = OPENS_FROM + 60_000;
/** Quotes that are older than this open nothing. */
const LEAST = OPENS_FROM - DELAY;
/** The latest time at which the order may open. */
const WITHIN = 5_000;
const OPENS_BY = OPENS_FROM + WITHIN;
/** The last grid time before the opening time. */
const GRID = OPENS_FROM - GRID_MS;

type Times = { sourceMs: number; receivedMs: number };

function quoteAt(source: string, times: number | Times, use: JudgedQuote['use'] = 'use'): JudgedQuote {
  const { sourceMs, receivedMs } = typeof times === 'number' ? { sourceMs: times, receivedMs: times } : times;
  return { source, price: points(100n), sourceMs, sourceSeq: 1n, receivedMs, use };
}

/** A tick whose three quotes are of its own time by default. Any quotes make it current, unless `freshMs` is given. */
function tickAt(timeMs: number, quotes?: readonly ListedQuote[], freshMs = 100_000): Tick {
  const fresh = ['a', 'b', 'c'].map((source) => quoteAt(source, timeMs));
  return { kind: 'tick', n: 7, timeMs, price: points(100n), quotes: quotes ?? fresh, freshMs };
}

const gapAt = (timeMs: number, reason: Gap['reason'] = 'quorum'): Gap => ({
  kind: 'gap',
  n: 8,
  timeMs,
  reason,
  quotes: [],
});

/** A tick whose quotes are all too old, so that it opens nothing. */
const oldTickAt = (timeMs: number) => tickAt(timeMs, [quoteAt('a', LEAST - 1), quoteAt('b', LEAST - 1)]);

/** A tick at each grid time of a range, both ends included. */
function ticks(
  fromMs: number,
  toMs: number,
  make: (timeMs: number) => SymbolEntry = (timeMs) => tickAt(timeMs),
): SymbolEntry[] {
  const entries: SymbolEntry[] = [];
  for (let timeMs = fromMs; timeMs <= toMs; timeMs += GRID_MS) entries.push(make(timeMs));
  return entries;
}

function decide(change: Partial<Parameters<typeof decideOpening>[0]> = {}): Opening {
  const entries = change.entries ?? [tickAt(GRID)];
  return decideOpening({
    opensAtMs: OPENS_FROM,
    settlesAtMs: SETTLES,
    delayMs: DELAY,
    openWithinMs: WITHIN,
    loggedAtMs: OPENS_FROM - 1_750,
    entries,
    ...change,
  });
}

const outcome = (opening: Opening) => {
  if (opening.state === 'open') return opening.tick.timeMs - OPENS_FROM;
  return opening.state === 'void' ? opening.reason : 'pending';
};

describe('rule 2: the batch of an order is logged a second before its opening time', () => {
  const entries = ticks(GRID, OPENS_FROM);

  test.each([
    ['logged long before opens', 2_000, 0],
    ['logged exactly a second before opens', 1_000, 0],
    ['logged a millisecond later is void', 999, 'not_logged'],
    ['logged at its opening time is void', 0, 'not_logged'],
    ['logged a minute later is void, whatever came before', -60_000, 'not_logged'],
  ])('an order %s', (_case, loggedBefore, expected) => {
    expect(outcome(decide({ loggedAtMs: OPENS_FROM - loggedBefore, entries }))).toBe(expected);
  });

  test('an order waits for its batch as long as it takes, and no tick, hole or gap decides meanwhile', () => {
    for (const shown of [entries, [], [gapAt(OPENS_FROM)]]) {
      const opening = decide({ loggedAtMs: null, entries: shown });
      expect(opening).toEqual({ state: 'pending' });
    }
  });
});

describe('rule 3: the first tick at or after the opening time', () => {
  test('a tick at exactly the opening time opens the order', () => {
    const tick = tickAt(OPENS_FROM);
    expect(decide({ entries: [tickAt(GRID), tick] })).toEqual({ state: 'open', tick });
  });

  test('the first tick that fits opens the order, not a later one', () => {
    const entries = [tickAt(GRID), oldTickAt(OPENS_FROM), ...ticks(OPENS_FROM + 250, OPENS_FROM + 750)];
    expect(outcome(decide({ entries }))).toBe(250);
  });

  test('the order waits for the product’s next entry', () => {
    expect(outcome(decide({ entries: [] }))).toBe('pending');
    expect(outcome(decide({ entries: [tickAt(GRID)] }))).toBe('pending');
  });

  test('entries long before the opening time change nothing', () => {
    const before = [gapAt(OPENS_FROM - 9_000), tickAt(OPENS_FROM - 5_000), gapAt(OPENS_FROM - 500)];
    expect(outcome(decide({ entries: [...before, ...ticks(GRID, OPENS_FROM)] }))).toBe(0);
  });
});

describe('rule 3: more than half of the used quotes are at most D older than the opening time', () => {
  const late = OPENS_FROM;
  const early = LEAST - 1;
  test.each([
    ['three of three', [late, late, late], true],
    ['two of three', [early, late, late], true],
    ['one of three', [early, early, late], false],
    ['none of three', [early, early, early], false],
    ['two of four: a half is no majority', [early, early, late, late], false],
    ['three of four', [early, late, late, late], true],
    ['one of one, exactly D older', [LEAST], true],
    ['one of one, a millisecond before', [early], false],
    ['the source’s own time is a millisecond before', [{ sourceMs: early, receivedMs: late }], false],
    ['it was received a millisecond before', [{ sourceMs: late, receivedMs: early }], false],
  ])('%s', (_case, times, opens) => {
    const quotes = times.map((each, place) => quoteAt(`s${place}`, each));
    const opening = decide({ entries: [tickAt(GRID), tickAt(OPENS_FROM, quotes)] });
    expect(opening.state).toBe(opens ? 'open' : 'pending');
  });

  test('quotes that are not used, and sources without one, do not count', () => {
    const absent = { source: 'z', use: 'none' } as const;
    const unused = (times: number) => [quoteAt('x', times, 'outlier'), quoteAt('y', times, 'stale'), absent];
    const open = (quotes: ListedQuote[]) =>
      decide({ entries: [tickAt(GRID), tickAt(OPENS_FROM, quotes)] }).state;
    const used = (...times: number[]) => times.map((each, place) => quoteAt(`s${place}`, each));
    expect(open([...used(early, early, late, late), ...unused(late)])).toBe('pending');
    expect(open([...used(early, late, late, late), ...unused(early)])).toBe('open');
  });
});

describe('rule 3: the tick is current: more than half of its sources have a used quote at most freshMs old', () => {
  const old = OPENS_FROM - 251;
  test.each([
    ['two of three', [old, OPENS_FROM - 250, OPENS_FROM], true],
    ['one of three', [old, old, OPENS_FROM], false],
    ['two of four', [old, old, OPENS_FROM, OPENS_FROM], false],
    ['the source’s own time is too old', [{ sourceMs: old, receivedMs: OPENS_FROM }], false],
    ['it was received too early', [{ sourceMs: OPENS_FROM, receivedMs: old }], false],
  ])('%s', (_case, times, opens) => {
    const quotes = times.map((each, place) => quoteAt(`s${place}`, each));
    const opening = decide({ entries: [tickAt(GRID), tickAt(OPENS_FROM, quotes, 250)] });
    expect(opening.state).toBe(opens ? 'open' : 'pending');
  });

  test('one that is not current is passed over, as if its quotes were too old', () => {
    const stale = tickAt(OPENS_FROM, [quoteAt('a', old)], 250);
    expect(outcome(decide({ entries: [tickAt(GRID), stale, tickAt(OPENS_FROM + 250)] }))).toBe(250);
  });
});

describe('rule 3: no grid time is missing from the last one before the opening time to the opening', () => {
  const old = (toMs: number) => [tickAt(GRID), ...ticks(OPENS_FROM, toMs, oldTickAt)];

  test.each([
    ['the one before the opening time', [tickAt(GRID - 250), tickAt(OPENS_FROM)]],
    ['all before the opening time', [tickAt(OPENS_FROM)]],
    ['the first after it', [tickAt(GRID), tickAt(OPENS_FROM + 250)]],
    ['one between two that can’t open', [...old(OPENS_FROM), tickAt(OPENS_FROM + 500)]],
    ['the last one in which it could open', [...old(OPENS_BY - 250), tickAt(OPENS_BY + 250)]],
  ])('missing is %s: void', (_case, entries) => {
    expect(outcome(decide({ entries }))).toBe('hole');
  });

  test.each([
    ['the time before the opening time', [tickAt(GRID - 250)]],
    ['all before the opening time', []],
    ['a later time', old(OPENS_FROM)],
  ])('%s is missing only once the product has a later entry, of whatever kind and time', (_case, entries) => {
    expect(outcome(decide({ entries }))).toBe('pending');
    for (const later of [tickAt(OPENS_FROM + 500), gapAt(SETTLES + 3_600_000)])
      expect(outcome(decide({ entries: [...entries, later] }))).toBe('hole');
  });

  test('what is missing after the opening changes nothing', () => {
    expect(outcome(decide({ entries: [...ticks(GRID, OPENS_FROM), tickAt(SETTLES)] }))).toBe(0);
  });
});

describe('rule 3: no gap up to the opening', () => {
  test.each([
    ['last before the opening time', [gapAt(GRID), tickAt(OPENS_FROM)]],
    ['last before the opening time, long ago', [gapAt(GRID - 60_000), tickAt(OPENS_FROM)]],
    ['at the opening time', [tickAt(GRID), gapAt(OPENS_FROM)]],
    ['between ticks that can’t open', [tickAt(GRID), oldTickAt(OPENS_FROM), gapAt(OPENS_FROM + 250)]],
  ])('a gap %s: void', (_case, entries) => {
    expect(outcome(decide({ entries }))).toBe('gap');
  });

  test('a gap at the last time in which it could open', () => {
    const entries = [tickAt(GRID), ...ticks(OPENS_FROM, OPENS_BY - 250, oldTickAt), gapAt(OPENS_BY)];
    expect(outcome(decide({ entries }))).toBe('gap');
  });

  test('a gap before the opening time is known to be the last with the entry after it', () => {
    const entries = [gapAt(GRID)];
    expect(outcome(decide({ entries }))).toBe('pending');
    for (const later of [tickAt(OPENS_FROM), gapAt(SETTLES)])
      expect(outcome(decide({ entries: [...entries, later] }))).toBe('gap');
  });

  test('a gap with a tick after it, or after the opening, changes nothing', () => {
    const entries = [gapAt(GRID - 250), ...ticks(GRID, OPENS_FROM), gapAt(OPENS_FROM + 250)];
    expect(outcome(decide({ entries }))).toBe(0);
  });

  test('a gap later than the first missing time is not the reason', () => {
    expect(outcome(decide({ entries: [tickAt(GRID), gapAt(OPENS_FROM + 250)] }))).toBe('hole');
  });
});

describe('rule 3: an order opens within 5 s after the opening time, and by its settlement time', () => {
  const waiting = (untilMs: number) => [tickAt(GRID), ...ticks(OPENS_FROM, untilMs - 250, oldTickAt)];

  test('a tick at exactly the opening time + 5 s opens the order, and the next grid time does not', () => {
    expect(outcome(decide({ entries: [...waiting(OPENS_BY), tickAt(OPENS_BY)] }))).toBe(5_000);
    expect(outcome(decide({ entries: [...waiting(OPENS_BY), oldTickAt(OPENS_BY)] }))).toBe('no_open');
  });

  test.each([1, 250])('a settlement time %i ms before that ends the wait', (beforeMs) => {
    const settlesAtMs = OPENS_BY - beforeMs;
    const last = OPENS_BY - 250;
    const old = (timeMs: number) => tickAt(timeMs, [quoteAt('a', LEAST - 1)]);
    const entries = [tickAt(GRID), ...ticks(OPENS_FROM, last - 250, old)];
    expect(outcome(decide({ settlesAtMs, entries: [...entries, tickAt(last)] }))).toBe(last - OPENS_FROM);
    expect(outcome(decide({ settlesAtMs, entries: [...entries, old(last)] }))).toBe('no_open');
  });

  test('no wait is needed once the last tick in which it could open did not', () => {
    expect(outcome(decide({ entries: waiting(OPENS_BY) }))).toBe('pending');
    expect(outcome(decide({ entries: waiting(OPENS_BY + 250) }))).toBe('no_open');
  });

  test('without a window only the opening time opens the order', () => {
    const at = (entries: SymbolEntry[]) => outcome(decide({ openWithinMs: 0, entries }));
    const old = oldTickAt(OPENS_FROM);
    expect(at([tickAt(GRID), tickAt(OPENS_FROM)])).toBe(0);
    expect(at([tickAt(GRID), old])).toBe('no_open');
    expect(at([tickAt(GRID), old, tickAt(OPENS_FROM + 250)])).toBe('no_open');
    expect(at([tickAt(GRID), tickAt(OPENS_FROM + 250)])).toBe('hole');
  });

  test('the window is what the rule says', () => {
    const order = { opensAtMs: OPENS_FROM, openWithinMs: WITHIN };
    expect(lastOpening({ ...order, settlesAtMs: SETTLES })).toBe(OPENS_FROM + 5_000);
    expect(lastOpening({ ...order, settlesAtMs: OPENS_FROM + 4_999 })).toBe(OPENS_FROM + 4_999);
  });

  test.each([
    [1_000, 750],
    [1_001, 1_000],
    [1_249, 1_000],
    [1_250, 1_000],
    [1_251, 1_250],
  ])('the last grid time before %i is %i', (timeMs, expected) => {
    expect(gridBefore(timeMs)).toBe(expected);
  });
});

/** The rules said otherwise: look up each grid time among the entries, with no regard to their order. */
function byTheWords(
  entries: readonly SymbolEntry[],
  { opensAtMs: fromMs, settlesAtMs }: { opensAtMs: number; settlesAtMs: number },
): number | string {
  const at = new Map(entries.map((entry) => [entry.timeMs, entry]));
  const before = entries.filter(({ timeMs }) => timeMs < fromMs).at(-1);
  const isLater = (timeMs: number) => entries.some((entry) => entry.timeMs > timeMs);
  let gridMs = 0;
  while (gridMs + GRID_MS < fromMs) gridMs += GRID_MS;
  if (before?.kind === 'gap') return isLater(gridMs) ? 'gap' : 'pending';
  if (!at.has(gridMs)) return isLater(gridMs) ? 'hole' : 'pending';
  const untilMs = Math.min(gridMs + GRID_MS + 5_000, settlesAtMs);
  for (gridMs += GRID_MS; gridMs <= untilMs; gridMs += GRID_MS) {
    const entry = at.get(gridMs);
    if (!entry) return isLater(gridMs) ? 'hole' : 'pending';
    if (entry.kind === 'gap') return 'gap';
    const used = entry.quotes.filter((quote): quote is JudgedQuote => quote.use === 'use');
    const late = used.filter((quote) => Math.min(quote.sourceMs, quote.receivedMs) >= fromMs - DELAY);
    const fresh = used.filter(
      (quote) => gridMs - Math.min(quote.sourceMs, quote.receivedMs) <= entry.freshMs,
    );
    if (late.length * 2 > used.length && fresh.length * 2 > entry.quotes.length) return gridMs;
  }
  return 'no_open';
}

/** Entries from time 0 on, with holes, gaps and quotes of many ages. */
function entriesAtRandom(random: Random): SymbolEntry[] {
  const [holes, gaps, age] = [
    random.of([0, 0, 0.03]),
    random.of([0, 0, 0.03]),
    random.of([300, 4_000, 40_000]),
  ];
  const freshMs = random.of([250, 1_000, 40_000]);
  const entries: SymbolEntry[] = [];
  for (let timeMs = 0; timeMs <= 12_000; timeMs += GRID_MS) {
    if (random.isLikely(holes)) continue;
    const quotes = ['a', 'b', 'c', 'd'].map((source): ListedQuote => {
      const [sourceMs, receivedMs] = [timeMs - random.whole(0, age - 1), timeMs - random.whole(0, age - 1)];
      const use = random.of(['use', 'use', 'use', 'stale', 'outlier', 'none'] as const);
      return use === 'none' ? { source, use } : quoteAt(source, { sourceMs, receivedMs }, use);
    });
    entries.push(random.isLikely(gaps) ? gapAt(timeMs) : tickAt(timeMs, quotes, freshMs));
  }
  return entries;
}

test('for any entries, each decision is that of the words, and stays what it is while the log grows', () => {
  const random = new Random(20_261_125);
  const seen = new Map<string, number>();
  for (let round = 0; round < 3_000; round += 1) {
    const opensAtMs = 2_000 + random.whole(0, 4) * GRID_MS;
    const order = { opensAtMs, settlesAtMs: opensAtMs + random.of([100, 2_000, 8_000]) };
    const entries = entriesAtRandom(random);
    const wanted = byTheWords(entries, order);
    const read = (opening: Opening) => (opening.state === 'open' ? opening.tick.timeMs : outcome(opening));
    const whole = { ...order, delayMs: DELAY, openWithinMs: WITHIN, loggedAtMs: opensAtMs - 1_000 };
    expect(read(decideOpening({ ...whole, entries }))).toBe(wanted);
    // At every earlier state of the log the order is pending, or decided as in the end.
    const early = entries.slice(0, random.whole(0, entries.length));
    const then = read(decideOpening({ ...whole, entries: early }));
    expect([wanted, 'pending']).toContain(then);
    // Entries before the last one before the opening time change nothing.
    const first = entries.findLastIndex(({ timeMs }) => timeMs < opensAtMs);
    const short = entries.slice(Math.max(0, first));
    expect(read(decideOpening({ ...whole, entries: short }))).toBe(wanted);
    const kind = typeof wanted === 'number' ? 'open' : wanted;
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
  }
  expect([...seen.keys()].sort()).toEqual(['gap', 'hole', 'no_open', 'open']);
});
