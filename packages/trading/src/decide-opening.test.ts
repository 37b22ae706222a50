import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import { decideOpening, type Gap, type JudgedQuote, type Opening, type Tick } from './index.ts';

const ACCEPTED = 1_000_000_000;
const DELAY = 1_000;
const SETTLES = ACCEPTED + 60_000;
/** Acceptance + D, and the latest time at which an order may open. */
const OPENS_FROM = ACCEPTED + DELAY;
const OPENS_BY = OPENS_FROM + 5_000;

function quoteAt(source: string, receivedMs: number, use: JudgedQuote['use'] = 'use'): JudgedQuote {
  return { source, price: points(100n), sourceMs: receivedMs, sourceSeq: 1n, receivedMs, use };
}

/** A tick whose quotes all arrive just before it by default. */
function tickAt(
  timeMs: number,
  quotes = [quoteAt('a', timeMs), quoteAt('b', timeMs), quoteAt('c', timeMs)],
): Tick {
  return { kind: 'tick', n: 7, timeMs, price: points(100n), isNew: true, quotes };
}

const gapAt = (timeMs: number): Gap => ({ kind: 'gap', n: 8, timeMs, reason: 'quorum' });

function decide(change: Partial<Parameters<typeof decideOpening>[0]> = {}): Opening {
  return decideOpening({
    acceptedAtMs: ACCEPTED,
    settlesAtMs: SETTLES,
    delayMs: DELAY,
    loggedAtMs: ACCEPTED + 250,
    entries: [],
    logTimeMs: ACCEPTED + 500,
    ...change,
  });
}

describe('rule 2: an acceptance is logged within two seconds', () => {
  test.each([
    ['waits while the log has not passed two seconds', null, 2_000, 'pending'],
    ['is void as soon as it has', null, 2_001, 'not_logged'],
    ['logged at exactly two seconds is in time', 2_000, 9_000, 'no_open'],
    ['logged a millisecond later is void', 2_001, 9_000, 'not_logged'],
    ['logged a minute later is void, whatever came after', 60_000, 90_000, 'not_logged'],
  ])('an order %s', (_case, loggedAfter, logTimeAfter, expected) => {
    const opening = decide({
      loggedAtMs: loggedAfter === null ? null : ACCEPTED + loggedAfter,
      logTimeMs: ACCEPTED + logTimeAfter,
    });
    expect(opening.state === 'void' ? opening.reason : opening.state).toBe(expected);
  });

  test('a tick does not open an order that is not logged', () => {
    const opening = decide({ loggedAtMs: null, entries: [tickAt(OPENS_FROM)], logTimeMs: ACCEPTED + 1_900 });
    expect(opening).toEqual({ state: 'pending' });
  });

  test('an order logged too late stays void, though a good tick followed', () => {
    const opening = decide({ loggedAtMs: ACCEPTED + 2_001, entries: [tickAt(ACCEPTED + 2_250)] });
    expect(opening).toEqual({ state: 'void', reason: 'not_logged' });
  });
});

describe('rule 3: the first tick at or after acceptance + D', () => {
  test('a tick at exactly acceptance + D opens the order', () => {
    const tick = tickAt(OPENS_FROM);
    expect(decide({ entries: [tick] })).toEqual({ state: 'open', tick });
  });

  test('a tick one millisecond too early does not open the order', () => {
    const tick = tickAt(OPENS_FROM + 250);
    expect(decide({ entries: [tickAt(OPENS_FROM - 1), tick] })).toEqual({ state: 'open', tick });
  });

  test('the first tick that fits opens the order, not a later one', () => {
    const tick = tickAt(OPENS_FROM + 500);
    expect(decide({ entries: [tick, tickAt(OPENS_FROM + 750)] })).toEqual({ state: 'open', tick });
  });

  test('the order waits while no tick has come', () => {
    expect(decide({ entries: [], logTimeMs: OPENS_BY })).toEqual({ state: 'pending' });
  });

  test('with D = 0 a tick at the time of acceptance opens the order, if the log has it after the order', () => {
    const tick = tickAt(ACCEPTED);
    expect(decide({ delayMs: 0, entries: [tick] })).toEqual({ state: 'open', tick });
  });

  test('a restated price opens the order if its quotes are late enough', () => {
    const tick = { ...tickAt(OPENS_FROM + 250), isNew: false };
    expect(decide({ entries: [tick] })).toEqual({ state: 'open', tick });
  });
});

describe('rule 3: the majority of used quotes was received at or after acceptance + D', () => {
  const time = OPENS_FROM + 500;
  const early = OPENS_FROM - 1;
  test.each([
    ['three of three', [time, time, time], true],
    ['two of three', [early, time, time], true],
    ['one of three', [early, early, time], false],
    ['none of three', [early, early, early], false],
    ['two of four: a half is no majority', [early, early, time, time], false],
    ['three of four', [early, time, time, time], true],
    ['one of one, at exactly acceptance + D', [OPENS_FROM], true],
    ['one of one, a millisecond too early', [early], false],
  ])('%s', (_case, received, opens) => {
    const quotes = received.map((receivedMs, place) => quoteAt(`s${place}`, receivedMs));
    expect(decide({ entries: [tickAt(time, quotes)] }).state).toBe(opens ? 'open' : 'pending');
  });

  test('quotes that were not used do not count for the majority', () => {
    const quotes = [
      quoteAt('a', early),
      quoteAt('b', time),
      quoteAt('c', time, 'outlier'),
      quoteAt('d', time, 'stale'),
    ];
    expect(decide({ entries: [tickAt(time, quotes)] }).state).toBe('pending');
    const against = [quoteAt('a', time), quoteAt('b', early, 'outlier'), quoteAt('c', early, 'stale')];
    expect(decide({ entries: [tickAt(time, against)] }).state).toBe('open');
  });
});

describe('rule 5: an order becomes void instead of opening', () => {
  test('a tick at exactly acceptance + D + 5 s still opens the order, one a millisecond later does not', () => {
    expect(decide({ entries: [tickAt(OPENS_BY)] }).state).toBe('open');
    expect(decide({ entries: [tickAt(OPENS_BY + 1)] })).toEqual({ state: 'void', reason: 'no_open' });
  });

  test('an order is void once the log has passed acceptance + D + 5 s, and not before', () => {
    expect(decide({ logTimeMs: OPENS_BY })).toEqual({ state: 'pending' });
    expect(decide({ logTimeMs: OPENS_BY + 1 })).toEqual({ state: 'void', reason: 'no_open' });
  });

  test('the settlement time ends the wait if it comes first', () => {
    const settlesAtMs = OPENS_FROM + 1_000;
    expect(decide({ settlesAtMs, entries: [tickAt(settlesAtMs)] }).state).toBe('open');
    expect(decide({ settlesAtMs, entries: [tickAt(settlesAtMs + 1)] })).toEqual({
      state: 'void',
      reason: 'no_open',
    });
    expect(decide({ settlesAtMs, logTimeMs: settlesAtMs })).toEqual({ state: 'pending' });
    expect(decide({ settlesAtMs, logTimeMs: settlesAtMs + 1 })).toEqual({ state: 'void', reason: 'no_open' });
  });

  test('ticks without a majority do not prolong the wait', () => {
    const early = [quoteAt('a', OPENS_FROM - 1), quoteAt('b', OPENS_FROM - 1)];
    const entries = [tickAt(OPENS_FROM, early), tickAt(OPENS_BY, early), tickAt(OPENS_BY + 250)];
    expect(decide({ entries, logTimeMs: OPENS_BY + 250 })).toEqual({ state: 'void', reason: 'no_open' });
  });

  test('a gap before the opening tick voids the order, whether before or after acceptance + D', () => {
    for (const timeMs of [ACCEPTED + 250, OPENS_FROM, OPENS_BY]) {
      const opening = decide({ entries: [gapAt(timeMs), tickAt(timeMs + 250)] });
      expect(opening).toEqual({ state: 'void', reason: 'gap' });
    }
  });

  test('a gap after the opening tick changes nothing', () => {
    const tick = tickAt(OPENS_FROM);
    expect(decide({ entries: [tick, gapAt(OPENS_FROM + 250)] })).toEqual({ state: 'open', tick });
  });

  test('a gap after the last possible opening is not the reason of the void', () => {
    expect(decide({ entries: [gapAt(OPENS_BY + 1)] })).toEqual({ state: 'void', reason: 'no_open' });
  });
});
