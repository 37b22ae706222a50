import { describe, expect, test } from 'vitest';
import { isKnownPyth, PYTH_FEEDS, PYTH_KEYS, type PythKeys, type Receipt, wordsOf } from '../../src/index.ts';
import { faultOf, judge } from '../judging.ts';
import { receiptOf, type Story, withEntries } from '../story.ts';
import { KEYS, PYTH_FRAUDS, pythRules, SIGNED_STORIES } from './signed-stories.ts';

const signed = (name: string) => SIGNED_STORIES[name] as Story;
const stepOf = (told: Story) => judge(receiptOf(told)).steps.find(({ id }) => id === 'updates');
const wordsFor = (told: Story) => wordsOf(judge(receiptOf(told))).join('\n');
const BOTH = 'won, both records of Pyth shown as signed';

describe('a receipt with signed updates', () => {
  test.each([
    [BOTH, { count: 2, wanted: 2, signers: 3, routers: 5, known: 0, followed: 2 }],
    ['won, records of Pyth without the one after', { count: 2, followed: 1 }],
    ['won, one record of Pyth shown as signed', { count: 1, wanted: 2, signers: 4 }],
  ])('%s: says who signed and what came next', (name, values) => {
    expect(faultOf(receiptOf(signed(name)))).toBe('valid');
    expect(stepOf(signed(name))).toMatchObject({ state: 'proved', values });
  });

  test('says that none is shown, and lists it among what is not proved', () => {
    const none = signed('won, no record of Pyth shown as signed');
    expect(stepOf(none)?.state).toBe('absent');
    const limits = (told: Story) => judge(receiptOf(told)).limits.includes('updates');
    expect([limits(none), limits(signed('won, one record of Pyth shown as signed'))]).toEqual([true, true]);
    expect(limits(signed(BOTH))).toBe(false);
    expect(wordsFor(none)).toContain('no signed update of it is shown');
  });

  test('says whose keys they are', () => {
    expect(wordsFor(signed(BOTH))).toContain(
      "Pyth's record in 2 of the 2 prices with one is signed by 3 of 5 keys that the rules name as Pyth's.",
    );
    expect(wordsFor(signed(BOTH))).not.toContain('undefined');
    const [own] = PYTH_KEYS as readonly [PythKeys];
    const of = { timeMs: own.fromMs, symbol: 'EUR/USD', feed: PYTH_FEEDS['EUR/USD'] as string };
    expect(isKnownPyth(own, of)).toBe(true);
    expect(isKnownPyth({ ...own, quorum: 2 }, of)).toBe(false);
    expect(isKnownPyth({ ...own, routers: own.routers.slice(1) }, of)).toBe(false);
    expect(isKnownPyth({ ...own, emitter: '00'.repeat(32) }, of)).toBe(false);
    expect(isKnownPyth(own, { ...of, timeMs: own.fromMs - 1 })).toBe(false);
    expect(isKnownPyth(own, { ...of, symbol: 'GBP/USD' })).toBe(false);
  });

  test.each(Object.entries(PYTH_FRAUDS))('the fraud is refused: %s', (_name, { told, fault }) => {
    expect(faultOf(receiptOf(told))).toBe(fault);
  });

  test('is refused with any part of an update changed that is signed', () => {
    const receipt = receiptOf(signed(BOTH));
    const update = receipt.updates?.[0]?.update as string;
    const survived: number[] = [];
    for (let at = 0; at < update.length; at += 7) {
      const changed = `${update.slice(0, at)}${update[at] === 'A' ? 'B' : 'A'}${update.slice(at + 1)}`;
      const [first, second] = receipt.updates as NonNullable<Receipt['updates']>;
      const updates = [{ ...first, update: changed }, second];
      if (judge({ ...receipt, updates }).isValid) survived.push(at);
    }
    expect(survived).toEqual([]);
  });

  test.each([
    ['an empty list', []],
    ['five', [0, 1, 2, 2, 2]],
    ['one place twice', [0, 0]],
    ['another order', [1, 0]],
  ])('is refused as no receipt with %s', (_what, places) => {
    const receipt = receiptOf(signed(BOTH));
    const updates = places.map(
      (place, at) => receipt.updates?.[place] ?? { index: 20 + at, update: '', next: null },
    );
    expect(faultOf({ ...receipt, updates })).toMatch(/^form: /);
  });

  test.each([
    ['null', null],
    ['a longer text', [{ index: 7, update: 'A'.repeat(1_604), next: null }]],
    ['a member more', [{ index: 7, update: '', next: null, more: 1 }]],
    ['a member less', [{ index: 7, update: '' }]],
    ['no text', [{ index: 7, update: 1, next: null }]],
  ])('is refused as no receipt with %s in the place of updates', (_what, updates) => {
    expect(faultOf({ ...receiptOf(signed(BOTH)), updates })).toMatch(/^form: /);
  });
});

test.each<[object]>([
  [{ feed: 'ab', keys: [KEYS] }],
  [{ feed: 'AB'.repeat(32), keys: [KEYS] }],
  [{ feed: 'ab'.repeat(32) }],
  [{ feed: 'ab'.repeat(32), keys: Array(17).fill(KEYS) }],
  ...[
    { quorum: 0 },
    { quorum: 6 },
    { routers: [KEYS.routers[0], KEYS.routers[0], KEYS.routers[1]] },
    { routers: ['ab'] },
    { routers: 'ab'.repeat(20) },
    { chain: 65_536 },
    { emitter: 'ab' },
    { fromMs: -1 },
    { untilMs: 0.5 },
  ].map((change): [object] => [{ feed: 'ab'.repeat(32), keys: [{ ...KEYS, ...change }] }]),
])('rules whose keys of Pyth can’t be read are refused: %j', (pyth) => {
  const told = withEntries(signed(BOTH), { 0: pythRules(pyth) });
  expect(faultOf(receiptOf(told))).toBe('form: the rules at 0 can not be read');
});
