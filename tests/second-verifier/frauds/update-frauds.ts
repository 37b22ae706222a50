import { rulesEntry, type Shown } from '../house.ts';
import { PYTH_KEYS, pythRules, ROUTERS, type Said, updatesOf } from '../pyth.ts';
import { type Choices, SETTLES, START, type Story } from '../story.ts';
import type { Fraud } from './fraud.ts';

/** Frauds about what Pyth signed: each shows updates whose signatures are right, but for the ones that say otherwise. */
type Frauds = Readonly<Record<string, Fraud>>;
type Updates = NonNullable<Shown['updates']>;

const rules = pythRules();
const shown = (make: (story: Story) => Updates, choices: Choices = {}): Fraud => ({
  choices: { rules, ...choices },
  shown: (story) => ({ updates: make(story) }),
});
/** One thing that the update of the settlement says otherwise, or the one after it. */
const says = (change: (said: Said) => Partial<Said>, isNext = false): Fraud =>
  shown((story) =>
    updatesOf(story, (said, fixMs, isOfNext) =>
      fixMs === SETTLES && isOfNext === isNext ? { ...said, ...change(said) } : said,
    ),
  );
const settlement = (change: (update: Updates[number]) => Partial<Updates[number]>): Fraud =>
  shown((story) => {
    const [first, second] = updatesOf(story) as [Updates[number], Updates[number]];
    return [first, { ...second, ...change(second) }];
  });
const underKeys = (...keys: readonly object[]): Fraud => shown(updatesOf, { rules: pythRules(keys) });
const bytes = (edit: (update: Buffer) => Buffer): Fraud =>
  settlement(({ update }) => ({ update: edit(Buffer.from(update, 'base64')).toString('base64') }));
const put = (at: number, value: number): Fraud =>
  bytes((update) => {
    update[at] = value;
    return update;
  });

export const UPDATES: Frauds = {
  'another price': says(({ price }) => ({ price: Number(price) + 1 })),
  'another exponent': says(() => ({ expo: -6 })),
  'a price below 0': says(({ price }) => ({ price: -Number(price) })),
  'an exponent beyond all': says(() => ({ expo: 2 ** 31 - 1 })),
  'an exponent below all': says(() => ({ expo: -(2 ** 31) })),
  'another second': says(({ publish }) => ({ publish: publish - 1 })),
  'an update that is not the first of its second': says(({ publish }) => ({ previous: publish })),
  'a previous one that comes later': says(({ publish }) => ({ previous: publish + 1 })),
  'a previous one below 0': says(() => ({ previous: -1 })),
  'another feed': says(() => ({ feed: '0'.repeat(64) })),
  'another chain': says(() => ({ chain: 1 })),
  'another root': says(() => ({ root: Buffer.alloc(20) })),
  'fewer routers than the quorum': says(() => ({ routers: [1] })),
  'a router twice': says(() => ({ routers: [1, 1] })),
  'routers that fall': says(() => ({ routers: [1, 0] })),
  'a router that the rules do not have': says(() => ({ routers: [1, 3] })),
  'bytes that are left over': says(() => ({ more: Buffer.of(0) })),
  'a path of 17 hashes': says(() => ({ path: Array(17).fill(Buffer.alloc(20)) })),
  'another price of the next': says(({ price }) => ({ price: Number(price) + 1 }), true),
  'a next one that is not the first of its second': says(({ publish }) => ({ previous: publish }), true),
  'something signed between the two': {
    choices: {
      rules,
      record: (fixMs, _, it) =>
        fixMs !== SETTLES
          ? it
          : { ...it, closing: { ...it.closing, number: it.number + 2, timeMs: it.closing.timeMs + 1_000 } },
    },
    shown: (story) => ({
      updates: updatesOf(story, (said, fixMs, isNext) =>
        fixMs === SETTLES && isNext
          ? { ...said, publish: said.publish + 1, price: Number(said.price) }
          : said,
      ),
    }),
  },
  'a record of another time than its second': shown(updatesOf, {
    record: (_, __, it) => ({ ...it, timeMs: it.timeMs - 1 }),
  }),
  'no next one, though a record follows': settlement(() => ({ next: null })),
  'a next one, though none follows': shown(updatesOf, {
    record: (_, __, it) => ({ ...it, closing: 'said' }),
  }),
  'the update after it in the place of its own': settlement(({ next }) => ({ update: next as string })),
  'an update of no fix': settlement(({ index }) => ({ index: index + 1 })),
  'no base64': settlement(() => ({ update: '*' })),
  'an empty update': settlement(() => ({ update: '' })),
  'another version of the signed bytes': put(10, 2),
  'a parity above 1': put(81, 2),
  'keys of another time': underKeys({ ...PYTH_KEYS, untilMs: SETTLES - 1_000 }),
  'two sets of keys of one time': underKeys(PYTH_KEYS, { ...PYTH_KEYS, fromMs: START }),
  'no keys': underKeys(),
  'a quorum of three': underKeys({ ...PYTH_KEYS, quorum: 3 }),
  'another emitter': underKeys({ ...PYTH_KEYS, emitter: '0'.repeat(64) }),
  'routers in another order': underKeys({ ...PYTH_KEYS, routers: [...ROUTERS].reverse() }),
  'rules without Pyth': shown(updatesOf, {
    rules: rulesEntry(1, START, null, { sources: ['pyth'], quorum: 1 }),
  }),
  'an update where Pyth has no record': shown(updatesOf, {
    rules: pythRules([PYTH_KEYS], { sources: ['alpha', 'beta', 'pyth'], quorum: 2 }),
    record: (_, source, it) => (source === 'pyth' ? 'none' : it),
  }),
};
