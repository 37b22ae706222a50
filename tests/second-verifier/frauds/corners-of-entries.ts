import { END } from '../story.ts';
import type { Corners } from './corners-of-notes.ts';
import { commit } from './fraud.ts';
import { LAST, withBefore } from './log-frauds.ts';

const beforeIs = (entry: string): string => commit({ choices: withBefore(entry) });
const halt = (reason: string): string => beforeIs(`halt|4|1|${LAST}|on|${reason}`);
export const HASH = '0'.repeat(64);
const tickBefore = (price: string, quotes: string, symbol = 'X'): string =>
  beforeIs(`tick|4|${symbol}|1|${LAST}|${price}|${HASH}|${quotes}`);
const oneQuote = (price: string, edit: { source?: string; seq?: string } = {}): string =>
  `${edit.source ?? 'a'},${price},1,${edit.seq ?? '1'},1,use`;
const nones = (count: number): string =>
  Array.from({ length: count }, (_, at) => `s${String(at).padStart(2, '0')},none`).join(';');

export const ENTRIES: Corners = {
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
export const ASKED: Corners = {
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
export const FIXES: Corners = {
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
  'sources that are all away': [fixBefore('a,away;b,away'), 'valid'],
  'a source that is away with more': [fixBefore('a,1,1,1,use,said;b,away,1'), 'form'],
  'a source that is away with a record': [fixBefore('a,1,1,1,away,said'), 'form'],
  'a source without a record that is open': [fixBefore('a,1,1,1,use,said;b,none,open'), 'form'],
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
