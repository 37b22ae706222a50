/**
 * False receipts made to pass, by an operator who holds the keys: not modified valid receipts, but whole logs written for the
 * fraud. Each is given to both verifiers: this package's, and a second one written only from the published specification.
 */
import { describe, expect, test } from 'vitest';
import { readKey } from '../../../tests/second-verifier/reading.ts';
import { verify } from '../../../tests/second-verifier/verify.ts';
import {
  formatCheckpoint,
  generateNoteKey,
  leafHash,
  type NoteSigner,
  type NoteVerifier,
  nobleSigner,
  nobleVerifier,
  parseReceipt,
  rootOf,
  signNote,
  timeExtension,
  toHex,
  verifyReceipt,
} from '../src/index.ts';
import {
  ACCEPTANCES_KEY,
  AT,
  agreed,
  gap,
  halfNew,
  LOG_KEY,
  ORIGIN,
  RULES,
  RULES_ENTRY,
  RULES_HASH,
  receiptOf,
  rules,
  SIGNED_MS,
  STRANGERS_KEY,
  type Story,
  story,
  TERMS,
  TRUSTED,
  withEntries,
} from './story.ts';

type Shown = Story['shown'];
const SECOND = { log: readKey(LOG_KEY.verifierKey), acceptances: readKey(ACCEPTANCES_KEY.verifierKey) };
const won = story('won');
const stopped = story('won, prices had stopped at the settlement time');
const late = story('void, logged too late');

/** The judgement of both verifiers; a string is taken as the file's text. */
function judgement(receipt: unknown): string {
  const text = typeof receipt === 'string' ? receipt : JSON.stringify(receipt);
  const report = verifyReceipt(parseReceipt(text), { keys: TRUSTED });
  const second = verify(text, SECOND);
  const first = report.isValid ? 'valid' : (report.steps.find(({ state }) => state === 'refuted')?.id ?? '');
  return `${first} ${second.valid ? 'valid' : second.refusedBy}`;
}

/** Both verifiers refuse it, at the given step. */
const refused = (receipt: unknown, step: string): void => expect(judgement(receipt)).toBe(`${step} ${step}`);
const valid = (receipt: unknown): void => expect(judgement(receipt)).toBe('valid valid');

/** The story with another settlement tick, which its outcome also names. */
const settledBy = (entry: string, price = '1.08451'): Story => ({
  ...withEntries(won, { 15: entry }),
  outcome: { ...won.outcome, settlePrice: price },
});
const SETTLING = agreed(91, AT.settles, '1.08451');

describe('entries shown for what they are not', () => {
  test('a tick of another product is refused at the opening, at the settlement and in between', () => {
    const foreign = SETTLING.replace('EUR/USD', 'GBP/USD');
    refused(receiptOf(settledBy(foreign)), 'settlement');
    refused(
      receiptOf(withEntries(won, { 11: (won.log[11] as string).replace('EUR/USD', 'EUR/USDT') })),
      'opening',
    );
    refused(
      receiptOf(withEntries(won, { 10: halfNew(46, AT.early, '1.08410').replace('EUR', 'GBP') })),
      'opening',
    );
  });

  test('an entry of a kind that is not judged is refused in place of a tick', () => {
    for (const entry of [
      `audit|3|1|${RULES_HASH}|${RULES_HASH}`,
      'key|3|1|a|b',
      `seed|3|2026-01-01|commit|${RULES_HASH}`,
      `halt|3|1|${AT.early}|on|x`,
      'tick|3|EUR/USD',
      (won.log[10] as string).replace('tick|3|', 'tick|2|'),
    ])
      refused(receiptOf(withEntries(won, { 10: entry })), 'form');
  });

  test('before the acceptance stands an entry of a kind that has a time, of any product', () => {
    const before = (entry: string) => receiptOf(withEntries(late, { 4: entry }));
    const [timeMs, root] = [AT.before, RULES_HASH];
    for (const entry of [
      `halt|3|1|${timeMs}|on|the cause`,
      `halt|3|2|${timeMs}|off|`,
      gap(41, timeMs),
      agreed(1, timeMs, '1.27000').replace('EUR/USD', 'GBP/USD'),
      `orders|3|${timeMs}|3|4|${timeMs - 5}|${timeMs}|${root}`,
      `orders|3|${timeMs}|4|4|${timeMs}|${timeMs}|${root}`,
    ])
      valid(before(entry));
    refused(before(`halt|3|1|${AT.logged}|on|the cause`), 'consistency');
    for (const entry of [
      `seed|3|2026-01-01|reveal|${root}`,
      'key|3|1|a|b',
      RULES_ENTRY.replace('|1|', '|2|').replace('0'.repeat(64), RULES_HASH),
      'seeds|3|x',
      'halt|3|1|5|on|',
      'halt|3|1|5|off|x',
      'halt|3|0|5|on|x',
      `orders|3|${timeMs}|4|3|${timeMs}|${timeMs}|${root}`,
      `orders|3|${timeMs}|0|1|${timeMs}|${timeMs}|${root}`,
      `orders|3|${timeMs}|3|4|${timeMs}|${timeMs - 1}|${root}`,
      `orders|3|${timeMs}|3|4|${timeMs}|${timeMs + 1}|${root}`,
      `orders|3|${timeMs}|4|4|${timeMs - 1}|${timeMs}|${root}`,
      `orders|3|${timeMs}|3|4|${root}`,
    ])
      refused(before(entry), 'form');
  });

  test('ticks and gaps off the grid are refused', () => {
    refused(receiptOf(settledBy(agreed(91, AT.settles - 125, '1.08451'))), 'settlement');
    const none = story('won, no entry of the settlement time');
    refused(receiptOf(withEntries(none, { 13: agreed(90, AT.settles - 125, '1.08451') })), 'prices');
    refused(receiptOf(withEntries(none, { 15: gap(91, AT.settles + 1) })), 'prices');
    refused(receiptOf(withEntries(stopped, { 14: gap(91, AT.settles - 1) })), 'settlement');
  });

  test('rules shown twice are refused', () => {
    const twice = won.log.with(1, won.log[0] as string);
    refused(
      receiptOf({ ...won, log: twice, shown: [['rules', 0], ['rules', 1], ...won.shown.slice(1)] }),
      'form',
    );
  });
});

describe('entries with a second spelling of one value', () => {
  test.each([
    ['a leading zero of the price', '|1.08451|', '|01.08451|'],
    ['a leading zero of the number', '|91|', '|091|'],
    ['a sign of the number', '|91|', '|+91|'],
    ['a negative price', '|1.08451|', '|-1.08451|'],
    ['a price of nothing', '|1.08451|', '|0.00000|'],
    ['an exponent', '|1.08451|', '|1.08451e0|'],
    ['more decimals', '|1.08451|', '|1.084510|'],
    ['fullwidth digits', '|91|', '|９１|'],
    ['a number of nothing', '|91|', '|0|'],
    ['a number beyond 2^53', '|91|', '|9007199254740993|'],
    ['minus nothing', '|91|', '|-0|'],
    ['a space', '|91|', '|91 |'],
    ['another sign that looks like it', 'EUR/USD', 'ЕUR/USD'],
    ['a capital source', '|a,', '|A,'],
    ['a source twice', ';b,', ';a,'],
    ['a quote of nothing', 'd,1.08451,', 'd,none,'],
    ['sources in another order', ';b,', ';d,'],
    ['an unknown use', ',use;', ',used;'],
    ['a line end', '|91|', '|91|\n'],
  ])('%s in a tick is refused', (_, from, to) => {
    expect(SETTLING).toContain(from);
    refused(receiptOf(settledBy(SETTLING.replace(from, to))), 'form');
  });

  test.each([
    ['a member twice', (json: string) => json.replace('{', '{"quorum":4,')],
    ['a member twice, escaped once', (json: string) => json.replace('{', '{"\\u0071uorum":4,')],
    [
      'members in another order',
      (json: string) => json.replace('"decimals":5,', '').replace('{', '{"decimals":5,'),
    ],
    ['a space', (json: string) => json.replace(':', ': ')],
    ['a number with a point', (json: string) => json.replace('"quorum":3', '"quorum":3.0')],
    ['a number with an exponent', (json: string) => json.replace('"quorum":3', '"quorum":3e0')],
    ['minus nothing', (json: string) => json.replace('"outlierBps":100', '"outlierBps":-0')],
    ['a delay beyond bounds', (json: string) => json.replace('"delayMs":2000', '"delayMs":60001')],
    ['a delay below two seconds', (json: string) => json.replace('"delayMs":2000', '"delayMs":1999')],
    ['a quorum of none', (json: string) => json.replace('"quorum":3', '"quorum":0')],
    ['a quorum of half the sources', (json: string) => json.replace('"quorum":3', '"quorum":2')],
    ['a quorum of more than the sources', (json: string) => json.replace('"quorum":3', '"quorum":5')],
    ['a fresh quote of no age', (json: string) => json.replace('"freshMs":2300', '"freshMs":0')],
    ['a fresh quote that is stale', (json: string) => json.replace('"freshMs":2300', '"freshMs":10001')],
    ['no time of fresh quotes', (json: string) => json.replace('"freshMs":2300,', '')],
    ['half a surrogate', (json: string) => json.replace('"d"', '"d","\\ud800"')],
    ['sources in another order', (json: string) => json.replace('"a","b"', '"b","a"')],
    [
      'two rates for one cycle',
      (json: string) => json.replace('"0.8"}]', '"0.8"},{"minutes":1,"payoutRate":"0.2"}]'),
    ],
    ['two scales for one asset', (json: string) => json.replace('6}]', '6},{"asset":"USDT","scale":2}]')],
    ['no object', () => '[]'],
  ])('%s in rules is refused', (_, change) => {
    const entry = `rules|3|EUR/USD|1|1779990000000|${'0'.repeat(64)}|${change(JSON.stringify(RULES))}`;
    expect(entry).not.toBe(RULES_ENTRY);
    const rulesHash = toHex(leafHash(entry));
    const log = won.log.map((text, at) => (at === 0 ? entry : text.replaceAll(RULES_HASH, rulesHash)));
    refused(receiptOf({ ...won, log, terms: { rulesHash } }), 'form');
  });

  test('repeated members and other spellings of numbers in the document are refused', () => {
    const text = JSON.stringify(receiptOf(won));
    valid(text);
    refused(text.replace('"payout":"180.000001"', '"payout":"999.000000","payout":"180.000001"'), 'form');
    refused(text.replace('"version":3', '"version":1,"\\u0076ersion":2'), 'form');
    refused(text.replace('"size":3', '"size":3.0'), 'form');
    refused(text.replace('"index":0', '"index":-0'), 'form');
    refused(text.replace('"version":3', '"version":3.00000000000000000001'), 'form');
    refused(JSON.stringify({ code: 1, msg: '', data: receiptOf(won) }), 'form');
  });
});

describe('trees and proofs', () => {
  test('a batch of one needs an empty proof, and a seen empty log the empty root', () => {
    const alone = receiptOf({ ...won, neighbours: 0 });
    valid(alone);
    const spare = toHex(leafHash('spare'));
    refused({ ...alone, acceptance: { ...alone.acceptance, proof: [spare] } }, 'acceptance');
    refused({ ...alone, batch: { ...alone.batch, proof: [spare] } }, 'logged');
    const empty = { seenSize: 0, seenRoot: toHex(rootOf([])) };
    valid(receiptOf({ ...won, terms: empty }));
    refused(receiptOf({ ...won, terms: { ...empty, seenRoot: '00'.repeat(32) } }), 'seen');
  });

  test('an empty batch and an empty log are refused', () => {
    const sign = (key: string) => nobleSigner(key) as NoteSigner;
    const nothing = (origin: string, extensions: string[] = []) =>
      formatCheckpoint({ origin, size: 0, root: rootOf([]), extensions });
    const base = receiptOf(won);
    const signed = signNote(nothing(`${ORIGIN}/acceptances`), sign(ACCEPTANCES_KEY.signerKey));
    refused(
      { ...base, acceptance: { ...base.acceptance, index: 0, size: 0, proof: [], signed } },
      'acceptance',
    );
    refused(
      { ...base, checkpoint: signNote(nothing(ORIGIN, [timeExtension(SIGNED_MS)]), sign(LOG_KEY.signerKey)) },
      'entries',
    );
  });

  test('an extra node at either end of a proof is refused', () => {
    const base = receiptOf(won);
    const spare = toHex(leafHash('spare'));
    for (const more of [
      (proof: readonly string[]) => [...proof, spare],
      (proof: readonly string[]) => [spare, ...proof],
    ]) {
      const { acceptance, entries, consistency, seen } = base;
      refused({ ...base, acceptance: { ...acceptance, proof: more(acceptance.proof) } }, 'acceptance');
      refused({ ...base, entries: entries.map((each) => ({ ...each, proof: more(each.proof) })) }, 'entries');
      refused({ ...base, consistency: { ...consistency, proof: more(consistency.proof) } }, 'consistency');
      refused({ ...base, seen: { ...seen, proof: more(seen?.proof ?? []) } }, 'seen');
      refused({ ...base, batch: { ...base.batch, proof: more(base.batch.proof) } }, 'logged');
    }
  });
});

describe('signatures and names', () => {
  const key = (name: string) => generateNoteKey(name, new Uint8Array(32).fill(9));
  const note = (text: string, ...keys: readonly string[]) =>
    signNote(text, ...(keys.map((each) => nobleSigner(each)) as [NoteSigner]));

  test('a checkpoint signed by another key, or under another name, is refused', () => {
    refused(receiptOf({ ...won, checkpointKey: STRANGERS_KEY.signerKey }), 'checkpoint');
    const base = receiptOf(won);
    const text = base.checkpoint.slice(0, base.checkpoint.indexOf('\n\n') + 1);
    const renamed = text.replace(ORIGIN, 'example.com/api/elsewhere');
    refused({ ...base, checkpoint: note(renamed, LOG_KEY.signerKey) }, 'checkpoint');
    // A stranger's signature line proves nothing and does no harm.
    valid({ ...base, checkpoint: note(text, STRANGERS_KEY.signerKey, LOG_KEY.signerKey) });
    refused({ ...base, checkpoint: note(text, STRANGERS_KEY.signerKey) }, 'checkpoint');
    const many = Array.from({ length: 17 }, () => LOG_KEY.signerKey);
    expect(() => note(text, ...many)).toThrow(RangeError);
    const line = base.checkpoint.slice(base.checkpoint.indexOf('\n\n') + 2);
    refused({ ...base, checkpoint: base.checkpoint + line.repeat(16) }, 'checkpoint');
    valid({ ...base, checkpoint: base.checkpoint + line.repeat(15) });
  });

  test('a checkpoint has its time and no other extension, and a batch of acceptances has none', () => {
    for (const extensions of [
      [],
      ['time 1', 'time 2'],
      [timeExtension(SIGNED_MS), 'more'],
      ['more', timeExtension(SIGNED_MS)],
      [`time 0${SIGNED_MS}`],
      ['time -1'],
      [`time ${SIGNED_MS} `],
    ])
      refused(receiptOf({ ...won, extensions }), 'checkpoint');
    const base = receiptOf(won);
    const text = base.acceptance.signed.slice(0, base.acceptance.signed.indexOf('\n\n') + 1);
    const signed = note(`${text}time 5\n`, ACCEPTANCES_KEY.signerKey);
    refused({ ...base, acceptance: { ...base.acceptance, signed } }, 'checkpoint');
    const end = base.checkpoint.slice(0, base.checkpoint.indexOf('\n\n') + 1);
    refused({ ...base, checkpoint: note(`${end}\nafter an empty one\n`, LOG_KEY.signerKey) }, 'checkpoint');
  });

  test('an acceptance of another log is refused, even if its key is trusted as well', () => {
    const other = key('other.example/api/transparency/acceptances');
    const base = receiptOf(won);
    const signed = note(
      base.acceptance.signed
        .slice(0, base.acceptance.signed.indexOf('\n\n') + 1)
        .replace(ORIGIN, 'other.example/api/transparency'),
      other.signerKey,
    );
    const receipt = { ...base, acceptance: { ...base.acceptance, signed } };
    refused(receipt, 'acceptance');
    const acceptances = [nobleVerifier(other.verifierKey) as NoteVerifier];
    const text = JSON.stringify(receipt);
    const report = verifyReceipt(parseReceipt(text), { keys: { ...TRUSTED, acceptances } });
    expect(report.steps.find(({ state }) => state === 'refuted')?.id).toBe('checkpoint');
    expect(verify(text, { ...SECOND, acceptances: readKey(other.verifierKey) })).toMatchObject({
      valid: false,
      refusedBy: 'checkpoint',
    });
  });
});

describe('rules and times', () => {
  const later = (effectiveMs: number, previous = RULES_HASH) =>
    rules(2, effectiveMs, previous, { outlierBps: 1 });
  /** The settlement tick under rules of its own, which stand at an index of the log. */
  const under = (entry: string, place: number): Story => {
    const settle = SETTLING.replace(RULES_HASH, toHex(leafHash(entry)));
    const shown: Shown = [['rules', 0], ['rules', place], ...won.shown.slice(1)];
    return { ...withEntries(won, { [place]: entry, 15: settle }), shown };
  };

  test('a tick is refused under rules that take effect later or are logged after it', () => {
    valid(receiptOf(under(later(AT.settles), 12)));
    refused(receiptOf(under(later(AT.settles + 1), 12)), 'prices');
    refused(receiptOf(under(later(AT.settles), 16)), 'prices');
    refused(receiptOf(under(later(AT.settles, 'cd'.repeat(32)), 12)), 'rules');
    const unnamed: Shown = [['rules', 0], ['rules', 12], ...won.shown.slice(1)];
    refused(receiptOf({ ...withEntries(won, { 12: later(AT.settles + 250) }), shown: unnamed }), 'prices');
  });

  test('payout rates are compared as numbers, however they are written', () => {
    valid(receiptOf({ ...won, terms: { payoutRate: '0.80' } }));
    refused(receiptOf({ ...won, terms: { payoutRate: '0.8001' } }), 'rules');
  });

  test('entries whose time jumps forwards or back are refused', () => {
    refused(receiptOf(withEntries(won, { 10: halfNew(46, AT.grid, '1.08410') })), 'opening');
    refused(receiptOf(withEntries(won, { 10: halfNew(46, AT.grid - 250, '1.08410') })), 'entries');
    refused(receiptOf({ ...won, loggedMs: AT.grid + 1 }), 'entries');
    refused(
      receiptOf({ ...won, terms: { acceptedAt: TERMS.acceptedAt, settlesAt: AT.settles - 1000 } }),
      'rules',
    );
  });

  test('amounts and rates of many digits are judged as the others', () => {
    const amount = `${'9'.repeat(19)}.000001`;
    const payout = '17999999999999999998.200001';
    const large = { ...won, terms: { amount }, outcome: { ...won.outcome, payout } };
    refused(receiptOf(large), 'form');
    const fitting = `1${'0'.repeat(18)}.000001`;
    valid(
      receiptOf({
        ...won,
        terms: { amount: fitting },
        outcome: { ...won.outcome, payout: '1800000000000000000.000001' },
      }),
    );
    const dear = settledBy(agreed(91, AT.settles, `${'9'.repeat(19)}.99999`), `${'9'.repeat(19)}.99999`);
    valid(receiptOf(dear));
  });
});
