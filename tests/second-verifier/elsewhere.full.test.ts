import { describe, expect, test } from 'vitest';
import { checkOf, editedAt, field, judge, LOSS, placeOf, priceOf, said } from './frauds/fraud.ts';
import { openAt, unfixed } from './frauds/settlement-frauds.ts';
import {
  hashOf,
  KEYS,
  LATE,
  Log,
  type Order,
  type Outcome,
  ordersEntry,
  restart,
  rulesEntry,
  type Terms,
} from './house.ts';
import { readWitness } from './reading.ts';
import { Witness } from './signing.ts';
import {
  ACCEPTED,
  DUE,
  END,
  honest,
  NONCE,
  OPENS,
  RULES,
  SETTLES,
  START,
  type Story,
  tell,
} from './story.ts';
import { agreesWithAsked, contradiction, type Verdict, verify, verifyEvidence } from './verify.ts';

/**
 * What a dishonest house can do beside the entries that a receipt shows: batches twice, two logs, dates, other keys. What one receipt
 * can't refuse is stated in its limits, and what the customer holds contradicts it where the page says so.
 */
const textOf = (value: unknown): string => JSON.stringify(value);
const carriers = ({ entries }: Story): number[] =>
  entries.flatMap((text, at) => (text.startsWith('orders|') ? [at] : []));
const lateAt = (story: Story, orders: number) =>
  new Log(story.entries, END).receipt(story.order, { rules: [0], orders }, LATE);
const limitsOf = (receipt: unknown): readonly string[] => {
  const verdict = verify(textOf(receipt), KEYS);
  return verdict.valid ? verdict.limits : [`refused by ${verdict.refusedBy}`];
};
/** What the customer gets soon after the acceptance: of the first checkpoint that covers the orders. */
function evidenceOf(story: Story): [evidence: string, accepted: string] {
  const place = carriers(story)[0] as number;
  const first = new Log(story.entries, END).upTo(place);
  return [textOf(first.evidence(story.order, place)), textOf(story.order.accepted)];
}

describe('a win that is voided afterwards', () => {
  test('as never logged: no form says so', () => {
    const story = tell();
    const receipt = lateAt(story, carriers(story)[0] as number);
    const entries = receipt.entries.filter(({ role }) => role !== 'orders');
    expect(checkOf(verify(textOf({ ...receipt, entries }), KEYS))).toBe('form');
  });

  test('as late, by the entry that carried it in time', () => {
    const story = tell();
    expect(checkOf(verify(textOf(lateAt(story, carriers(story)[0] as number)), KEYS))).toBe('logged');
  });

  test('as late, by a batch that is carried again: a number stands twice, and the customer holds the first', () => {
    const story = tell({
      more: [[OPENS + 520, ({ order }) => [ordersEntry(order, OPENS + 520)]]],
    });
    const receipt = lateAt(story, carriers(story)[1] as number);
    expect(limitsOf(receipt)).toContain('uniqueness');
    const held = evidenceOf(story);
    expect(verifyEvidence(...held, KEYS)).toMatchObject({ valid: true });
    expect(contradiction(textOf(receipt), ...held)).toBe('orders');
  });

  test('as never fixed: only whoever reads the log finds the fix, and the customer does not lose by it', () => {
    const story = tell({ more: unfixed(SETTLES).more ?? [] });
    const shown = { settling: [], waited: [story.entries.length - 1] };
    const verdict = judge(story, shown, { openPrice: null, settlePrice: null });
    expect(verdict.valid && verdict.limits).toContain('uniqueness');
  });

  test('as late, by an entry that is dated forward: no evidence of it holds before that time', () => {
    const story = tell({
      ordersMs: Infinity,
      more: [[START + 3_250, ({ order }) => [ordersEntry(order, DUE + 1)]]],
    });
    const [place] = carriers(story) as [number];
    const soon = new Log(story.entries.slice(0, place + 3), START + 4_000).evidence(story.order, place);
    const accepted = textOf(story.order.accepted);
    expect(verifyEvidence(textOf(soon), accepted, KEYS)).toMatchObject({ refusedBy: 'entries' });
    expect(limitsOf(lateAt(story, place))).toContain('uniqueness');
  });
});

describe('a batch', () => {
  const carried = (orders: (order: Order, timeMs: number) => string) => judge(tell({ orders }));
  test.each<[string, (order: Order, timeMs: number) => string, string]>([
    ['among others', (order, timeMs) => ordersEntry(order, timeMs, 1, 3), 'valid: profit null'],
    ['of another number', (order, timeMs) => ordersEntry(order, timeMs, 2, 3, 2), 'logged'],
    ['of too many batches', (order, timeMs) => field(4, '65537')(ordersEntry(order, timeMs)), 'form'],
    ['that is not there', (order, timeMs) => field(7, '0'.repeat(64))(ordersEntry(order, timeMs)), 'logged'],
  ])('%s', (_, made, expected) => {
    expect(checkOf(carried(made))).toBe(expected);
  });
});

describe('two logs', () => {
  /** The same order, whose receipt comes from a log that went another way from this time on. */
  const forked = (fromMs: number, outcome: Partial<Outcome> = {}) => {
    const kept = tell();
    const other = tell({
      price: (timeMs) => (timeMs < fromMs ? 110_000 + Math.floor((timeMs - START) / 1000) : 109_000),
      at: (timeMs, tick) => (timeMs < fromMs ? tick : tick.replaceAll('1.10000', '1.09000')),
    });
    const story = { entries: other.entries, order: kept.order };
    const { shown, outcome: own } = honest(story);
    const receipt = new Log(story.entries, END).receipt(story.order, shown, { ...own, ...outcome });
    return { kept, receipt };
  };
  test('that parted before the acceptance', () => {
    expect(checkOf(verify(textOf(forked(START).receipt), KEYS))).toBe('consistency');
  });
  test('that parted after it: only witnesses see it', () => {
    const { receipt } = forked(OPENS + 500, LOSS);
    expect(limitsOf(receipt)).toContain('witnesses');
  });
  test('with a batch elsewhere: the customer holds the other', () => {
    const kept = tell();
    const other = tell({ ordersMs: ACCEPTED + 550 });
    const { shown, outcome } = honest(other);
    const receipt = new Log(other.entries, END).receipt(kept.order, shown, outcome);
    expect(verify(textOf(receipt), KEYS).valid).toBe(true);
    expect(contradiction(textOf(receipt), ...evidenceOf(kept))).toBe('orders');
  });
  test('that parted between the acceptance and its orders: the customer holds another checkpoint', () => {
    const ordersMs = ACCEPTED + 650;
    const kept = tell({ ordersMs });
    const other = tell({
      ordersMs,
      at: (timeMs, tick) => (timeMs === START + 3_500 ? restart(9, timeMs, hashOf(RULES)) : tick),
    });
    const { shown, outcome } = honest(other);
    const receipt = new Log(other.entries, END).receipt(kept.order, shown, outcome);
    expect(verify(textOf(receipt), KEYS).valid).toBe(true);
    expect(contradiction(textOf(receipt), ...evidenceOf(kept))).toBe('checkpoint');
  });
  test('of which the receipt shows a later checkpoint than the customer holds', () => {
    const kept = tell();
    const { shown, outcome } = honest(kept);
    const log = new Log(kept.entries, END);
    const receipt = log.receipt(kept.order, { ...shown, held: log.held(shown.orders + 2) }, outcome);
    expect(verify(textOf(receipt), KEYS).valid).toBe(true);
    expect(contradiction(textOf(receipt), ...evidenceOf(kept))).toBe('checkpoint');
  });
  test('with an acceptance in the place of the one that the customer holds', () => {
    const kept = tell();
    const other = tell({ terms: { nonce: null } });
    const { shown, outcome } = honest(other);
    const receipt = new Log(other.entries, END).receipt(other.order, shown, outcome);
    expect(verify(textOf(receipt), KEYS).valid).toBe(true);
    expect(contradiction(textOf(receipt), ...evidenceOf(kept))).toBe('acceptance');
  });
  test('one of which the customer had seen', () => {
    const seen = tell().entries.slice(0, 5);
    expect(said(judge(tell({ terms: { seen } })))).toBe('valid: profit null');
    const strange = [...seen.slice(0, 4), 'audit|4|1|x'];
    expect(checkOf(judge(tell({ terms: { seen: strange } })))).toBe('seen');
    const unsaid = tell({ terms: { seen, lines: { 17: '', 18: '' } } });
    expect(checkOf(judge(unsaid))).toBe('seen');
  });
});

describe('dates', () => {
  test('a checkpoint older than what it covers', () => {
    const story = tell();
    const { shown, outcome } = honest(story);
    const receipt = new Log(story.entries, SETTLES - 1).receipt(story.order, shown, outcome);
    expect(checkOf(verify(textOf(receipt), KEYS))).toBe('entries');
  });
  test('an acceptance that names an earlier log than that of its entry before', () => {
    const story = tell();
    const { shown, outcome } = honest(story);
    const receipt = new Log(story.entries, END).receipt(story.order, shown, outcome);
    const before = receipt.entries.findIndex(({ role }) => role === 'beforeAccept');
    const earlier = new Log(story.entries, END).receipt(
      { ...story.order, terms: { ...story.order.terms, logSize: 5 } },
      shown,
      outcome,
    );
    const entries = receipt.entries.with(before, earlier.entries[before] as (typeof receipt.entries)[0]);
    expect(checkOf(verify(textOf({ ...receipt, entries }), KEYS))).toBe('consistency');
  });
});

describe('what whoever reads the whole log finds', () => {
  const limits = (verdict: Verdict) => (verdict.valid ? verdict.limits : [said(verdict)]);

  test('rules that took effect at once', () => {
    const own = rulesEntry(2, SETTLES - 500, RULES, { quorum: 3 });
    const story = tell({
      more: [[SETTLES - 500, () => [own]]],
      ...editedAt(SETTLES, field(7, hashOf(own))),
    });
    expect(limits(judge(story))).toContain('uniqueness');
  });
  test('newer rules that neither the order nor its prices name', () => {
    const newer = rulesEntry(2, START + 1_000, RULES);
    expect(limits(judge(tell({ more: [[START + 500, () => [newer]]] })))).toContain('uniqueness');
  });
  test('two fixes of one time, of which the better for the house is shown', () => {
    const falling = (fix: string) => fix.replaceAll(/1\.1[0-9]{4}/g, '1.09000');
    const story = tell({ fix: (fixMs, fix) => (fixMs === SETTLES ? [fix, falling(fix)] : fix) });
    const second = placeOf(story, SETTLES) + 1;
    const verdict = judge(story, { settling: [second] }, { ...LOSS, settlePrice: '1.09000' });
    expect(limits(verdict)).toContain('uniqueness');
  });
  test('a close that is not shown', () => {
    const story = tell({
      price: () => 110_000,
      record: (fixMs, source, it) => {
        const opened = openAt(SETTLES)(fixMs, source, it);
        const own = typeof opened === 'string' ? it : opened;
        if (fixMs !== SETTLES) return own;
        return {
          ...own,
          price: { alpha: 109_980, beta: 109_990 }[source] ?? 110_010,
          number: own.number - 1,
        };
      },
      later: (_, __, it) => ({ ...it, price: 110_020 }),
    });
    expect(said(judge(story))).toBe('valid: profit null');
    const kept = { openPrice: priceOf(story, OPENS), settlePrice: priceOf(story, SETTLES) };
    const verdict = judge(story, { settling: [placeOf(story, SETTLES)] }, { ...LOSS, ...kept });
    expect(limits(verdict)).toContain('open');
  });
  test('orders that are dated back, between two fixes', () => {
    const story = tell({ ordersMs: OPENS + 300, orders: (order) => ordersEntry(order, DUE) });
    const held = new Log(story.entries, END).held(honest(story).shown.orders + 1, OPENS + 300);
    expect(limits(judge(story, { held }))).toContain('uniqueness');
  });
});

describe('what the customer asked for', () => {
  const agrees = (terms: Partial<Terms>, nonce = NONCE): boolean =>
    agreesWithAsked(tell({ terms }).order.text, nonce);
  test('stands in the acceptance', () => {
    expect(agrees({})).toBe(true);
    expect(agrees({ acceptedAt: ACCEPTED - 50, seen: [] })).toBe(true);
  });
  test.each<[string, Partial<Terms>]>([
    ['an opening time that the house moved', { lines: { 13: String(OPENS + 1_000) } }],
    ['another direction', { lines: { 6: 'down' } }],
    ['another cycle', { lines: { 7: '2' } }],
    ['a smaller amount', { lines: { 9: '100.00' } }],
    ['another symbol', { lines: { 5: 'GBP/USD' } }],
    ['another asset', { lines: { 8: 'USD' } }],
    ['another hash', { lines: { 4: '0'.repeat(64) } }],
    ['no hash', { nonce: null }],
    ["another's nonce", { nonce: '1'.repeat(32) }],
  ])('and not %s', (_, terms) => {
    expect(agrees(terms)).toBe(false);
  });
  test('and a receipt that moved the opening is valid by itself', () => {
    const moved = tell({
      terms: { opensAt: OPENS + 1_000, lines: { 4: tell().order.text.split('\n')[3] as string } },
    });
    expect(said(judge(moved))).toBe('valid: profit null');
    expect(agreesWithAsked(moved.order.text, NONCE)).toBe(false);
  });
  test.each([
    ['no opening time is named', null],
    ['one is, and nobody shows the nonce', NONCE],
  ])('is not known where %s', (_, nonce) => {
    const story = tell({ terms: { nonce } });
    const { shown, outcome } = honest(story);
    const receipt = new Log(story.entries, END).receipt(story.order, shown, outcome);
    expect(limitsOf(receipt)).toContain('instant');
  });
});

describe('witnesses', () => {
  const witness = new Witness('witness.example/1');
  const pinned = { ...KEYS, witnesses: [readWitness(witness.verifierKey)] };
  const story = tell();
  const { shown, outcome } = honest(story);
  const log = new Log(story.entries, END);
  /** The receipt with the held checkpoint of this time, cosigned at these seconds. */
  const judged = (heldMs: number, ...seconds: readonly (number | bigint)[]) => {
    const held = log.held(shown.orders + 1, heldMs);
    const checkpoint = seconds.reduce<string>((note, each) => witness.cosigned(note, each), held.checkpoint);
    const receipt = log.receipt(story.order, { ...shown, held: { ...held, checkpoint } }, outcome);
    return verify(textOf(receipt), pinned);
  };
  const [soon, second] = [START + 4_000, START / 1000];
  test.each<[string, Verdict, number]>([
    ['just before it opens', judged(soon, second + 5), 1],
    ['twice', judged(soon, second + 4, second + 5), 1],
    ['five seconds before the checkpoint', judged(soon, second - 1), 1],
    ['six seconds before the checkpoint', judged(soon, second - 2), 0],
    ['five seconds before the checkpoint, and a millisecond', judged(soon + 1, second - 1), 0],
    ['after it opens', judged(soon, second + 6), 0],
    ['before it opens, and after', judged(soon, second + 4, second + 6), 1],
    ['after it opens, and before: the first line counts', judged(soon, second + 6, second + 4), 0],
    ['of a log six seconds behind its market', judged(soon, second + 10), 0],
    ['beyond every number of the page', judged(soon, 2n ** 64n - 1n), 0],
  ])('cosign the checkpoint over the orders: %s', (_, verdict, witnessedBefore) => {
    expect(verdict).toMatchObject({ valid: true, witnessedBefore, witnesses: 0 });
  });
  test('refuse the receipt by a line of another text', () => {
    const held = log.held(shown.orders + 1, soon);
    const stray = witness.cosigned(log.checkpoint(), second + 4).slice(log.checkpoint().length);
    const checkpoint = held.checkpoint + stray;
    const receipt = log.receipt(story.order, { ...shown, held: { ...held, checkpoint } }, outcome);
    expect(checkOf(verify(textOf(receipt), pinned))).toBe('held');
    expect(checkOf(verify(textOf(receipt), KEYS))).toBe('valid: profit null');
  });
});
