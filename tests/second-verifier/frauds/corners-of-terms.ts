import { rulesEntry } from '../house.ts';
import { RULES, START } from '../story.ts';
import type { Corners } from './corners-of-notes.ts';
import { commit } from './fraud.ts';

/** The receipt under first rules with a member changed or added. */
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

export const RULES_JSON: Corners = {
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
  'no sources': [ruled({ sources: [], quorum: 1 }), 'form'],
  'a pyth without keys': [
    written((json) => json.replace(',"quietMs"', `,"pyth":{"feed":"${'0'.repeat(64)}","keys":[]},"quietMs"`)),
    'valid',
  ],
  'a feed of pyth in capitals': [
    written((json) => json.replace(',"quietMs"', `,"pyth":{"feed":"${'A'.repeat(64)}","keys":[]},"quietMs"`)),
    'form',
  ],
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
export const ACCEPTED_LINES: Corners = {
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
