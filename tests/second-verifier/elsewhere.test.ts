import { describe, expect, test } from 'vitest';
import { checkOf, field, judge, LOSS, placeOf, said } from './fraud.ts';
import {
  hashOf,
  KEYS,
  Log,
  type Order,
  type Outcome,
  ordersEntry,
  rulesEntry,
  type Shown,
  voided,
} from './house.ts';
import { ACCEPTED, END, FROM, honest, OPENS, RULES, SETTLES, START, type Story, tell } from './story.ts';
import { contradiction, verify, verifyLogged } from './verify.ts';

/**
 * What a dishonest house can do beside the entries that a receipt shows: batches twice, two logs, dates, other keys. What one receipt
 * can't refuse is stated in its limits, and what the customer holds contradicts it where the page says so.
 */
const textOf = (value: unknown): string => JSON.stringify(value);
const carriers = ({ entries }: Story): number[] =>
  entries.flatMap((text, at) => (text.startsWith('orders|') ? [at] : []));
const lateAt = (story: Story, orders: number) =>
  new Log(story.entries, END).receipt(story.order, { rules: [0], orders }, voided('not_logged'));
const limitsOf = (receipt: unknown): readonly string[] => {
  const verdict = verify(textOf(receipt), KEYS);
  return verdict.valid ? verdict.limits : [`refused by ${verdict.refusedBy}`];
};
function evidenceOf(story: Story): [evidence: string, accepted: string] {
  const evidence = new Log(story.entries, END).evidence(story.order, carriers(story)[0] as number);
  return [textOf(evidence), textOf(story.order.accepted)];
}

const loggedCheckOf = (verdict: ReturnType<typeof verifyLogged>): string =>
  verdict.valid ? 'valid' : verdict.refusedBy;

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
      before: (timeMs, { order }) => (timeMs === OPENS + 500 ? [ordersEntry(order, timeMs)] : []),
    });
    const receipt = lateAt(story, carriers(story)[1] as number);
    expect(limitsOf(receipt)).toContain('uniqueness');
    const held = evidenceOf(story);
    expect(verifyLogged(...held, RULES, KEYS)).toMatchObject({ valid: true });
    expect(contradiction(textOf(receipt), ...held)).toBe('orders');
  });

  test('as late, by an entry that is dated forward: no evidence of it holds before that time', () => {
    const story = tell({
      ordersMs: Infinity,
      before: (timeMs, { order }) => (timeMs === START + 3_250 ? [ordersEntry(order, FROM + 1)] : []),
    });
    const [place] = carriers(story) as [number];
    const soon = new Log(story.entries.slice(0, place + 3), START + 3_500).evidence(story.order, place);
    const accepted = textOf(story.order.accepted);
    expect(loggedCheckOf(verifyLogged(textOf(soon), accepted, RULES, KEYS))).toBe('entries');
    expect(limitsOf(lateAt(story, place))).toContain('uniqueness');
  });
});

describe('a batch', () => {
  const carried = (made: (order: Order, timeMs: number) => string) =>
    judge(
      tell({
        ordersMs: Infinity,
        before: (timeMs, { order }) => (timeMs === START + 3_250 ? [made(order, timeMs)] : []),
      }),
    );
  test.each<[string, (order: Order, timeMs: number) => string, string]>([
    ['among others', (order, timeMs) => ordersEntry(order, timeMs, 1, 3), 'valid: profit null'],
    ['of another number', (order, timeMs) => ordersEntry(order, timeMs, 2, 3, 2), 'logged'],
    ['of too many batches', (order, timeMs) => field(4, '65537')(ordersEntry(order, timeMs)), 'form'],
    ['that is not there', (order, timeMs) => field(5, '0'.repeat(64))(ordersEntry(order, timeMs)), 'logged'],
    ['dated before the acceptance', (order) => ordersEntry(order, ACCEPTED - 50), 'logged'],
  ])('%s', (_, made, expected) => {
    expect(checkOf(carried(made))).toBe(expected);
  });

  test('that was late, and is dated back', () => {
    const story = tell({
      ordersMs: Infinity,
      before: (timeMs, { order }) => (timeMs === OPENS + 250 ? [ordersEntry(order, FROM - 10)] : []),
    });
    expect(checkOf(judge(story, { orders: carriers(story)[0] as number }))).toBe('entries');
  });
});

describe('two logs', () => {
  /** The same order, whose receipt comes from a log that went another way from this time on. */
  const forked = (fromMs: number, outcome: Partial<Outcome> = {}) => {
    const kept = tell();
    const other = tell({
      price: (timeMs) => (timeMs < fromMs ? 110_000 + Math.floor((timeMs - START) / 1000) : 109_000),
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
    const { receipt } = forked(OPENS + 250, LOSS);
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
  test('one of which the customer had seen', () => {
    const seen = tell().entries.slice(0, 5);
    expect(said(judge(tell({ terms: { seen } })))).toBe('valid: profit null');
    const strange = [...seen.slice(0, 4), 'audit|3|1|x'];
    expect(checkOf(judge(tell({ terms: { seen: strange } })))).toBe('seen');
    const unsaid = tell({ terms: { seen, lines: { 16: '', 17: '' } } });
    expect(checkOf(judge(unsaid))).toBe('seen');
  });
});

describe('dates', () => {
  test('an acceptance dated back', () => {
    const back = ACCEPTED - 900;
    expect(checkOf(judge(tell({ terms: { acceptedAt: back } })))).toBe('consistency');
  });
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
  const changed = (entry: string, atMs: number) => (timeMs: number, _n: number, tick: string) =>
    timeMs >= atMs ? field(6, hashOf(entry))(tick) : tick;
  const judged = (story: Story, shown: Partial<Shown> = {}) => judge(story, shown);

  test('rules that took effect at once', () => {
    const own = rulesEntry(2, SETTLES - 500, RULES, { quorum: 3 });
    const story = tell({
      before: (timeMs) => (timeMs === SETTLES - 500 ? [own] : []),
      at: changed(own, SETTLES - 500),
    });
    const verdict = judged(story, { rules: [0, story.entries.indexOf(own)] });
    expect(verdict.valid && verdict.limits).toContain('uniqueness');
  });
  test('newer rules that neither the order nor its prices name', () => {
    const newer = rulesEntry(2, START + 1_000, RULES);
    const story = tell({ at: (timeMs, _n, tick) => (timeMs === START + 500 ? [tick, newer] : tick) });
    const verdict = judged(story);
    expect(verdict.valid && verdict.limits).toContain('uniqueness');
  });
  test('two ticks of one number, of which the better for the house is shown', () => {
    const falling = (tick: string) => tick.replaceAll(/1\.1[0-9]{4}/g, '1.09000');
    const story = tell({ at: (timeMs, _n, tick) => (timeMs === SETTLES ? [tick, falling(tick)] : tick) });
    const second = placeOf(story, SETTLES) + 1;
    const verdict = judge(story, { settling: [second] }, { ...LOSS, settlePrice: '1.09000' });
    expect(verdict.valid && verdict.limits).toContain('uniqueness');
  });
});
