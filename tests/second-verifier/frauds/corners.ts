import { ACCEPTANCES, hashOf, LOG, Log, ORIGIN, rulesEntry } from '../house.ts';
import { Signer, Witness } from '../signing.ts';
import { END, honest, OPENS, RULES, SETTLES, START, tell } from '../story.ts';
import { commit, field, part, parts, plus } from './fraud.ts';
import { LAST, withBefore } from './log-frauds.ts';

/** Receipts at the edges of the page's words, by what has to become of them: `valid`, or the check that refuses them. */
export type Corners = Readonly<Record<string, readonly [text: string, expected: string]>>;

const text = (edit: (receipt: any) => void): string => {
  const receipt = JSON.parse(commit({}));
  edit(receipt);
  return JSON.stringify(receipt);
};
const checkpointed = (write: (lines: string[], note: string) => string): string =>
  text((receipt) => {
    const [head = ''] = receipt.checkpoint.split('\n\n');
    receipt.checkpoint = write(head.split('\n'), receipt.checkpoint);
  });
const resigned = (...lines: readonly string[]): string => LOG.note(lines.join('\n'));
const stranger = (name: string, bytes = 76): string =>
  `— ${name} ${Buffer.alloc(bytes, 7).toString('base64')}\n`;
const strangers = (count: number) => checkpointed((_, note) => note + stranger('x').repeat(count));
const withStranger = (name: string, bytes?: number) =>
  checkpointed((_, note) => note + stranger(name, bytes));

const NOTES: Corners = {
  '16 signature lines': [strangers(15), 'valid'],
  '17 signature lines': [strangers(16), 'checkpoint'],
  'a note of more than 128 KiB': [withStranger('x', 99_000), 'form'],
  'a note of less than 128 KiB': [withStranger('x', 97_000), 'valid'],
  "another's line of an id alone": [withStranger('x', 4), 'checkpoint'],
  "another's line of a byte behind its id": [withStranger('x', 5), 'valid'],
  "another's name with U+0085, which is white space": [withStranger('x\u0085y'), 'checkpoint'],
  "another's name with U+FEFF, which is none": [withStranger('x\ufeffy'), 'valid'],
  "another's name with U+200B, which is none": [withStranger('x\u200by'), 'valid'],
  "another's name with U+3000, which is white space": [withStranger('x\u3000y'), 'checkpoint'],
  "another's name with DEL": [withStranger('x\u007fy'), 'valid'],
  "another's name with U+001F": [withStranger('x\u001fy'), 'checkpoint'],
  "another's name with a plus": [withStranger('x+y'), 'checkpoint'],
  'an empty line in its text': [checkpointed((lines) => resigned(...lines, '', 'x')), 'checkpoint'],
  'an empty line at the end of its text': [checkpointed((lines) => resigned(...lines, '')), 'checkpoint'],
  'a carriage return': [checkpointed((lines) => resigned(...lines.with(3, `${lines[3]}\r`))), 'checkpoint'],
  'a time with a zero before it': [
    checkpointed((lines) => resigned(...lines.with(3, `time 0${END}`))),
    'checkpoint',
  ],
  'a time in capitals': [checkpointed((lines) => resigned(...lines.with(3, `Time ${END}`))), 'checkpoint'],
  'a time with two spaces': [
    checkpointed((lines) => resigned(...lines.with(3, `time  ${END}`))),
    'checkpoint',
  ],
  'a time of 2^53': [checkpointed((lines) => resigned(...lines.with(3, `time ${2 ** 53}`))), 'checkpoint'],
  'a size with a zero before it': [
    checkpointed((lines) => resigned(...lines.with(1, `0${lines[1]}`))),
    'checkpoint',
  ],
  'a root without padding': [
    checkpointed((lines) => resigned(...lines.with(2, (lines[2] as string).slice(0, -1)))),
    'checkpoint',
  ],
  'a line of the acceptances, too': [
    checkpointed((lines) => {
      const note = resigned(...lines);
      return note + ACCEPTANCES.line(ACCEPTANCES.sign(`${lines.join('\n')}\n`));
    }),
    'valid',
  ],
  'acceptances with an extension': [
    text((receipt) => {
      const [head = ''] = receipt.acceptance.signed.split('\n\n');
      receipt.acceptance.signed = ACCEPTANCES.note(`${head}\ntime 5`);
    }),
    'checkpoint',
  ],
  'the last checkpoint as the held one': [
    text((receipt) => {
      receipt.held = { checkpoint: receipt.checkpoint, proof: [] };
    }),
    'valid',
  ],
};

const ZERO = Buffer.from(`01${'00'.repeat(31)}`, 'hex');
const ZERO_OTHERWISE = Buffer.from(`ee${'ff'.repeat(30)}7f`, 'hex');
const ORDER_2 = Buffer.from(`ec${'ff'.repeat(30)}7f`, 'hex');
const oddly = (made: (text: string) => Buffer): string =>
  checkpointed((lines) => {
    const text = `${lines.join('\n')}\n`;
    return `${text}\n${LOG.line(made(text))}`;
  });
const SIGNATURES: Corners = {
  'made by hand': [oddly((text) => LOG.odd(text, ZERO)), 'valid'],
  'that holds with the cofactor alone': [oddly((text) => LOG.odd(text, ORDER_2)), 'valid'],
  'with an R of zero': [oddly((text) => LOG.odd(text, ZERO, 0n)), 'valid'],
  'with an R of zero in another encoding': [
    oddly((text) => LOG.odd(text, ZERO, 0n, ZERO_OTHERWISE)),
    'checkpoint',
  ],
  'with an S of the order and more': [oddly((text) => LOG.odd(text, ZERO, 5n, null, 1n)), 'checkpoint'],
  'of 63 bytes': [oddly((text) => LOG.sign(text).subarray(1)), 'checkpoint'],
  'of 65 bytes': [oddly((text) => Buffer.concat([LOG.sign(text), ZERO.subarray(0, 1)])), 'checkpoint'],
};

/** Hand-overs that the log has after the orders, with the key that signs checkpoints afterwards. */
function handedOver(entries: readonly string[], last: Signer): string {
  const story = tell({ more: [[OPENS + 520, () => entries]] });
  const { shown, outcome } = honest(story);
  const keys = entries.map((entry) => story.entries.indexOf(entry));
  return JSON.stringify(new Log(story.entries, END, last).receipt(story.order, { ...shown, keys }, outcome));
}
const keyEntry = (to: string, by = LOG, time = String(OPENS)): string =>
  `key|4|${time}|${to}|${by.sign(to).toString('base64')}`;
const NEXT = Array.from({ length: 65 }, (_, at) => new Signer(ORIGIN, 1, `key ${at}`));
const chain = (length: number): string[] =>
  NEXT.slice(0, length).map((to, at) => keyEntry(to.verifierKey, at === 0 ? LOG : (NEXT[at - 1] as Signer)));
const first = NEXT[0] as Signer;
const keyOf = (publicKey: string): string => Signer.keyOf(ORIGIN, 1, Buffer.from(publicKey, 'hex'));
const over = (entry: string, last = first) => handedOver([entry], last);
const long = (length: number): string => new Signer('x'.repeat(length), 1, 'x').verifierKey;

const HAND_OVERS: Corners = {
  'a hand-over': [over(keyEntry(first.verifierKey)), 'valid'],
  'a hand-over, and the old key signs on': [over(keyEntry(first.verifierKey), LOG), 'checkpoint'],
  '64 hand-overs': [handedOver(chain(64), NEXT[63] as Signer), 'valid'],
  '65 hand-overs': [handedOver(chain(65), NEXT[64] as Signer), 'valid'],
  'a hand-over back to the key before': [
    handedOver([...chain(2), keyEntry(first.verifierKey, NEXT[1])], first),
    'keys',
  ],
  // The trusted key begins after the orders, and the key of the held checkpoint is not known.
  'a hand-over back to the trusted key': [
    handedOver([...chain(1), keyEntry(LOG.verifierKey, first)], LOG),
    'held',
  ],
  'a hand-over to the trusted key, and one from it': [
    handedOver([keyEntry(LOG.verifierKey, first), keyEntry(first.verifierKey)], first),
    'held',
  ],
  'a hand-over signed by another key': [over(keyEntry(first.verifierKey, ACCEPTANCES)), 'keys'],
  'a hand-over of another name': [over(keyEntry(new Signer('other').verifierKey)), 'keys'],
  "a witness's key of the name": [over(keyEntry(new Witness(ORIGIN).verifierKey)), 'keys'],
  'an id in capitals': [
    over(keyEntry(first.verifierKey.replace(/\+([0-9a-f]{8})\+/, (id) => id.toUpperCase()))),
    'keys',
  ],
  "an id of another's": [over(keyEntry(first.verifierKey.replace(/\+[0-9a-f]{8}\+/, '+00000000+'))), 'keys'],
  'no key': [over(keyEntry('x')), 'keys'],
  'bytes that are no point': [over(keyEntry(keyOf(`02${'00'.repeat(31)}`))), 'keys'],
  'a point in another encoding': [over(keyEntry(keyOf(`ee${'ff'.repeat(30)}7f`))), 'keys'],
  'minus zero as a point': [over(keyEntry(keyOf(`01${'00'.repeat(30)}80`))), 'keys'],
  'a point of small order': [over(keyEntry(keyOf(`01${'00'.repeat(31)}`))), 'checkpoint'],
  'a key of 1024 characters of another name': [over(keyEntry(long(970))), 'keys'],
  'a key of 1025 characters': [over(keyEntry(long(971))), 'form'],
  'a key of no characters': [over(keyEntry('')), 'form'],
  'a signature of 63 bytes': [
    over(`key|4|1|${first.verifierKey}|${Buffer.alloc(63).toString('base64')}`),
    'form',
  ],
  'a field more': [over(`${keyEntry(first.verifierKey)}|x`), 'form'],
  'a time with a zero before it': [over(keyEntry(first.verifierKey, LOG, '01')), 'form'],
  'a time above all others': [over(keyEntry(first.verifierKey, LOG, '9007199254740991')), 'valid'],
};

const beforeIs = (entry: string): string => commit({ choices: withBefore(entry) });
const halt = (reason: string): string => beforeIs(`halt|4|1|${LAST}|on|${reason}`);
const HASH = '0'.repeat(64);
const tickBefore = (price: string, quotes: string, symbol = 'X'): string =>
  beforeIs(`tick|4|${symbol}|1|${LAST}|${price}|${HASH}|${quotes}`);
const oneQuote = (price: string, edit: { source?: string; seq?: string } = {}): string =>
  `${edit.source ?? 'a'},${price},1,${edit.seq ?? '1'},1,use`;
const nones = (count: number): string =>
  Array.from({ length: count }, (_, at) => `s${String(at).padStart(2, '0')},none`).join(';');

const ENTRIES: Corners = {
  'a halt of 500 characters beyond 16 bits': [halt('😀'.repeat(500)), 'valid'],
  'a halt of 501 characters': [halt('x'.repeat(501)), 'form'],
  'a halt with a tab': [halt('a\tb'), 'form'],
  'a halt with DEL': [halt('a\u007fb'), 'valid'],
  'a halt with U+2028': [halt('a\u2028b'), 'valid'],
  'a halt with U+0085': [halt('a\u0085b'), 'valid'],
  'a halt for a space': [halt(' '), 'valid'],
  'a halt without a reason': [halt(''), 'form'],
  'a lift with a reason': [beforeIs(`halt|4|1|${LAST}|off|x`), 'form'],
  'a halt of number 0': [beforeIs(`halt|4|0|${LAST}|on|x`), 'form'],
  '64 sources': [tickBefore('1', nones(64)), 'valid'],
  '65 sources': [tickBefore('1', nones(65)), 'form'],
  'a source twice': [tickBefore('1', 'a,none;a,none'), 'form'],
  'sources in another order': [tickBefore('1', 'b,none;a,none'), 'form'],
  'a source of 32 characters': [tickBefore('1', oneQuote('1', { source: '-'.repeat(32) })), 'valid'],
  'a source of 33 characters': [tickBefore('1', oneQuote('1', { source: 'a'.repeat(33) })), 'form'],
  'a number of a quote of 20 digits': [tickBefore('1', oneQuote('1', { seq: '9'.repeat(20) })), 'valid'],
  'a number of a quote of 21 digits': [tickBefore('1', oneQuote('1', { seq: '1'.repeat(21) })), 'form'],
  'a number of a quote with a zero before it': [tickBefore('1', oneQuote('1', { seq: '01' })), 'form'],
  'a price of 19 and 18 digits': [
    tickBefore(`${'9'.repeat(19)}.${'9'.repeat(18)}`, oneQuote(`1.${'0'.repeat(18)}`)),
    'valid',
  ],
  'a price of 20 digits': [tickBefore('1'.repeat(20), oneQuote('1')), 'form'],
  'a price of 19 decimals': [tickBefore(`1.${'0'.repeat(19)}`, oneQuote(`1.${'0'.repeat(19)}`)), 'form'],
  'a price of 0': [tickBefore('0.00', oneQuote('1.00')), 'form'],
  'a quote of 0': [tickBefore('1.00', oneQuote('0.00')), 'form'],
  'other decimals than those of the quotes': [tickBefore('1.0', oneQuote('1.00')), 'form'],
  'a tick without quotes': [tickBefore('1', ''), 'form'],
  'a symbol of three parts': [tickBefore('1', oneQuote('1'), 'A/B/C'), 'form'],
  'a symbol in small letters': [tickBefore('1', oneQuote('1'), 'x'), 'form'],
  'a gap of a quorum without quotes': [beforeIs(`gap|4|X|1|${LAST}|quorum|${HASH}|`), 'form'],
  'a gap of another reason': [beforeIs(`gap|4|X|1|${LAST}|other|${HASH}|`), 'form'],
  'a gap of number 0': [beforeIs(`gap|4|X|0|${LAST}|end|${HASH}|`), 'form'],
  'orders of 65 536 batches': [beforeIs(`orders|4|${LAST}|1|65536|1|2|${HASH}|`), 'valid'],
  'orders of 65 537 batches': [beforeIs(`orders|4|${LAST}|1|65537|1|2|${HASH}|`), 'form'],
  'orders from batch 0': [beforeIs(`orders|4|${LAST}|0|1|1|2|${HASH}|`), 'form'],
};

const ordersAsking = (asked: string): string => beforeIs(`orders|4|${LAST}|1|2|1|2|${HASH}|${asked}`);
const asking = (count: number): string =>
  Array.from({ length: count }, (_, at) => String(at).padStart(32, '0')).join('');
const ASKED: Corners = {
  'nothing in the open': [ordersAsking(''), 'valid'],
  '2000 orders in the open': [ordersAsking(asking(2_000)), 'valid'],
  '2001 orders in the open': [ordersAsking(asking(2_001)), 'form'],
  'one order twice': [ordersAsking(asking(1).repeat(2)), 'form'],
  'orders that fall': [ordersAsking('1'.repeat(32) + '0'.repeat(32)), 'form'],
  'half an order': [ordersAsking('0'.repeat(16)), 'form'],
  'an order in capitals': [ordersAsking('A'.repeat(32)), 'form'],
  'no such field': [beforeIs(`orders|4|${LAST}|1|2|1|2|${HASH}`), 'form'],
};

const fixBefore = (records: string, more: { fixMs?: number; price?: string; kind?: string } = {}): string => {
  const { fixMs = LAST - 1_000, price = '1', kind = 'fix' } = more;
  return beforeIs(`${kind}|4|X|1|${LAST}|${fixMs}|${price}|${HASH}|${records}`);
};
const awayIs = (source: string, state: string, n = 1): string =>
  beforeIs(`away|4|${n}|${LAST}|${source}|${state}`);
/** Of which only the grammar is judged. */
const FIXES: Corners = {
  'a fix of this millisecond': [fixBefore('a,1,1,1,use,said', { fixMs: LAST }), 'valid'],
  'a fix of a time to come': [fixBefore('a,1,1,1,use,said', { fixMs: LAST + 1_000 }), 'form'],
  'a fix of no whole second': [fixBefore('a,1,1,1,use,said', { fixMs: LAST - 500 }), 'form'],
  'a fix of a record after its time': [fixBefore(`a,1,${END},1,use,open`), 'valid'],
  'a close': [fixBefore('a,1,1,1,use,said', { kind: 'close' }), 'valid'],
  'a close of no whole second': [fixBefore('a,1,1,1,use,said', { kind: 'close', fixMs: LAST - 500 }), 'form'],
  'records of 64 sources': [fixBefore(`a,1,1,1,use,said;${nones(63)}`), 'valid'],
  'records of 65 sources': [fixBefore(`a,1,1,1,use,said;${nones(64)}`), 'form'],
  'no records': [fixBefore(''), 'form'],
  'a source that is away': [fixBefore('a,1,1,1,use,said;b,away'), 'valid'],
  'another word': [fixBefore('a,1,1,1,use,said;b,gone'), 'form'],
  'a source twice': [fixBefore('a,1,1,1,use,said;a,none'), 'form'],
  'sources in another order': [fixBefore('b,1,1,1,use,said;a,none'), 'form'],
  'a record that is stale': [fixBefore('a,1,1,1,stale,said'), 'form'],
  'a record without a closing': [fixBefore('a,1,1,1,use'), 'form'],
  'a record with half a closing': [fixBefore('a,1,1,1,use,2,2'), 'form'],
  'a record with another closing': [fixBefore('a,1,1,1,use,shut'), 'form'],
  'a record after it': [fixBefore('a,1,1,1,use,2,2,1'), 'valid'],
  'a record after it of other decimals': [fixBefore('a,1,1,1,use,2,2,1.0'), 'form'],
  'a record after it of price 0': [fixBefore('a,1,1,1,use,2,2,0'), 'form'],
  'a number of 20 digits': [fixBefore(`a,${'9'.repeat(20)},1,1,use,said`), 'valid'],
  'a number of 21 digits': [fixBefore(`a,${'1'.repeat(21)},1,1,use,said`), 'form'],
  'a number with a zero before it': [fixBefore('a,01,1,1,use,said'), 'form'],
  'a price of other decimals': [fixBefore('a,1,1,1,use,said', { price: '1.0' }), 'form'],
  'an away of a source': [awayIs('a', 'on'), 'valid'],
  'an away of a source in capitals': [awayIs('A', 'on'), 'form'],
  'an away of no state': [awayIs('a', ''), 'form'],
  'an away of number 0': [awayIs('a', 'on', 0), 'form'],
};

/** The receipt under first rules of which a member is another, or which has one more. */
const ruled = (changes: object): string =>
  commit({ choices: { rules: rulesEntry(1, START, null, changes) } });
/** The same with rules as they are written here. */
const written = (edit: (json: string) => string): string => {
  const json = RULES.split('|').slice(6).join('|');
  return commit({ choices: { rules: RULES.replace(json, () => edit(json)) } });
};
const adding = (member: string) => written((json) => json.replace('"sources"', () => `${member},"sources"`));
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
const assets = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ asset: at === 0 ? 'DEMO' : `A${at}`, scale: 2 }));

const RULES_JSON: Corners = {
  'a member with numbers of other kinds': [ruled({ more: [1e21, 1e-7, 0.1, -5, 1e300] }), 'valid'],
  'a member within an element': [ruled({ limits: [{ asset: 'DEMO', scale: 2, more: null }] }), 'valid'],
  'minus zero': [adding('"s":-0'), 'form'],
  'an exponent in capitals': [adding('"s":1E+21'), 'form'],
  'a number in another writing': [adding('"s":1.0'), 'form'],
  'a number that is infinite': [adding('"s":1e999'), 'form'],
  'half a surrogate, escaped': [adding('"s":"\\ud800"'), 'form'],
  'a letter escaped': [adding('"s":"\\u0061"'), 'form'],
  'a slash escaped': [adding('"s":"\\/"'), 'form'],
  'a control character escaped': [adding('"s":"\\u001f"'), 'valid'],
  'a control character escaped in capitals': [adding('"s":"\\u001F"'), 'form'],
  'U+2028 as it is': [adding('"s":"\u2028"'), 'valid'],
  'a bar in a text': [adding('"s":"|"'), 'valid'],
  'a member twice': [written((json) => json.replace('"quietMs":2400', (it) => `${it},${it}`)), 'form'],
  'a space': [written((json) => json.replace(':', ': ')), 'form'],
  'members in another order': [written((json) => `{"z":1,${json.slice(1)}`), 'form'],
  'members by UTF-16 units': [written((json) => `${json.slice(0, -1)},"😀":1,"ﬀ":1}`), 'valid'],
  'members by code points': [written((json) => `${json.slice(0, -1)},"ﬀ":1,"😀":1}`), 'form'],
  'a member __proto__': [written((json) => json.replace('{', '{"__proto__":1,')), 'valid'],
  '16 levels': [ruled({ more: nested(15) }), 'valid'],
  '17 levels': [adding(`"s":${JSON.stringify(nested(16))}`), 'form'],
  '256 limits': [ruled({ limits: assets(256) }), 'valid'],
  '257 limits': [ruled({ limits: assets(257) }), 'form'],
  'an asset twice': [ruled({ limits: [...assets(1), ...assets(1)] }), 'form'],
  'a cycle twice': [ruled({ cycles: [1, 1].map((minutes) => ({ minutes, payoutRate: '0.8' })) }), 'form'],
  'no limits': [ruled({ limits: [] }), 'rules'],
  'no cycles': [ruled({ cycles: [] }), 'rules'],
  'the rate in other digits': [ruled({ cycles: [{ minutes: 1, payoutRate: '0.8000' }] }), 'valid'],
  'a rate of five places': [ruled({ cycles: [{ minutes: 1, payoutRate: '0.80000' }] }), 'form'],
  'a quorum of half': [ruled({ quorum: 1 }), 'form'],
  'a quorum above the sources': [ruled({ quorum: 4 }), 'form'],
  'quietMs of 0': [ruled({ quietMs: 0 }), 'form'],
  'quietMs of a day': [ruled({ quietMs: 86_400_000 }), 'valid'],
  'quietMs above a day': [ruled({ quietMs: 86_400_001 }), 'form'],
  'waitMs of 0': [ruled({ waitMs: 0 }), 'valid'],
  'waitMs of a minute': [ruled({ waitMs: 60_000 }), 'valid'],
  'waitMs above a minute': [ruled({ waitMs: 60_001 }), 'form'],
  'delayMs above a minute': [ruled({ delayMs: 60_001 }), 'form'],
  'decimals of 19': [ruled({ decimals: 19 }), 'form'],
  'decimals as a text': [ruled({ decimals: '5' }), 'form'],
  'no waitMs': [written((json) => json.replace(',"waitMs":3000', '')), 'form'],
  'a symbol that is no text': [ruled({ symbol: 5 }), 'form'],
  'an entry of 65 535 bytes': [ruled({ more: 'x'.repeat(65_535 - bytesOf({ more: '' })) }), 'valid'],
  'an entry of 65 536 bytes': [ruled({ more: 'x'.repeat(65_536 - bytesOf({ more: '' })) }), 'form'],
};
function bytesOf(changes: object): number {
  return Buffer.byteLength(rulesEntry(1, START, null, changes));
}

const lined = (...lines: readonly (readonly [number, string])[]): string =>
  commit({ choices: { terms: { lines: Object.fromEntries(lines) } } });
const ACCEPTED_LINES: Corners = {
  'an id of 128 characters': [lined([2, '~'.repeat(128)]), 'valid'],
  'an id of 129 characters': [lined([2, '~'.repeat(129)]), 'form'],
  'an id with a space': [lined([2, 'a b']), 'form'],
  'an id beyond ASCII': [lined([2, 'é']), 'form'],
  'no id': [lined([2, '']), 'form'],
  'batch 0': [lined([3, '0']), 'form'],
  'a hash in capitals': [lined([4, 'A'.repeat(64)]), 'form'],
  'a symbol that no rules can have': [lined([5, 'eur|usd']), 'rules'],
  'minutes of 0': [lined([7, '0']), 'form'],
  'an amount of 0': [lined([9, '0.00']), 'form'],
  'an amount of 20 digits': [lined([9, `${'1'.repeat(20)}.00`]), 'form'],
  'a payout of 20 digits': [lined([9, `${'9'.repeat(19)}.00`]), 'outcome'],
  'a rate of five places': [lined([10, '0.80000']), 'form'],
  'a rate of four places': [lined([10, '0.8000']), 'valid'],
  'an opening time above all numbers': [lined([13, '9007199254741000']), 'form'],
  'the latest opening time of all': [lined([13, '9007199254740000']), 'rules'],
  'no opening time': [lined([13, '']), 'form'],
  'the size without the root of what was seen': [lined([17, '5']), 'form'],
  'a line more': [lined([18, '\n']), 'form'],
  'seen of size 0': [commit({ choices: { terms: { seen: [] } } }), 'valid'],
  'a log of size 0': [lined([15, '0']), 'rules'],
};

const settledIn = (edit: (fix: string) => string, decimals: number): string => {
  const rules = rulesEntry(2, SETTLES - 5_000, RULES, { decimals });
  return commit({
    choices: {
      more: [[SETTLES - 5_000, () => [rules]]],
      fix: (fixMs, fix) => (fixMs === SETTLES ? field(7, hashOf(rules))(edit(fix)) : fix),
    },
    outcome: () => ({ settlePrice: decimals === 6 ? '1.100660' : '1.1006' }),
  });
};
const longer = (fix: string): string => fix.replaceAll(/1\.1[0-9]{4}/g, (price) => `${price}0`);
/** Two of three records, whose mean is rounded down. */
const even = (price: string): string =>
  commit({
    choices: {
      record: (fixMs, source, it) => (fixMs === SETTLES && source === 'gamma' ? 'away' : it),
      fix: (fixMs, fix) => (fixMs === SETTLES ? field(6, price)(fix) : fix),
    },
  });
/** A record of alpha so long before the settlement. */
const aged = (ms: number): string =>
  commit({
    choices: {
      record: (fixMs, source, it) =>
        fixMs === SETTLES && source === 'alpha' ? { ...it, timeMs: SETTLES - ms } : it,
      fix: (fixMs, fix) => (fixMs === SETTLES ? part(0, 4, () => 'use')(field(6, '1.10066')(fix)) : fix),
    },
  });
const waited = (ms: number): string =>
  commit({
    choices: {
      rules: rulesEntry(1, START, null, { waitMs: 3_000 + ms }),
      record: (fixMs, source, it) =>
        fixMs === SETTLES && source === 'alpha' ? { ...it, closing: 'open' } : it,
    },
  });
const PRICES: Corners = {
  'other decimals by the rules': [settledIn(longer, 6), 'valid'],
  'other decimals than the rules': [settledIn((fix) => fix, 6), 'prices'],
  'an even number of records': [even('1.10065'), 'valid'],
  'an even number of records, rounded up': [even('1.10066'), 'prices'],
  'a record of exactly quietMs': [aged(2_400), 'valid'],
  'a record a millisecond older': [aged(2_401), 'prices'],
  'an open record waited for to the millisecond': [waited(0), 'valid'],
  'an open record waited for a millisecond less': [waited(1), 'prices'],
  'a close that repeats its use': [
    commit({
      choices: {
        record: (fixMs, source, it) =>
          fixMs === SETTLES && source === 'alpha' ? { ...it, closing: 'open' } : it,
        close: (fixMs, close) => (fixMs === SETTLES ? part(1, 4, () => 'quiet')(close) : close),
      },
    }),
    'prices',
  ],
  'a close in another order': [
    commit({
      choices: {
        record: (fixMs, source, it) =>
          fixMs === SETTLES && source === 'alpha' ? { ...it, closing: 'open' } : it,
        close: (fixMs, close) => (fixMs === SETTLES ? parts((all) => [...all].reverse())(close) : close),
      },
    }),
    'form',
  ],
  'a record after it of a million more': [
    commit({
      choices: { fix: (fixMs, fix) => (fixMs === SETTLES ? part(1, 5, plus(1_000_000))(fix) : fix) },
    }),
    'valid',
  ],
};

const DOCUMENT: Corners = {
  '2 000 000 characters': [text(() => {}).padEnd(2_000_000), 'valid'],
  '2 000 001 characters': [text(() => {}).padEnd(2_000_001), 'form'],
  'five levels': [
    text((receipt) => {
      receipt.batch.proof = [[[[0]]]];
    }),
    'form',
  ],
  'a hundred thousand levels': [`${'['.repeat(100_000)}`, 'form'],
  'a proof of 55 hashes': [
    text((receipt) => {
      receipt.batch.proof = Array(55).fill(HASH);
    }),
    'form',
  ],
  'a proof of 54 hashes': [
    text((receipt) => {
      receipt.batch.proof = Array(54).fill(HASH);
    }),
    'logged',
  ],
  'a text of 128 KiB that is no note': [
    text((receipt) => {
      receipt.checkpoint = 'x'.repeat(128 * 1024);
    }),
    'checkpoint',
  ],
};

export const CORNERS: Readonly<Record<string, Corners>> = {
  notes: NOTES,
  signatures: SIGNATURES,
  'hand-overs': HAND_OVERS,
  entries: ENTRIES,
  asked: ASKED,
  fixes: FIXES,
  rules: RULES_JSON,
  acceptances: ACCEPTED_LINES,
  prices: PRICES,
  document: DOCUMENT,
};
