import { describe, expect, test } from 'vitest';
import { checkOf, commit, judge, said, silentAt } from './fraud.ts';
import { FRAUDS } from './frauds.ts';
import { hashOf, KEYS, Log, restart } from './house.ts';
import { type Choices, END, FROM, honest, OPENS, RULES, SETTLES, START, tell } from './story.ts';
import { contradiction, verify, verifyLogged } from './verify.ts';

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
    ['a batch that is late', { ordersMs: FROM }, 'valid: none not_logged'],
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
          t < FROM - 1500 ? it : { ...it, sourceMs: FROM - 1500, receivedMs: FROM - 1500 },
      },
      'valid: none gap',
    ],
  ])('gives valid receipts: %s', (_, choices, expected) => {
    expect(said(judge(tell(choices)))).toBe(expected);
  });

  test('gives evidence that the order is logged, which its receipt does not contradict', () => {
    const story = tell();
    const { shown, outcome } = honest(story);
    const log = new Log(story.entries, END);
    const accepted = JSON.stringify(story.order.accepted);
    const evidence = JSON.stringify(log.evidence(story.order, shown.orders));
    expect(verifyLogged(evidence, accepted, RULES, KEYS)).toMatchObject({ valid: true, index: shown.orders });
    const receipt = JSON.stringify(log.receipt(story.order, shown, outcome));
    expect(contradiction(receipt, evidence, accepted)).toBe(null);
    const later = tell({ ordersMs: FROM });
    const lateEvidence = JSON.stringify(
      new Log(later.entries, END).evidence(later.order, honest(later).shown.orders),
    );
    expect(verifyLogged(lateEvidence, accepted, RULES, KEYS)).toMatchObject({ valid: true, isLate: true });
  });
});

describe.each(Object.entries(FRAUDS))('refused by the check of %s', (check, frauds) => {
  test.each(Object.entries(frauds))('%s', (_, fraud) => {
    expect(checkOf(verify(commit(fraud), KEYS))).toBe(check);
  });
});
