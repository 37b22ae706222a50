/** The frauds that a receipt can show, each played by a house that signs it with its own keys. */
import { describe, expect, test } from 'vitest';
import { leafHash, rootOf, toHex, verifyReceipt } from '../src/index.ts';
import { faultOf, judge, withEntries } from './judging.ts';
import {
  ACCEPTED_MS,
  AT,
  agreed,
  gap,
  RULES,
  receiptOf,
  STRANGERS_KEY,
  type Story,
  story,
  TERMS,
  TRUSTED,
  tick,
} from './story.ts';

const won = story('won');
const lost = story('lost');
/** The story with other places shown under some roles. */
const showing = (of: Story, places: readonly (readonly [string, number])[]): Story => ({
  ...of,
  shown: places as Story['shown'],
});

describe('frauds that a house signs with its own keys', () => {
  test('another tick chosen at the opening', () => {
    const later = agreed(44, AT.open + 500, '1.08449');
    const base = { ...won, log: won.log.with(9, later) };
    const without = showing(base, [...won.shown.slice(0, 5), ['open', 9], ...won.shown.slice(6)]);
    expect(faultOf(receiptOf(without))).toBe('opening: between 7 and 9 the numbers do not follow');
    const all = [...won.shown.slice(0, 5), ['beforeOpen', 8], ['open', 9], ...won.shown.slice(6)] as const;
    expect(faultOf(receiptOf(showing(base, all)))).toBe(
      'opening: the opening tick is not the first that may open the order',
    );
    const early = showing(won, [...won.shown.slice(0, 4), ['open', 7], ...won.shown.slice(6)]);
    expect(faultOf(receiptOf(early))).toBe(
      'opening: the opening tick is not the first that may open the order',
    );
  });

  test('another tick chosen at the settlement', () => {
    const places = [
      ...won.shown.slice(0, 6),
      ['beforeSettle', 8],
      ['settle', 10],
      ['afterSettle', 12],
    ] as const;
    const base = withEntries(won, {
      10: agreed(44, AT.settles - 750, '1.08440'),
      12: agreed(45, AT.settles, '1.08451'),
    });
    expect(faultOf(receiptOf(showing(base, places)))).toBe(
      'settlement: the settlement tick is not the last at or before the settlement time',
    );
    const whole = withEntries(base, { 14: agreed(46, AT.settles + 500, '1.08460') });
    expect(faultOf(receiptOf(showing(whole, [...places, ['afterSettle', 14]])))).toBe(
      'settlement: the settlement tick is not the last at or before the settlement time',
    );
    const late = [
      ...won.shown.slice(0, 6),
      ['beforeSettle', 12],
      ['settle', 14],
      ['afterSettle', 16],
    ] as const;
    const more = { ...won, log: [...won.log, agreed(93, AT.settles + 1_000, '1.08470')] };
    expect(faultOf(receiptOf(showing(more, late)))).toBe(
      'settlement: the settlement tick is later than the settlement time',
    );
  });

  test('a tick left out, or one inserted', () => {
    const left = withEntries(won, { 14: agreed(93, AT.settles + 500, '1.08460') });
    expect(faultOf(receiptOf(left))).toBe('settlement: between 12 and 14 the numbers do not follow');
    const inserted = withEntries(won, { 12: agreed(90, AT.settles, '1.08451') });
    expect(faultOf(receiptOf(inserted))).toBe('settlement: between 10 and 12 the numbers do not follow');
  });

  test('a number used twice within what is shown', () => {
    const twice = withEntries(won, {
      10: agreed(42, AT.settles - 750, '1.08440'),
      12: agreed(43, AT.settles, '1.08451'),
      14: agreed(44, AT.settles + 500, '1.08460'),
    });
    expect(faultOf(receiptOf(twice))).toBe('settlement: the entries at 7 and 10 are not of one series');
  });

  test('a tick changed after the order was accepted', () => {
    const receipt = receiptOf(won);
    const changed = receiptOf({
      ...withEntries(won, { 2: agreed(40, AT.before - 250, '1.08391') }),
      terms: { logRoot: receipt.consistency.fromRoot, seenRoot: receipt.seen?.fromRoot ?? '' },
    });
    expect(faultOf(changed)).toBe(
      'consistency: the log of the acceptance is not the beginning of the log of the checkpoint',
    );
  });

  test('a log changed since this device saw its signature', () => {
    const kept = judge(receiptOf(won)).shown?.checkpoint ?? undefined;
    const changed = receiptOf(withEntries(won, { 9: agreed(44, AT.open + 250, '1.08430') }));
    const report = verifyReceipt(changed, { keys: TRUSTED, ...(kept ? { kept: { checkpoint: kept } } : {}) });
    expect(report.steps.find(({ state }) => state === 'refuted')?.fault).toBe(
      'this device has seen another log of this size',
    );
  });

  test('a fork shown to one customer', () => {
    const other = won.log.slice(0, 3).map((text) => leafHash(`${text} `));
    const receipt = receiptOf({ ...won, terms: { seenRoot: toHex(rootOf(other)) } });
    expect(faultOf(receipt)).toBe('seen: the customer had seen another log than the acceptance names');
  });

  test('a restated price passed off as new, and a new one as restated', () => {
    const quotes = [
      ['a', '1.08440', AT.settles - 1_000],
      ['b', '1.08440', AT.settles - 1_000],
      ['c', '1.08440', AT.settles - 1_000],
    ] as const;
    const at = { n: 91, timeMs: AT.settles };
    const outcome = { ...won.outcome, settlePrice: '1.08440' };
    const restated = { ...withEntries(won, { 12: tick(at, '1.08440', quotes, 'same') }), outcome };
    expect(faultOf(receiptOf(restated))).toBe('valid');
    const claimed = { ...withEntries(won, { 12: tick(at, '1.08440', quotes, 'new') }), outcome };
    expect(faultOf(receiptOf(claimed))).toBe('prices: the tick at 12: it repeats a price but says new');
    const fresh = [['a', '1.08440', AT.settles - 10], ...quotes.slice(1)] as const;
    const denied = { ...withEntries(won, { 12: tick(at, '1.08440', fresh, 'same') }), outcome };
    expect(faultOf(receiptOf(denied))).toBe('prices: the tick at 12: it is new but says the same');
  });

  test('an even median taken from the other side', () => {
    const quotes = ['1.08420', '1.08424', '1.08436', '1.08440'].map(
      (price, place) => ['abcd'.charAt(place), price, AT.settles - 20] as const,
    );
    const at = { n: 91, timeMs: AT.settles };
    const told = (price: string, base: Story): Story => ({
      ...withEntries(base, { 12: tick(at, price, quotes) }),
      outcome: { ...base.outcome, settlePrice: price },
    });
    // The price before it is 1.08440: the middle one nearer to it counts.
    expect(faultOf(receiptOf(told('1.08436', won)))).toBe('valid');
    expect(faultOf(receiptOf(told('1.08424', lost)))).toBe(
      'prices: the tick at 12: its price is not what the rule makes of its quotes',
    );
  });

  test('a quote set aside that counts, a source that is none, too few of them', () => {
    const at = { n: 91, timeMs: AT.settles };
    const since = AT.settles - 20;
    const faulty = (quotes: Parameters<typeof tick>[2]) =>
      faultOf(receiptOf(withEntries(won, { 12: tick(at, '1.08451', quotes) })));
    const two = [
      ['a', '1.08451', since],
      ['b', '1.08451', since],
    ] as const;
    expect(faulty([...two, ['c', '1.08401', since, 'outlier']])).toBe(
      'prices: the tick at 12: a quote was judged against the rule',
    );
    expect(faulty([...two, ['z', '1.08451', since]])).toBe(
      'prices: the tick at 12: a source is none of the product’s',
    );
    expect(faulty([['a', '1.08451', since]])).toBe(
      'prices: the tick at 12: there were too few sources for a price',
    );
  });

  test('a backdated rule, one not in force, one of another product', () => {
    const rule = (effectiveMs: number, rules: object = RULES) =>
      `rules|1|example/EUR/USD|${effectiveMs}|${JSON.stringify(rules)}`;
    const kinder = { ...RULES, cycles: [{ minutes: 1, payoutRate: '0.7' }] };
    const after = rule(1_779_990_000_000, kinder);
    const backdated: Story = {
      ...won,
      log: won.log.with(6, after),
      shown: [['rules', 0], ['rules', 6], ...won.shown.slice(1)],
      terms: { rulesHash: toHex(leafHash(after)), payoutRate: '0.7' },
      outcome: { ...won.outcome, payout: '170.000001' },
    };
    expect(faultOf(receiptOf(backdated))).toBe('rules: the rules were logged after the order was accepted');
    const early = rule(ACCEPTED_MS + 1, kinder);
    const notYet: Story = {
      ...backdated,
      log: won.log.with(1, early),
      shown: [['rules', 0], ['rules', 1], ...won.shown.slice(1)],
    };
    const terms = { rulesHash: toHex(leafHash(early)), payoutRate: '0.7' };
    expect(faultOf(receiptOf({ ...notYet, terms }))).toBe('rules: the rules were not in force yet');
    const another = rule(1_779_990_000_000, { ...RULES, symbol: 'GBP/USD' });
    expect(faultOf(receiptOf(withEntries(won, { 0: another })))).toMatch(
      /^form: the rules at 0 name two products/,
    );
  });

  test('a payout for one customer, in the terms or in the outcome', () => {
    const terms = { payoutRate: '0.81' };
    const outcome = { ...won.outcome, payout: '181.000001' };
    expect(faultOf(receiptOf({ ...won, terms, outcome }))).toBe(
      'rules: the payout rate is not that of the rules',
    );
    expect(faultOf(receiptOf({ ...won, outcome }))).toBe(
      'outcome: the payout is 181.000001 where the rules make it 180.000001',
    );
    expect(faultOf(receiptOf({ ...won, outcome: { ...won.outcome, payout: '180.000000' } }))).toMatch(
      /^outcome:/,
    );
  });

  test('an acceptance backdated, postdated, or with an old log', () => {
    const accepted = (acceptedAt: number) => ({
      acceptedAt,
      settlesAt: Math.ceil((acceptedAt + 60_000) / 1000) * 1000,
    });
    expect(faultOf(receiptOf({ ...won, terms: accepted(AT.before - 1) }))).toBe(
      'consistency: the acceptance says an earlier time than the log that it names had reached',
    );
    expect(faultOf(receiptOf({ ...won, terms: accepted(AT.logged + 1) }))).toBe(
      'logged: the orders entry is older than the acceptance',
    );
    const old: Story = {
      ...won,
      shown: [won.shown[0] as Story['shown'][number], ['beforeAccept', 3], ...won.shown.slice(2)],
    };
    const seenRoot = toHex(rootOf(won.log.slice(0, 5).map((text) => leafHash(text))));
    expect(faultOf(receiptOf({ ...old, terms: { logSize: 4 } }))).toBe('valid');
    const seen = { seenSize: 5, seenRoot };
    expect(faultOf(receiptOf({ ...old, terms: { logSize: 4, ...seen } }))).toBe(
      'seen: the acceptance names an older log than the customer had seen',
    );
    const settles = { settlesAt: TERMS.settlesAt + 1_000 };
    expect(faultOf(receiptOf({ ...won, terms: settles }))).toBe(
      'rules: the settlement time is not acceptance plus cycle',
    );
  });

  test('an order said to be late, lost or void that was not', () => {
    const late = showing({ ...won, outcome: story('void, logged too late').outcome }, won.shown.slice(0, 3));
    expect(faultOf(receiptOf(late))).toBe('logged: the orders entry came in time');
    const early = receiptOf({ ...won, loggedMs: AT.logged + 2_250 });
    expect(faultOf(early)).toBe('logged: the orders entry came too late, which voids the order');
    const denied = story('void, never logged');
    const head = [...denied.shown.slice(0, 2), ['head', 5]] as const;
    expect(faultOf(receiptOf(showing(denied, head)))).toBe(
      'logged: the log had not passed the two seconds in which the acceptance has to be logged',
    );
    const stopped = story('void, a gap before it opened');
    const price = withEntries(stopped, { 8: agreed(43, AT.early + 250, '1.08420') });
    expect(faultOf(receiptOf(price))).toBe('opening: nothing shown kept the order from opening');
    const kept = { acceptanceText: receiptOf(lost).acceptance.text.replace('\nup\n', '\ndown\n') };
    const report = verifyReceipt(receiptOf(lost), { keys: TRUSTED, kept });
    expect(report.steps.find(({ state }) => state === 'refuted')?.id).toBe('kept');
  });

  test('a gap hidden before the settlement time, and a price behind it', () => {
    const away = story('void, prices stopped before they settled it and are still away');
    const hidden = withEntries(away, { 12: gap(93, AT.settles - 500) });
    expect(faultOf(receiptOf(hidden))).toBe('settlement: between 11 and 12 the numbers do not follow');
    const back = withEntries(away, { 13: agreed(93, AT.settles - 250, '1.08460') });
    const shown = [...away.shown.slice(0, -1), ['afterSettle', 13]] as const;
    expect(faultOf(receiptOf(showing(back, shown)))).toMatch(
      /^settlement: the settlement tick is not the last/,
    );
  });

  test('keys of somebody else, or one key for both', () => {
    const strange = { ...won, checkpointKey: STRANGERS_KEY.signerKey };
    expect(faultOf(receiptOf(strange))).toBe(
      'checkpoint: the checkpoint is not signed by a key that is trusted',
    );
    expect(faultOf(receiptOf({ ...won, acceptancesKey: STRANGERS_KEY.signerKey }))).toBe(
      'acceptance: the batch of acceptances is not signed by a key that is trusted',
    );
    expect(faultOf(receiptOf(won), { ...TRUSTED, log: TRUSTED.acceptances })).toMatch(/^checkpoint:/);
    expect(faultOf(receiptOf(won), { ...TRUSTED, acceptances: TRUSTED.log })).toMatch(/^acceptance:/);
  });
});
