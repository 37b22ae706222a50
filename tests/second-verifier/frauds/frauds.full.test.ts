import { describe, expect, test } from 'vitest';
import { hashOf, KEYS, Log, restart, rulesEntry } from '../house.ts';
import { type Choices, DUE, END, honest, OPENS, RULES, SETTLES, SINCE, START, tell } from '../story.ts';
import { contradiction, verify, verifyEvidence } from '../verify.ts';
import { checkOf, commit, judge, said, silentAt } from './fraud.ts';
import { FRAUDS } from './frauds.ts';
import { BEFORE, LAST, withBefore } from './log-frauds.ts';

/**
 * A house that holds its keys tries to keep a win, or to make a loss. Either the receipt alone refuses it, or it is stated to be what
 * a reader of the whole log has to find (`uniqueness`), or what no log can show (`quotes`).
 */

describe('an honest house', () => {
  const falling = (timeMs: number) => 110_000 - Math.floor((timeMs - START) / 1000);
  test.each<[string, Choices, string]>([
    ['a win', {}, 'valid: profit null'],
    ['a loss', { price: falling }, 'valid: loss null'],
    ['a tie', { price: () => 110_000 }, 'valid: none null'],
    ['a hole at the opening', silentAt(OPENS), 'valid: none hole'],
    ['a hole before the opening', silentAt(OPENS - 250), 'valid: none hole'],
    ['a batch that is late', { ordersMs: DUE + 1 }, 'valid: none not_logged'],
    ['a batch at the last moment', { ordersMs: DUE }, 'valid: profit null'],
    ['no opening time named', { terms: { nonce: null } }, 'valid: profit null'],
    ['the latest opening time', { terms: { opensAt: OPENS + 9_750 } }, 'valid: profit null'],
    [
      'an acceptance 500 ms after the last entry',
      { ordersMs: LAST + 600, terms: { acceptedAt: LAST + 500, opensAt: START + 5_500 } },
      'valid: profit null',
    ],
    [
      'an opening from quotes of D before it',
      {
        rules: rulesEntry(1, START, null, { freshMs: 2_300 }),
        sent: (t, source, it) =>
          t > SINCE && t <= OPENS && source !== 'alpha'
            ? { ...it, sourceMs: SINCE, receivedMs: SINCE + 20 }
            : it,
      },
      'valid: profit null',
    ],
    ['a win with no tick at the settlement', silentAt(SETTLES), 'valid: profit null'],
    [
      'falling prices with no tick at the settlement',
      { price: falling, ...silentAt(SETTLES) },
      'valid: profit null',
    ],
    [
      'falling prices with a gap at the settlement',
      { price: falling, at: (t, n, tick) => (t === SETTLES ? restart(n, t, hashOf(RULES)) : tick) },
      'valid: profit null',
    ],
    [
      'falling prices with old quotes at the settlement',
      {
        price: falling,
        sent: (t, source, it) =>
          t === SETTLES && source !== 'gamma' ? { ...it, sourceMs: t - 330, receivedMs: t - 300 } : it,
      },
      'valid: profit null',
    ],
    [
      'ticks that are not current before the opening',
      {
        sent: (t, source, it) =>
          t >= OPENS && t < OPENS + 1_000 && source !== 'gamma'
            ? { ...it, sourceMs: OPENS - 330, receivedMs: OPENS - 300, sequence: t }
            : it,
      },
      'valid: profit null',
    ],
    [
      'a gap at the opening',
      { at: (t, n, tick) => (t === OPENS ? restart(n, t, hashOf(RULES)) : tick) },
      'valid: none gap',
    ],
    [
      'sources that send nothing new',
      {
        sent: (t, _, it) =>
          t < OPENS - 2500 ? it : { ...it, sourceMs: OPENS - 2500, receivedMs: OPENS - 2500 },
      },
      'valid: none gap',
    ],
  ])('gives valid receipts: %s', (_, choices, expected) => {
    expect(said(judge(tell(choices)))).toBe(expected);
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
