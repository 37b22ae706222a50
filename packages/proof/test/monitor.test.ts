/** The frauds that a monitor finds in a signed log, without any customer's receipt. */
import { describe, expect, test } from 'vitest';
import {
  formatKeyEntry,
  generateNoteKey,
  lookOnce,
  type NoteSigner,
  nobleSigner,
  ProofDenied,
  ServerTrouble,
  sha256,
  toHex,
} from '../src/index.ts';
import { at, begin, faultIn, faultOf, hash, LOG, orders, price, START_MS, second } from './monitoring.ts';
import { ShownLog } from './shown-log.ts';
import { agreed, gap, LOG_KEY, ORIGIN, RULES_ENTRY, rules, SIGNED_MS, STRANGERS_KEY, tick } from './story.ts';

describe('a correct log', () => {
  test('is followed from its first entry, over gaps, orders, halts and new rules', async () => {
    const later = second(at(22) + 60_000, { delayMs: 3000 });
    const texts = [
      ...LOG,
      orders(10, 1, 3),
      gap(10, at(10)),
      price(11, 20),
      tick({ n: 12, timeMs: at(22) }, '1.08410', [
        ['a', '1.08410', at(20) - 30],
        ['b', '1.08410', at(20) - 20],
        ['c', '1.08410', at(20) - 10],
        ['d', '1.08410', at(20) - 10],
      ]),
      orders(22, 4),
      later,
      `halt|4|1|${at(22)}|on|a source is at fault`,
      `halt|4|2|${at(30)}|off|`,
      agreed(13, at(22) + 60_000, '1.08410', hash(later)),
      `seed|4|2026-06-01|commit|${toHex(sha256(Buffer.from('12'.repeat(32), 'hex')))}`,
      `seed|4|2026-06-01|reveal|${'12'.repeat(32)}`,
      `audit|4|${at(22)}|${'0'.repeat(64)}|${'1'.repeat(64)}`,
      `liabilities|4|2026-06-01|${at(1)}|USDT|10.000000|${'2'.repeat(64)}|${'3'.repeat(64)}`,
    ];
    expect(await faultOf(texts)).toBe(null);
    // The result is the same in one look, one entry at a time, or from a later start.
    const growing = new ShownLog([]);
    const state = await begin(growing);
    for (const text of texts) {
      growing.texts.push(text);
      expect(await faultIn(growing, JSON.parse(JSON.stringify(state)))).toBe(null);
      await lookOnce(growing, state);
    }
    const late = await begin(new ShownLog(texts.slice(0, 5)), true);
    expect(late.size).toBe(5);
    expect(await faultIn(new ShownLog(texts), late)).toBe(null);
    expect(late.size).toBe(texts.length);
    expect(late.judge.unjudged).toBeGreaterThan(0);
  });

  test('of many bundles is read in parts that are kept one by one', async () => {
    const many = [RULES_ENTRY, ...Array.from({ length: 700 }, (_, n) => price(n + 1, n + 1, '1.08400'))];
    const source = new ShownLog(many);
    const state = await begin(source);
    const kept: number[] = [];
    await lookOnce(source, state, { keep: ({ size }) => kept.push(size) });
    expect(kept.at(-1)).toBe(701);
    const now = await begin(source, true);
    expect(now.root).toBe(state.root);
  });
});

describe('faults in entries', () => {
  test('a tick left out, inserted, or with a repeated number is found', async () => {
    expect(await faultOf(LOG.toSpliced(5, 1))).toMatch(
      /EUR\/USD has number 6 where 5 is next: 1 numbers after/,
    );
    expect(await faultOf(LOG.toSpliced(5, 0, price(4)))).toMatch(
      /has number 4 where 5 is next: a number that was used before/,
    );
    expect(await faultOf(LOG.toSpliced(5, 0, price(5)))).toMatch(/entry 6 .* used before/);
    expect(await faultOf([RULES_ENTRY, price(2)])).toMatch(/left out/);
  });

  test('a time that falls, stands still or is off the grid is found', async () => {
    expect(await faultOf([...LOG, price(10, 8)])).toMatch(/older than an entry before it/);
    expect(await faultOf([...LOG, price(10, 9)])).toMatch(/of this time or a later one already/);
    expect(await faultOf([...LOG, agreed(10, at(10) + 1, '1.08410')])).toMatch(/not on the grid/);
    expect(await faultOf([...LOG, gap(10, at(10) + 1)])).toMatch(/not on the grid/);
    expect(await faultOf([...LOG, orders(3, 1)])).toMatch(/older than an entry before it/);
    expect(await faultOf([...LOG, `halt|4|1|${at(3)}|on|x`])).toMatch(/older than an entry before it/);
  });

  test('a bogus price is found, also in the first tick and on the wrong side of an even median', async () => {
    const next = { n: 10, timeMs: at(10) };
    const even = (['1.08400', '1.08404', '1.08417', '1.08420'] as const).map(
      (text, place) => ['abcd'.charAt(place), text, at(10) - 20] as const,
    );
    expect(await faultOf([...LOG, tick(next, '1.08410', even)])).toBe(null);
    expect(await faultOf([...LOG, tick(next, '1.08411', even)])).toMatch(/not what the rule makes/);
    expect(await faultOf([RULES_ENTRY, tick({ n: 1, timeMs: at(10) }, '1.09000', even)])).toMatch(
      /entry 1 of the log: its price is not what the rule makes/,
    );
    const set = [...even.slice(0, 3), ['d', '1.08420', at(10) - 20, 'outlier']] as const;
    expect(await faultOf([...LOG, tick(next, '1.08404', set)])).toMatch(/judged against the rule/);
    const old = even.map(([source, text]) => [source, text, at(10) - 10_250, 'stale'] as const);
    expect(await faultOf([RULES_ENTRY, tick({ ...next, n: 1 }, '1.08410', old)])).toMatch(/too few sources/);
    expect(await faultOf([...LOG, gap(10, at(10), 'quorum', even)])).toMatch(/enough sources for a price/);
  });

  test('a source left out, or of its own, is found', async () => {
    const next = { n: 10, timeMs: at(10) };
    const all = ['a', 'b', 'c', 'd'].map((source) => [source, '1.08410', at(10) - 20] as const);
    expect(await faultOf([...LOG, tick(next, '1.08410', all.slice(0, 3))])).toMatch(/not exactly those/);
    const own = [...all.slice(0, 3), ['own', '1.08410', at(10)]] as const;
    expect(await faultOf([...LOG, tick(next, '1.08410', own)])).toMatch(/not exactly those of the rules/);
  });

  test('rules out of order, without notice or of another product are found', async () => {
    expect(await faultOf([...LOG, second(at(9) + 59_999)])).toMatch(/sooner than the longest cycle/);
    expect(await faultOf([...LOG, second(START_MS - 1)])).toMatch(/sooner than the longest cycle/);
    const soon = second(at(9) + 60_000);
    const under = (time: number, name = soon) => agreed(10, time, '1.08410', hash(name));
    expect(await faultOf([...LOG, soon])).toBe(null);
    expect(await faultOf([...LOG, soon, under(at(10))])).toMatch(/not in force yet/);
    expect(await faultOf([...LOG, soon, under(at(9) + 60_000)])).toBe(null);
    expect(await faultOf([...LOG, soon, under(at(9) + 60_000, RULES_ENTRY)])).toMatch(/superseded/);
    expect(await faultOf([...LOG, under(at(10))])).toMatch(/were not logged before it/);
    expect(await faultOf([...LOG, second(at(9) + 60_000, { symbol: 'GBP/USD' })])).toMatch(/two products/);
    expect(await faultOf([...LOG, RULES_ENTRY])).toMatch(/rules 1 of EUR\/USD stand where 2 are next/);
    expect(await faultOf([...LOG, second(at(9) + 60_000, {}, 'ab'.repeat(32))])).toMatch(
      /other rules before/,
    );
    const third = rules(3, at(9) + 60_000, hash(soon));
    expect(await faultOf([...LOG, soon, third])).toMatch(/no later than those before/);
    expect(await faultOf([...LOG, third])).toMatch(/rules 3 of EUR\/USD stand where 2 are next/);
    // A longer cycle of earlier rules still holds for the orders that were accepted under them.
    const long = second(at(9) + 60_000, { cycles: [{ minutes: 5, payoutRate: '0.8' }] });
    expect(await faultOf([...LOG, long, rules(3, at(9) + 299_999, hash(long))])).toMatch(/sooner/);
    expect(await faultOf([...LOG, long, rules(3, at(9) + 300_000, hash(long))])).toBe(null);
  });

  test('a seed without its commitment, heads that go back, liabilities logged twice and a tree that did not grow are found', async () => {
    const commit = `seed|4|2026-06-01|commit|${'0'.repeat(64)}`;
    expect(await faultOf([...LOG, commit, `seed|4|2026-06-01|reveal|${'12'.repeat(32)}`])).toMatch(
      /not the one/,
    );
    expect(await faultOf([...LOG, `seed|4|2026-06-01|reveal|${'12'.repeat(32)}`])).toMatch(
      /nothing committed/,
    );
    expect(await faultOf([...LOG, commit, commit])).toMatch(/second seed/);
    const heads = (ms: number) => `audit|4|${ms}|${'0'.repeat(64)}|${'1'.repeat(64)}`;
    expect(await faultOf([...LOG, heads(9), heads(8)])).toMatch(/older than the heads/);
    const owed = (day: number, total: string, ms = at(1)) =>
      `liabilities|4|2026-06-0${day}|${ms}|USDT|${total}|${'2'.repeat(64)}|${'3'.repeat(64)}`;
    expect(await faultOf([...LOG, owed(1, '1.0'), owed(2, '1.0')])).toBe(null);
    expect(await faultOf([...LOG, owed(1, '1.0'), owed(1, '2.0')])).toMatch(/stands in the log twice/);
    expect(await faultOf([...LOG, owed(1, '1.0'), owed(2, '2.0', at(0))])).toMatch(/out of order/);
    expect(await faultOf([...LOG, owed(1, '-1.0')])).toMatch(/grammar/);
    const addresses = (size: number, ms = at(1)) => `addresses|4|${ms}|${size}|${'4'.repeat(64)}`;
    expect(await faultOf([...LOG, addresses(1), addresses(3)])).toBe(null);
    expect(await faultOf([...LOG, addresses(3), addresses(3)])).toMatch(/has not grown/);
    expect(await faultOf([...LOG, addresses(3), addresses(4, at(0))])).toMatch(/has not grown/);
    expect(await faultOf([...LOG, addresses(0)])).toMatch(/grammar/);
  });

  test('states what is held of a token once a day', async () => {
    const holdings = (date: string, own = '') =>
      `holdings|4|${date}|${at(1)}|USDT|ethereum|1|0x${'da'.repeat(20)}|6|12|0x${'5'.repeat(64)}|7000000|${own}`;
    const own = `0x${'ab'.repeat(20)}:5:${'1'.repeat(130)}`;
    expect(await faultOf([...LOG, holdings('2026-11-01'), holdings('2026-11-02', own)])).toBe(null);
    expect(await faultOf([...LOG, holdings('2026-11-02'), holdings('2026-11-02')])).toMatch(/twice/);
    expect(await faultOf([...LOG, holdings('2026-11-02', `${own},${own}`)])).toMatch(/grammar/);
    expect(await faultOf([...LOG, 'tick|4|EUR/USD'])).toMatch(/grammar/);
    expect(await faultOf([...LOG, orders(10, 1).replace('|4|', '|3|')])).toMatch(/grammar/);
  });

  test('rules by which half of the sources make a price, or none is ever old enough not to count, are found', async () => {
    for (const change of [{ quorum: 2 }, { quietMs: 86_400_001 }])
      expect(await faultOf([rules(1, START_MS - 1, '0'.repeat(64), change)])).toMatch(/can not be read/);
  });
});

describe('faults in the growth of a log', () => {
  const followed = async () => {
    const source = new ShownLog(LOG);
    const state = await begin(source);
    await lookOnce(source, state);
    return { source, state };
  };
  const more = [...LOG, price(10)];

  test('entries changed, deleted or reordered after they were signed are found', async () => {
    for (const changed of [
      more.with(3, agreed(3, at(3), '1.08499')),
      more.toSpliced(3, 1),
      more.with(3, more[4] as string).with(4, more[3] as string),
    ]) {
      const { source, state } = await followed();
      source.texts = [...changed, agreed(11, at(11), '1.08410')];
      expect(await faultIn(source, state)).toMatch(/is not the beginning of the one of/);
    }
  });

  test('a changed log is found without any proof of the server, and a right one is followed without', async () => {
    const { source, state } = await followed();
    source.deniesProofs = true;
    source.texts = [...more, ...Array.from({ length: 60_000 }, (_, n) => orders(10, n + 1))];
    expect(await faultIn(source, state)).toBe(null);
    expect(state.size).toBe(60_011);
    // It reads on to the end once, not once for each stretch.
    expect(source.bundles).toBeLessThan(2.1 * (60_011 / 256));
    const other = await followed();
    other.source.deniesProofs = true;
    other.source.texts = more.with(3, agreed(3, at(3), '1.08499'));
    expect(await faultIn(other.source, other.state)).toMatch(/is not the beginning of the one of/);
  });

  test('a shorter log whose proof is denied twice is told apart from a fault that others can check', async () => {
    const { source, state } = await followed();
    source.deniesProofs = true;
    source.texts = LOG.slice(0, -2);
    expect(await faultIn(source, state)).toBe(null);
    await expect(lookOnce(source, state)).rejects.toThrow(ProofDenied);
    source.deniesProofs = false;
    source.texts = more;
    expect(await faultIn(source, state)).toBe(null);
    expect(state.denied).toBe(null);
  });

  test('a shorter log whose proof is denied is asked for again, also where a longer one is shown in between', async () => {
    const showShorterFork = async () => {
      const { source, state } = await followed();
      source.deniesProofs = true;
      source.texts = LOG.slice(0, -2).with(3, agreed(3, at(3), '1.08499'));
      expect(await faultIn(source, state)).toBe(null);
      source.texts = more;
      return { source, state };
    };
    const silent = await showShorterFork();
    await expect(lookOnce(silent.source, silent.state)).rejects.toThrow(ProofDenied);
    const answering = await showShorterFork();
    answering.source.deniesProofs = false;
    expect(await faultIn(answering.source, answering.state)).toMatch(/of 8 entries is not the beginning of/);
  });

  test('two signed logs of one size are found', async () => {
    const { source, state } = await followed();
    source.texts = LOG.with(9, agreed(9, at(9), '1.08499'));
    expect(await faultIn(source, state)).toMatch(/two logs of 10 entries were signed/);
  });

  test('a log that was cut off is found, also if it grew again afterwards', async () => {
    const { source, state } = await followed();
    source.shownSize = 8;
    // A process some seconds behind is no fault, as long as this does not last.
    for (let look = 0; look < 5; look += 1) expect(await faultIn(source, state)).toBe(null);
    expect(await faultIn(source, state)).toMatch(/was cut off: 8 entries where 10 had been signed/);
    const again = await followed();
    again.source.texts = [
      ...LOG.slice(0, -2),
      ...Array.from({ length: 4 }, (_, n) => agreed(8 + n, at(8 + n), '1.08500')),
    ];
    expect(await faultIn(again.source, again.state)).toMatch(/is not the beginning/);
  });

  test('a log served other than signed, or not signed by its key, is found', async () => {
    const { source, state } = await followed();
    source.texts = more;
    source.served = more.with(10, agreed(10, at(10), '1.08411'));
    expect(await faultIn(source, state)).toMatch(/not those that were signed/);
    const other = await followed();
    other.source.texts = more;
    other.source.signerKey = STRANGERS_KEY.signerKey;
    expect(await faultIn(other.source, other.state)).toMatch(/not signed by the key of the log/);
  });

  test('a checkpoint without its time, older than its entries or than one before it is found', async () => {
    const { source, state } = await followed();
    source.texts = more;
    source.timeMs = null;
    expect(await faultIn(source, state)).toMatch(/does not say its time/);
    source.timeMs = SIGNED_MS;
    expect(await faultIn(source, (await followed()).state)).toMatch(
      /earlier time than one with fewer entries/,
    );
    const early = new ShownLog(LOG);
    early.timeMs = at(9) - 1;
    expect(await faultIn(early)).toMatch(/earlier time than its newest entry/);
    early.timeMs = at(9);
    expect(await faultIn(early)).toBe(null);
  });

  test('an unreachable server is no fraud, and the monitor continues from its state afterwards', async () => {
    const { source, state } = await followed();
    source.isDown = true;
    source.texts = more;
    await expect(lookOnce(source, state)).rejects.toThrow(ServerTrouble);
    source.isDown = false;
    expect(await faultIn(source, state)).toBe(null);
    expect(state.size).toBe(11);
  });
});

describe('a new key', () => {
  const next = generateNoteKey(ORIGIN, new Uint8Array(32).fill(7));
  const entry = (by: string) => formatKeyEntry(at(9), next.verifierKey, nobleSigner(by) as NoteSigner);

  test('is followed after the old key’s hand-over, and the old key is refused from then on', async () => {
    const source = new ShownLog([...LOG, entry(LOG_KEY.signerKey)]);
    source.signerKey = next.signerKey;
    expect(await faultOf([])).toBe(null);
    expect(await faultIn(source)).toBe(null);
    const state = await begin(new ShownLog(LOG));
    await lookOnce(new ShownLog(LOG), state);
    expect(await faultIn(source, state)).toBe(null);
    source.signerKey = LOG_KEY.signerKey;
    source.texts.push(price(10));
    expect(await faultIn(source, state)).toMatch(/not signed by the key of the log/);
  });

  test('is refused if the old key did not sign the hand-over', async () => {
    const source = new ShownLog([...LOG, entry(STRANGERS_KEY.signerKey)]);
    expect(await faultIn(source)).toMatch(/a new key that the old one did not sign/);
    source.signerKey = next.signerKey;
    expect(await faultIn(source)).toMatch(/not signed by the key of the log/);
  });
});
