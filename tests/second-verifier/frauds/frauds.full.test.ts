import { describe, expect, test } from 'vitest';
import { KEYS, Log } from '../house.ts';
import { pythRules, updatesOf } from '../pyth.ts';
import { type Choices, DUE, END, honest, OPENS, SETTLES, START, tell } from '../story.ts';
import { contradiction, verify, verifyEvidence } from '../verify.ts';
import { checkOf, commit, judge, said } from './fraud.ts';
import { FRAUDS, ONE_UNKNOWN } from './frauds.ts';
import { BEFORE, LAST, withBefore } from './log-frauds.ts';
import { BETTER, BETWEEN, FALLING, openAt, openingClosedLast, thinAt, unfixed } from './settlement-frauds.ts';

/**
 * A house that holds its keys tries to keep a win, or to make a loss. Either the receipt alone refuses it, or it is stated to be what
 * a reader of the whole log has to find (`uniqueness`), or whoever asks the sources (`records`).
 */
const sources = (change: Required<Choices>['record'], choices: Choices = {}): Choices => ({
  record: change,
  ...choices,
});

/** The close of the opening comes after the fix of the settlement, which does not know what it shows. */
const OPEN_IN_BOTH = openingClosedLast({
  record: (fixMs, source, it) =>
    source === 'alpha' && fixMs >= OPENS
      ? { number: 1_010, timeMs: OPENS - 1_890, price: 110_004, closing: 'open' }
      : it,
});

describe('an honest house', () => {
  test.each<[string, Choices, string]>([
    ['a win', {}, 'valid: profit null'],
    ['a loss', { price: FALLING }, 'valid: loss null'],
    ['a tie', { price: () => 110_000 }, 'valid: none null'],
    ['a win of a down', { price: FALLING, direction: 'down' }, 'valid: profit null'],
    ['a batch that is late', { ordersMs: DUE + 1 }, 'valid: none not_logged'],
    ['a batch at the last moment', { ordersMs: DUE }, 'valid: profit null'],
    ['no opening time named', { terms: { nonce: null } }, 'valid: profit null'],
    ['the latest opening time', { terms: { opensAt: OPENS + 9_000 } }, 'valid: profit null'],
    [
      'an acceptance 500 ms after the last entry',
      { ordersMs: LAST + 600, terms: { acceptedAt: LAST + 500 } },
      'valid: profit null',
    ],
    ['too few sources at the opening', thinAt(OPENS), 'valid: none no_price'],
    ['too few sources at the settlement', thinAt(SETTLES), 'valid: profit null'],
    [
      'too few sources at a settlement of falling prices',
      { price: FALLING, ...thinAt(SETTLES) },
      'valid: loss null',
    ],
    ['no fix of the opening', { price: FALLING, ...unfixed(OPENS) }, 'valid: profit null'],
    ['no fix of the settlement', { price: FALLING, ...unfixed(SETTLES) }, 'valid: profit null'],
    [
      'a loss whose settlement had an open record',
      { price: FALLING, record: openAt(SETTLES) },
      'valid: loss null',
    ],
    [
      'an open record that nothing has closed yet',
      { record: openAt(SETTLES), close: () => null },
      'valid: profit null',
    ],
    ['a close that makes a win of a loss', BETTER, 'valid: profit null'],
    ['a close of the opening that makes a win, before all is closed', BETWEEN, 'valid: profit null'],
    ['the same after the close of the settlement', openingClosedLast(BETWEEN), 'valid: loss null'],
    ['a close that makes a loss of a win', { ...BETTER, direction: 'down' }, 'valid: profit null'],
    ['open records of one source in both fixes, from before the opening', OPEN_IN_BOTH, 'valid: profit null'],
    [
      'a source that says itself that no more came',
      sources((_, __, it) => ({ ...it, closing: 'said' })),
      'valid: profit null',
    ],
    [
      'a source that is away',
      sources((_, source, it) => (source === 'beta' ? 'away' : it)),
      'valid: profit null',
    ],
    [
      'a source of which nothing is known',
      sources((_, source, it) => (source === 'beta' ? 'none' : it)),
      'valid: profit null',
    ],
    ['a source of which nothing is known before the close', ONE_UNKNOWN, 'valid: profit null'],
    [
      'a source of which nothing is known in the close either',
      { ...ONE_UNKNOWN, later: (_, source, it) => (source === 'beta' ? 'none' : it) },
      'valid: profit null',
    ],
    [
      'an outlier',
      sources((_, source, it) => (source === 'gamma' ? { ...it, price: 120_000 } : it)),
      'valid: profit null',
    ],
    [
      'a source that is quiet all the time',
      sources((_, source, it) =>
        source === 'gamma'
          ? { number: 5, timeMs: START, price: 1, closing: { number: 9, timeMs: SETTLES + 1, price: 2 } }
          : it,
      ),
      'valid: profit null',
    ],
  ])('gives valid receipts: %s', (_, choices, expected) => {
    expect(said(judge(tell(choices)))).toBe(expected);
  });

  test('shows what Pyth signed, and says where it does not', () => {
    const story = tell({ rules: pythRules() });
    const limitsOf = (shown: Parameters<typeof judge>[1]) => {
      const verdict = judge(story, shown);
      return verdict.valid ? verdict.limits : [said(verdict)];
    };
    expect(limitsOf({ updates: updatesOf(story) })).not.toContain('updates');
    expect(limitsOf({ updates: updatesOf(story).slice(1) })).toContain('updates');
    expect(limitsOf({})).toContain('updates');
  });

  test('says which record nothing has closed yet', () => {
    const openIn = (choices: Choices) => {
      const verdict = judge(tell(choices));
      return verdict.valid && verdict.limits.includes('open');
    };
    expect(openIn({})).toBe(false);
    expect(openIn({ record: openAt(OPENS) })).toBe(false);
    expect(openIn({ record: openAt(OPENS), close: () => null })).toBe(true);
    expect(openIn({ record: openAt(OPENS), close: () => null, ...unfixed(SETTLES) })).toBe(true);
  });

  test.each(Object.entries(BEFORE))('accepts with an older log that ends with %s', (_, entry) => {
    expect(said(judge(tell(withBefore(entry))))).toBe('valid: profit null');
  });

  test('gives evidence that the order is logged, which its receipt does not contradict', () => {
    for (const [choices, isInTime] of [
      [{}, true],
      [{ ordersMs: DUE }, true],
      [{ ordersMs: DUE + 1 }, false],
    ] as const) {
      const story = tell(choices);
      const { shown, outcome } = honest(story);
      const log = new Log(story.entries, END);
      const kept = [
        JSON.stringify(log.upTo(shown.orders).evidence(story.order, shown.orders)),
        JSON.stringify(story.order.accepted),
      ] as const;
      expect(verifyEvidence(...kept, KEYS)).toMatchObject({ valid: true, isInTime });
      const receipt = JSON.stringify(log.receipt(story.order, shown, outcome));
      expect(contradiction(receipt, ...kept)).toBe(null);
    }
  });
});

describe.each(Object.entries(FRAUDS))('refused by the check of %s', (check, frauds) => {
  test.each(Object.entries(frauds))('%s', (_, fraud) => {
    expect(checkOf(verify(commit(fraud), KEYS))).toBe(check);
  });
});
