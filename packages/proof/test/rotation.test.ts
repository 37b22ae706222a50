/**
 * Key rotation in the log: which hand-overs extend a pinned key, and which must be refused. Both verifiers judge each receipt.
 */
import { describe, expect, test } from 'vitest';
import { readKey } from '../../../tests/second-verifier/reading.ts';
import { verify } from '../../../tests/second-verifier/verify.ts';
import {
  followKey,
  followKeys,
  followLogKeys,
  generateNoteKey,
  LogFault,
  leafHash,
  type NoteVerifier,
  nobleVerifier,
  type OwedClaim,
  owedLeaf,
  type RangedVerifier,
  type Receipt,
  rangedVerifier,
  sumTree,
  type TrustedKeys,
  toHex,
  verifyOwed,
} from '../src/index.ts';
import { faultOf } from './judging.ts';
import { inclusionProof } from './rfc-proofs.ts';
import { ShownLog } from './shown-log.ts';
import {
  ACCEPTANCES_KEY,
  AT,
  agreed,
  handOver,
  LOG_KEY,
  NEXT_ACCEPTANCES_KEY,
  NEXT_LOG_KEY,
  ORIGIN,
  RULES_ENTRY,
  receiptOf,
  STRANGERS_KEY,
  type Story,
  story,
  TRUSTED,
  withMore,
} from './story.ts';

const THIRD_KEY = generateNoteKey(ORIGIN, new Uint8Array(32).fill(6));
const SECOND = { log: readKey(LOG_KEY.verifierKey), acceptances: readKey(ACCEPTANCES_KEY.verifierKey) };
const verifier = (key: { verifierKey: string }) => nobleVerifier(key.verifierKey) as NoteVerifier;
const ranged = (key: { verifierKey: string }, from: number, until: number | null): RangedVerifier =>
  rangedVerifier({ key: key.verifierKey, from, until }) as RangedVerifier;

const followed = story('won, signed with keys that followed');
const won = story('won');
/** With another hand-over of the log's key at index 3, and a checkpoint signed by its new key. */
const withHandOver = (entry: string, key: { signerKey: string }): Story => ({
  ...followed,
  log: followed.log.with(3, entry),
  checkpointKey: key.signerKey,
});

/** The result of both verifiers, which know only the first keys: the step that refuses it, or `valid`. */
function judgement(receipt: Receipt, keys?: TrustedKeys): string {
  const first = faultOf(receipt, keys).split(':')[0] ?? '';
  const second = verify(JSON.stringify(receipt), SECOND);
  if (keys === undefined) expect(second.valid ? 'valid' : second.refusedBy).toBe(first);
  return first;
}

describe('a receipt signed with later keys', () => {
  test('is valid for a verifier that trusts the first keys, the signing keys, or both', () => {
    const receipt = receiptOf(followed);
    expect(judgement(receipt)).toBe('valid');
    const now = {
      log: [verifier(NEXT_LOG_KEY)],
      acceptances: [verifier(NEXT_ACCEPTANCES_KEY)],
      witnesses: [],
    };
    expect(judgement(receipt, now)).toBe('valid');
    const both = {
      log: [...TRUSTED.log, ...now.log],
      acceptances: [...now.acceptances, ...TRUSTED.acceptances],
      witnesses: [],
    };
    expect(judgement(receipt, both)).toBe('valid');
    // The second verifier gives the same result when it trusts only the newer keys.
    const newer = {
      log: readKey(NEXT_LOG_KEY.verifierKey),
      acceptances: readKey(NEXT_ACCEPTANCES_KEY.verifierKey),
    };
    expect(verify(JSON.stringify(receipt), newer).valid).toBe(true);
    const third = withMore(
      { ...followed, log: [...followed.log, handOver(AT.settles, NEXT_LOG_KEY, THIRD_KEY)] },
      4,
    );
    const last = third.log.length - 1;
    const shown = [...third.shown, ['key', last]] as Story['shown'];
    const signed = { checkpointKey: THIRD_KEY.signerKey, held: { key: NEXT_LOG_KEY.signerKey } };
    expect(judgement(receiptOf({ ...third, shown, ...signed }))).toBe('valid');
  });

  test('is valid when the new key signs the checkpoint only, and the old one the acceptance', () => {
    const later = withMore(won, 11, handOver(AT.settles, LOG_KEY, NEXT_LOG_KEY));
    const shown = [...later.shown, ['key', 11]] as Story['shown'];
    const signed = { checkpointKey: NEXT_LOG_KEY.signerKey, held: { key: LOG_KEY.signerKey } };
    expect(judgement(receiptOf({ ...later, shown, ...signed }))).toBe('valid');
    expect(judgement(receiptOf({ ...later, shown, ...signed, held: {} }))).toBe('held');
  });

  test.each<[string, Story, string]>([
    [
      'the retired key signs what is younger',
      { ...followed, checkpointKey: LOG_KEY.signerKey },
      'checkpoint',
    ],
    ['the retired key accepts', { ...followed, acceptancesKey: ACCEPTANCES_KEY.signerKey }, 'acceptance'],
    [
      'a stranger handed over',
      withHandOver(handOver(AT.before, STRANGERS_KEY, NEXT_LOG_KEY), NEXT_LOG_KEY),
      'keys',
    ],
    [
      'the acceptances’ key handed over that of the log',
      withHandOver(handOver(AT.before, ACCEPTANCES_KEY, NEXT_LOG_KEY), NEXT_LOG_KEY),
      'keys',
    ],
    ['a key hands over to itself', withHandOver(handOver(AT.before, LOG_KEY, LOG_KEY), LOG_KEY), 'keys'],
    [
      'the new key is of another log',
      withHandOver(
        handOver(AT.before, LOG_KEY, generateNoteKey('other.example/log', new Uint8Array(32).fill(8))),
        LOG_KEY,
      ),
      'keys',
    ],
    [
      'the new key is none',
      withHandOver(handOver(AT.before, LOG_KEY, { verifierKey: `${ORIGIN}+00000000+AAAA` }), LOG_KEY),
      'keys',
    ],
  ])('is refused where %s', (_, told, step) => {
    // If the verifier trusts only this key, a hand-over to itself looks like its own arrival; so give the key a known range.
    if (told.log[3]?.includes(LOG_KEY.verifierKey)) {
      const known = { ...TRUSTED, log: [ranged(LOG_KEY, 0, null)] };
      expect(judgement(receiptOf(told), known)).toBe(step);
    } else expect(judgement(receiptOf(told))).toBe(step);
  });

  test('is refused where a retired key comes back', () => {
    const back = [
      handOver(AT.settles, NEXT_LOG_KEY, THIRD_KEY),
      handOver(AT.settles, THIRD_KEY, NEXT_LOG_KEY),
    ];
    const log = [...followed.log, ...back];
    const shown = [...followed.shown, ['key', log.length - 2], ['key', log.length - 1]] as Story['shown'];
    expect(judgement(receiptOf({ ...followed, log, shown }))).toBe('keys');
  });

  test('is refused where the hand-over is not the known one', () => {
    const known = (from: number): TrustedKeys => ({
      ...TRUSTED,
      log: [ranged(LOG_KEY, 0, from - 1), ranged(NEXT_LOG_KEY, from, null)],
    });
    expect(judgement(receiptOf(followed), known(4))).toBe('valid');
    expect(judgement(receiptOf(followed), known(3))).toBe('keys');
    // A thief of the retired key hands over to a key of their own, in a log of their own.
    const forged = withHandOver(handOver(AT.before, LOG_KEY, STRANGERS_KEY), STRANGERS_KEY);
    expect(judgement(receiptOf(forged))).toBe('valid');
    expect(judgement(receiptOf(forged), known(4))).toBe('checkpoint');
  });
});

describe('a chain of keys', () => {
  const first = { index: 5, entry: handOver(1, LOG_KEY, NEXT_LOG_KEY) };
  const second = { index: 9, entry: handOver(2, NEXT_LOG_KEY, THIRD_KEY) };
  const other = { index: 4, entry: handOver(1, ACCEPTANCES_KEY, NEXT_ACCEPTANCES_KEY) };

  test('has ranges without a gap', () => {
    expect(followKey({ key: LOG_KEY.verifierKey }, [other, first, second])).toEqual([
      { key: LOG_KEY.verifierKey, from: 0, until: 5 },
      { key: NEXT_LOG_KEY.verifierKey, from: 6, until: 9 },
      { key: THIRD_KEY.verifierKey, from: 10, until: null },
    ]);
    expect(followKey({ key: NEXT_LOG_KEY.verifierKey }, [first, second])?.[0]).toMatchObject({ from: 6 });
    expect(followKey({ key: THIRD_KEY.verifierKey }, [first, second])).toEqual([
      { key: THIRD_KEY.verifierKey, from: 10, until: null },
    ]);
  });

  test('is refused in another order, with a missing link, or with an entry that is no hand-over', () => {
    expect(followKey({ key: LOG_KEY.verifierKey }, [second, first])).toBe(null);
    expect(followKey({ key: LOG_KEY.verifierKey }, [second])).toBe(null);
    expect(followKey({ key: LOG_KEY.verifierKey }, [{ index: 5, entry: 'key|4|1|a|b' }])).toBe(null);
    expect(
      followKey({ key: LOG_KEY.verifierKey, from: 0 }, [
        { ...first, index: 5 },
        { ...first, index: 9 },
      ]),
    ).toBe(null);
    const apart = [ranged(LOG_KEY, 0, null), ranged(NEXT_LOG_KEY, 7, null)];
    expect(followKeys(apart, [first])).toBe(null);
  });
});

describe('the keys that a log reports', () => {
  const texts = [RULES_ENTRY, handOver(1, LOG_KEY, NEXT_LOG_KEY), agreed(1, AT.before, '1.08400')];
  const rotations = [{ index: 1, entry: texts[1] as string, oldKey: LOG_KEY.verifierKey }];
  class Rotated extends ShownLog {
    told = rotations;
    override async keys() {
      return { ...(await super.keys()), rotations: this.told };
    }
  }
  const log = () => Object.assign(new Rotated(texts), { signerKey: NEXT_LOG_KEY.signerKey });
  const pinned = [{ key: LOG_KEY.verifierKey }];

  test('are followed if each hand-over is at the reported index', async () => {
    const { keys, checkpoint } = await followLogKeys(log(), pinned);
    expect(checkpoint.size).toBe(3);
    expect(keys.map(({ from, until }) => [from, until])).toEqual([
      [0, 1],
      [2, null],
    ]);
  });

  test('are at fault if a hand-over is elsewhere, is not reported, or is signed by a stranger', async () => {
    const faultIn = (source: Rotated) =>
      followLogKeys(source, pinned).then(
        () => null,
        (error) => (error instanceof LogFault ? error.message : String(error)),
      );
    const moved = log();
    moved.told = rotations.map((each) => ({ ...each, index: 0 }));
    expect(await faultIn(moved)).toMatch(/said to stand at 0 does not stand there/);
    const silent = log();
    silent.told = [];
    expect(await faultIn(silent)).toMatch(/not signed by the key of the log/);
    const strange = log();
    strange.told = [
      { ...(rotations[0] as (typeof rotations)[0]), entry: handOver(1, STRANGERS_KEY, NEXT_LOG_KEY) },
    ];
    expect(await faultIn(strange)).toMatch(/not handed over/);
  });
});

describe('the proof of an owed amount in a log with new keys', () => {
  const leaf = { nonce: new Uint8Array(32), customer: '7', amount: 5n };
  const levels = sumTree([owedLeaf(leaf), owedLeaf({ ...leaf, customer: '8' })]);
  const root = levels.at(-1)?.[0];
  const entry = `liabilities|4|2026-06-01|${AT.before}|USDT|0.000010|${toHex(root?.hash ?? new Uint8Array(0))}|${'0'.repeat(64)}`;
  const texts = [RULES_ENTRY, handOver(1, LOG_KEY, NEXT_LOG_KEY), entry];
  const prove = (index: number) =>
    inclusionProof(
      texts.map((text) => leafHash(text)),
      index,
    ).map(toHex);
  async function claim(signerKey: string, handedOverAt = 1): Promise<OwedClaim> {
    const other = levels[0]?.[1];
    const checkpoint = await Object.assign(new ShownLog(texts), { signerKey }).checkpoint();
    const keys = [{ index: handedOverAt, entry: texts[1] as string, proof: prove(1) }];
    return {
      asset: 'USDT',
      decimals: 6,
      date: '2026-06-01',
      total: '10',
      root: toHex(root?.hash ?? new Uint8Array(0)),
      leaf: {
        customer: '7',
        nonce: toHex(leaf.nonce),
        amount: '5',
        place: 0,
        path: [{ sum: String(other?.sum), hash: toHex(other?.hash ?? new Uint8Array(0)) }],
      },
      logged: { index: 2, entry, proof: prove(2), checkpoint, keys },
    };
  }
  const judge = (owed: OwedClaim, keys: readonly RangedVerifier[]) =>
    verifyOwed(owed, { customer: '7', keys });

  test('is accepted with the key that was valid then, also if only the first key is trusted', async () => {
    const right = await claim(NEXT_LOG_KEY.signerKey);
    expect(judge(right, TRUSTED.log)).toBe(null);
    expect(judge(right, [verifier(NEXT_LOG_KEY)])).toBe(null);
    expect(judge(right, [ranged(LOG_KEY, 0, 1), ranged(NEXT_LOG_KEY, 2, null)])).toBe(null);
  });

  test('is refused with a retired key, a stranger’s key, or a hand-over at another index', async () => {
    expect(judge(await claim(LOG_KEY.signerKey), TRUSTED.log)).toBe('log');
    expect(judge(await claim(STRANGERS_KEY.signerKey), TRUSTED.log)).toBe('log');
    expect(judge(await claim(NEXT_LOG_KEY.signerKey, 0), TRUSTED.log)).toBe('log');
    expect(judge(await claim(NEXT_LOG_KEY.signerKey), [ranged(LOG_KEY, 0, 2)])).toBe('log');
  });
});
