/** Receipts of every form, mutated value by value, and inputs that are no receipt. */
import { sample, sized } from '@fairtick/kit/size.ts';
import { describe, expect, test } from 'vitest';
import {
  type NoteVerifier,
  parseReceipt,
  type Receipt,
  type TrustedKeys,
  toHex,
  verifyReceipt,
  wordsOf,
} from '../src/index.ts';
import { loosenessOf } from '../src/receipt/loose-rules.ts';
import { faultOf, judge } from './judging.ts';
import {
  hash,
  NONCE,
  RULES,
  RULES_ENTRY,
  RULES_HASH,
  receiptOf,
  rules,
  SIGNED_MS,
  STORIES,
  type Story,
  story,
  TRUSTED,
  WITNESSED,
  withEntries,
} from './story.ts';

const NAMES = Object.keys(STORIES);
/** A line of a witness that is not pinned proves nothing, so it may be any. */
const UNWITNESSED = NAMES.filter((name) => {
  const { cosignedMs, held } = story(name);
  return !cosignedMs && !held?.cosignedMs;
});

/** The same keys with a cache of verified signatures, because thousands of mutations share them. */
function remembering(keys: TrustedKeys): TrustedKeys {
  const once = (verifier: NoteVerifier): NoteVerifier => {
    const known = new Map<string, boolean>();
    return {
      ...verifier,
      verify: (message, signature) => {
        const key = `${toHex(message)} ${toHex(signature)}`;
        const isRight = known.get(key) ?? verifier.verify(message, signature);
        known.set(key, isRight);
        return isRight;
      },
    };
  };
  return {
    log: keys.log.map(once),
    acceptances: keys.acceptances.map(once),
    witnesses: keys.witnesses.map(once),
  };
}

describe('a receipt', () => {
  test.each(NAMES)('%s: is valid and lists what it does not prove', (name) => {
    const receipt = receiptOf(story(name));
    expect(faultOf(receipt)).toBe('valid');
    const { limits, steps } = judge(receipt);
    expect(limits).toEqual(
      expect.arrayContaining(['witnesses', 'uniqueness', 'records', 'clicks', 'solvency']),
    );
    expect(steps.every(({ state }) => state === 'proved' || state === 'absent')).toBe(true);
    expect(parseReceipt(JSON.stringify(receipt))).toEqual(receipt);
  });

  test.each([
    ['won', 'The price of its settlement time, 2026-05-28 20:27:43.000 UTC, is 1.08451 (entry 10).'],
    ['won, by its close', 'is 1.08422 (entry 10), and 1.08432 after its last records were known (entry 12).'],
    [
      'won, by the close of its opening',
      'is 1.08432 (entry 7), and 1.08422 after its last records were known',
    ],
    ['void, too few sources at the opening', 'Too few sources counted at its opening time'],
    [
      'won, no price of its settlement time',
      'The log had no price of 2026-05-28 20:27:43.000 UTC 24 hours later (entry 9), so the order wins.',
    ],
    ['won, a record open at the settlement', 'that a source had no later record at the time of a price'],
    ['won', 'the rules of the order are loose (they have a source that nobody else publishes);'],
  ])('%s: says what decided', (name, sentence) => {
    const words = wordsOf(judge(receiptOf(story(name)))).join('\n');
    expect(words).toContain(sentence);
    expect(words).not.toContain('undefined');
  });

  test('counts witnesses that cosigned within 5 s of its time', () => {
    const needed = (told: Story, witnessesNeeded?: number) => {
      const report = verifyReceipt(receiptOf(told), {
        keys: WITNESSED,
        ...(witnessesNeeded === undefined ? {} : { witnessesNeeded }),
      });
      return [report.isValid, report.shown?.witnesses.length, report.limits.includes('witnesses')];
    };
    const cosigned = story('won, cosigned by two witnesses');
    expect(needed(cosigned)).toEqual([true, 2, false]);
    expect(needed(cosigned, 3)).toEqual([true, 2, true]);
    expect(needed({ ...cosigned, cosignedMs: [SIGNED_MS - 6_000, SIGNED_MS] })).toEqual([true, 1, true]);
    expect(needed({ ...cosigned, cosignedMs: [SIGNED_MS - 6_000, SIGNED_MS] }, 1)).toEqual([true, 1, false]);
    expect(needed(story('won'))).toEqual([true, 0, true]);
    expect(faultOf(receiptOf(cosigned), WITNESSED)).toBe('valid');
    const forged = receiptOf(cosigned);
    const line = forged.checkpoint.split('\n').at(-2) ?? '';
    const broken = forged.checkpoint.replace(line, `${line.slice(0, -8)}AAAAAA==`);
    expect(faultOf({ ...forged, checkpoint: broken }, WITNESSED)).toMatch(/^checkpoint: /);
    expect(faultOf({ ...forged, checkpoint: broken })).toBe('valid');
  });

  test('names the witnesses that cosigned its batch before the order opened', () => {
    const namesIn = (told: Story) => {
      const report = verifyReceipt(receiptOf(told), { keys: WITNESSED });
      return [report.shown?.witnessedBefore, wordsOf(report).join('\n')] as const;
    };
    const [both, words] = namesIn(story('won, witnessed before it opened'));
    expect(both).toEqual(['witness.example/6', 'witness.example/7']);
    expect(words).toContain(
      'before the order opened it was witnessed by witness.example/6, witness.example/7.',
    );
    expect(namesIn(story('won, opened at the latest time that may be named'))[0]).toEqual([
      'witness.example/6',
    ]);
    const [none, without] = namesIn(story('won'));
    expect(none).toEqual([]);
    expect(without).toContain('no pinned witness is shown to have cosigned it before the order opened');
  });

  test('lists that the server may have chosen the opening time, unless a nonce shows that the customer named it', () => {
    const kept = { nonce: NONCE };
    expect(verifyReceipt(receiptOf(story('won')), { keys: TRUSTED, kept }).limits).not.toContain('instant');
    const madeUp = judge(receiptOf({ ...story('won'), terms: { asked: 'ab'.repeat(32) } }));
    expect([madeUp.isValid, madeUp.limits[0]]).toEqual([true, 'instant']);
    const chosen = judge(receiptOf(story('won, the server chose the opening time')));
    expect([chosen.isValid, chosen.limits[0]]).toEqual([true, 'instant']);
    expect(wordsOf(chosen).join('\n')).toContain('that the customer named the opening time');
  });
});

describe('the limit of loose rules', () => {
  const EXCHANGES = ['binance', 'coinbase', 'kraken', 'okx'];
  /** The won order with other sources, and with other rules. */
  const looseOf = (change: object, sources = EXCHANGES) => {
    const renamed = (text: string) =>
      text.replaceAll(/(?<=[|;])([abcd]),/g, (_, source) => `${sources['abcd'.indexOf(source)]},`);
    const own = rules(1, 1_779_990_000_000, '0'.repeat(64), { sources, ...change });
    const { log } = story('won');
    const report = judge(
      receiptOf({
        ...story('won'),
        log: log.map((text, at) =>
          at === 0 ? own : at === 7 || at === 10 ? renamed(text).replace(RULES_HASH, hash(own)) : text,
        ),
        terms: { rulesHash: hash(own) },
      }),
    );
    return [report.isValid, report.shown?.loose, report.limits.includes('rules')];
  };

  test.each<[string, object, readonly string[], readonly string[]]>([
    ['four exchanges', {}, EXCHANGES, []],
    ['a source of the house among them', {}, ['binance', 'coinbase', 'kraken', 'our-own'], ['own']],
    ['Pyth without its keys', {}, ['binance', 'coinbase', 'kraken', 'pyth'], ['own']],
    ['2 % at most', { outlierBps: 200 }, EXCHANGES, []],
    ['more than 2 %', { outlierBps: 201 }, EXCHANGES, ['far']],
    ['10 s at most', { quietMs: 10_000 }, EXCHANGES, []],
    ['more than 10 s', { quietMs: 10_001 }, EXCHANGES, ['old']],
  ])('%s', (_, change, sources, loose) => {
    expect(looseOf(change, [...sources])).toEqual([true, loose, loose.length > 0]);
  });

  test('few sources are named, and Pyth alone is not, where its routers are', () => {
    const read = (change: object) =>
      loosenessOf({ ...RULES, ...change } as Parameters<typeof loosenessOf>[0]);
    expect(read({ sources: ['binance', 'okx'] })).toEqual(['few']);
    expect(read({ sources: ['pyth'] })).toEqual(['few', 'own']);
    expect(read({ sources: ['pyth'], pyth: { feed: '', keys: [] } })).toEqual([]);
  });
});

/** Every value of a document that can be changed alone, with ways to change it. */
function* mutations(
  value: unknown,
  every: number,
  path = '',
): Generator<[string, (put: unknown) => void, unknown]> {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const [name, held] of Object.entries(holder)) {
    const at = `${path}/${name}`;
    const put = (changed: unknown) => {
      holder[name] = changed;
    };
    for (const changed of changesOf(held, every)) yield [at, put, changed];
    yield* mutations(held, every, at);
  }
}

let turn = 0;

function* changesOf(held: unknown, every: number): Generator<unknown> {
  yield* [null, {}, [], '', -1, 0.5, 2 ** 53, true].filter(
    (other) => JSON.stringify(other) !== JSON.stringify(held),
  );
  if (typeof held === 'number') yield* [held + 1, held - 1, held * 2 + 7];
  if (typeof held === 'string') {
    yield* [`${held}x`, `${held}\n`, held.toUpperCase(), held.slice(1)].filter((other) => other !== held);
    for (let at = 0; at < held.length; at += 1) {
      turn += 1;
      if (turn % every !== 0) continue;
      const code = held.charCodeAt(at);
      const flipped = String.fromCharCode(code ^ (1 << (turn % 5)));
      yield held.slice(0, at) + flipped + held.slice(at + 1);
      yield held.slice(0, at) + held.slice(at + 1);
    }
  }
  if (Array.isArray(held)) {
    for (const [at, each] of held.entries()) {
      yield held.toSpliced(at, 1);
      yield held.toSpliced(at, 0, each);
      if (at > 0) yield held.toSpliced(at - 1, 2, each, held[at - 1]);
    }
  } else if (typeof held === 'object' && held !== null) {
    yield { ...held, more: 1 };
    for (const name of Object.keys(held)) {
      yield Object.fromEntries(Object.entries(held).filter(([other]) => other !== name));
    }
  }
}

/** Its entries without a close, or without the opening of an order that has no settlement price: only whoever reads the log can tell. */
const unseenIn = ({ entries }: Receipt): string[] =>
  entries.flatMap(({ role, entry }, at) => {
    const isUnseen =
      entry.startsWith('close|') || (role === 'opening' && entries.some((each) => each.role === 'waited'));
    return isUnseen ? [JSON.stringify(entries.toSpliced(at, 1))] : [];
  });

describe('mutations', () => {
  test.each(sample(UNWITNESSED, 2))('%s: every mutation is refused', { timeout: 180_000 }, (name) => {
    const keys = remembering(TRUSTED);
    const document = { receipt: JSON.parse(JSON.stringify(receiptOf(story(name)))) as Receipt };
    const whole = JSON.stringify(document.receipt);
    const unseen = unseenIn(document.receipt);
    let tried = 0;
    const accepted: unknown[] = [];
    for (const [path, put, changed] of mutations(document, sized(51, 17))) {
      const before = path
        .split('/')
        .slice(1)
        .reduce<unknown>((held, part) => (held as Record<string, unknown>)[part], document);
      put(changed);
      const isTaken = verifyReceipt(document.receipt, { keys }).isValid;
      if (isTaken && !unseen.includes(JSON.stringify(changed))) accepted.push([path, changed]);
      put(before);
      tried += 1;
    }
    expect(accepted).toEqual([]);
    expect(JSON.stringify(document.receipt)).toBe(whole);
    expect(tried).toBeGreaterThan(sized(400, 700));
  });

  test('a part of another receipt is refused', () => {
    const keys = remembering(TRUSTED);
    const receipts = UNWITNESSED.map((name) => receiptOf(story(name)));
    const accepted: unknown[] = [];
    for (const one of receipts) {
      for (const other of receipts) {
        for (const part of Object.keys(one) as (keyof Receipt)[]) {
          if (JSON.stringify(one[part]) === JSON.stringify(other[part])) continue;
          if (verifyReceipt({ ...one, [part]: other[part] }, { keys }).isValid)
            accepted.push([part, one, other]);
        }
      }
    }
    expect(accepted).toEqual([]);
  });
});

const won = story('won');

describe('hostile input', () => {
  const receipt = () => JSON.parse(JSON.stringify(receiptOf(won)));
  test.each([
    ['nothing', null],
    ['a number', 7],
    ['a list', []],
    ['a deep list', JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)],
    ['another version', { ...receipt(), version: 1 }],
    ['ten thousand entries', { ...receipt(), entries: Array(10_000).fill(receipt().entries[0]) }],
    ['a proof without an end', { ...receipt(), batch: { proof: Array(100_000).fill('0'.repeat(64)) } }],
    ['a note of a megabyte', { ...receipt(), checkpoint: 'x\n'.repeat(500_000) }],
    [
      'an entry of a megabyte',
      { ...receipt(), entries: [{ role: 'rules', index: 0, entry: 'x'.repeat(1e6), proof: [] }] },
    ],
    ['a number beyond all', { ...receipt(), entries: [{ ...receipt().entries[0], index: 1e300 }] }],
    ['a lone surrogate', { ...receipt(), checkpoint: '\ud800' }],
    ['a list with a hole', { ...receipt(), batch: { proof: Array(3) } }],
    ['entries with a hole', { ...receipt(), entries: Array(3) }],
  ])('%s is refused, at once', (_what, value) => {
    const report = verifyReceipt(value, { keys: TRUSTED });
    expect(report.isValid).toBe(false);
    expect(report.steps[0]?.state).toBe('refuted');
  });

  test('text that is no JSON, or too long, is no receipt', () => {
    expect(parseReceipt('{')).toBeNull();
    expect(parseReceipt(`"${'x'.repeat(3_000_000)}"`)).toBeNull();
  });

  test('rules that would make the judgement of an order throw are refused', () => {
    for (const changed of [
      { decimals: 400 },
      { delayMs: 1e300 },
      { cycles: 'x' },
      { sources: [1] },
      { delayMs: 1999 },
      { sources: ['b', 'a'] },
      { sources: [] },
      { limits: [{ asset: 'USDT', scale: 19 }] },
      { limits: [...RULES.limits, ...RULES.limits] },
      { quorum: 2 },
      { quorum: 5 },
      { quietMs: 0 },
      { quietMs: 86_400_001 },
      { waitMs: 60_001 },
      { waitMs: -1 },
    ]) {
      const text = rules(1, 1_779_990_000_000, '0'.repeat(64), changed);
      expect(faultOf(receiptOf(withEntries(won, { 0: text })))).toMatch(
        /^form: the rules at 0 can not be read/,
      );
    }
    expect(RULES_ENTRY).toContain('EUR/USD');
  });
});
