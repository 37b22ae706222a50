/** Runs the command as a user with a file, two keys and no network; also checks the test vectors in the documentation. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  contradictionOf,
  type LoggedAnswer,
  type NoteVerifier,
  nobleVerifier,
  type Receipt,
  type SignedAcceptance,
  verifyLogged,
  verifyReceipt,
  witnessVerifier,
} from '../src/index.ts';
import {
  ACCEPTANCES_KEY,
  carriedAgain,
  LOG_KEY,
  loggedOf,
  NONCE,
  receiptOf,
  STRANGERS_KEY,
  story,
  WITNESSES,
} from './story.ts';
import { applied, makeVectors } from './vectors.ts';

// Each run starts a process, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const BIN = join(import.meta.dirname, '../bin/fairtick.ts');
const KEYS = ['--key', LOG_KEY.verifierKey, '--key', ACCEPTANCES_KEY.verifierKey];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairtick-verify-'));
  writeFileSync(join(folder, 'won.json'), JSON.stringify(receiptOf(story('won')), null, 2));
  const answer = { code: 1, msg: '', data: receiptOf(story('void, too few sources at the opening')) };
  writeFileSync(join(folder, 'answer.json'), JSON.stringify(answer));
  const forged = {
    ...receiptOf(story('won')),
    outcome: { ...receiptOf(story('won')).outcome, result: 'loss' },
  };
  writeFileSync(join(folder, 'forged.json'), JSON.stringify(forged));
  writeFileSync(join(folder, 'half.json'), JSON.stringify(receiptOf(story('won'))).slice(0, 900));
  const { acceptance } = receiptOf(story('won'));
  writeFileSync(join(folder, 'kept.txt'), acceptance.text);
  writeFileSync(
    join(folder, 'kept.json'),
    JSON.stringify({ code: 1, msg: '', data: { id: '7169', acceptance } }),
  );
  writeFileSync(join(folder, 'logged.json'), JSON.stringify({ code: 1, data: loggedOf(story('won')) }));
  writeFileSync(join(folder, 'again.json'), JSON.stringify(receiptOf(carriedAgain())));
  writeFileSync(
    join(folder, 'cosigned.json'),
    JSON.stringify(receiptOf(story('won, cosigned by two witnesses'))),
  );
  const lines = WITNESSES.map(({ verifierKey }) => `witness ${verifierKey}`);
  writeFileSync(join(folder, 'policy'), ['# both', 'quorum 2', ...lines, ''].join('\n'));
  writeFileSync(join(folder, 'none'), ['quorum 3', ...lines].join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const env = { ...process.env, FAIRTICK_KEYS: join(folder, 'pinned') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

describe('fairtick verify', () => {
  test('reports what a valid receipt proves and what it does not', () => {
    const { code, out } = run('verify', 'won.json', ...KEYS);
    expect(code).toBe(0);
    expect(out).toContain('VALID: all that this receipt claims follows from the log.');
    expect(out).toContain(
      'The price of its opening time, 2026-05-28 20:26:43.000 UTC, is 1.08427 (entry 7).',
    );
    expect(out).toContain('180.000001 USDT were due');
    expect(out).toContain('it is not independently witnessed');
    expect(out).not.toMatch(/undefined|WRONG/);
  });

  test('refuses the server’s whole answer with a sentence that says what to do', () => {
    const { code, out, err } = run('verify', 'answer.json', ...KEYS);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('take "data" out of it');
    const { data } = JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'));
    writeFileSync(join(folder, 'void.json'), JSON.stringify(data));
    const taken = run('verify', 'void.json', ...KEYS);
    expect([taken.code, taken.out.includes('void (no_price)')]).toEqual([0, true]);
    expect(taken.out).not.toContain('undefined');
  });

  test('tells a receipt with fewer witnesses than a policy wants from one that is not valid', () => {
    expect(run('verify', 'cosigned.json', '--policy', 'policy', ...KEYS).code).toBe(0);
    const alone = run('verify', 'won.json', '--policy', 'policy', ...KEYS);
    expect([alone.code, alone.out.includes('it is not independently witnessed')]).toEqual([3, true]);
    expect(run('verify', 'forged.json', '--policy', 'policy', ...KEYS).code).toBe(1);
    expect(run('verify', 'won.json', '--policy', 'none', ...KEYS).code).toBe(2);
    expect(run('verify', 'won.json', '--policy', 'kept.txt', ...KEYS).code).toBe(2);
  });

  test('names the fault of a forged receipt', () => {
    const { code, out } = run('verify', 'forged.json', ...KEYS);
    expect(code).toBe(1);
    expect(out).toContain('the result is loss where the rules make it profit');
    expect(out).toContain('NOT VALID');
  });

  test('compares the receipt with the kept acceptance', () => {
    for (const kept of ['kept.txt', 'kept.json'])
      expect(run('verify', 'won.json', '--acceptance', kept, ...KEYS).code).toBe(0);
    expect(run('verify', 'won.json', '--acceptance', 'logged.json', ...KEYS).code).toBe(2);
    // Its last two lines are empty.
    const unseen = receiptOf(story('won, with nothing seen'));
    writeFileSync(join(folder, 'unseen.json'), JSON.stringify(unseen));
    writeFileSync(join(folder, 'unseen.txt'), unseen.acceptance.text);
    writeFileSync(join(folder, 'ended.txt'), `${unseen.acceptance.text}\n`);
    for (const kept of ['unseen.txt', 'ended.txt'])
      expect(run('verify', 'unseen.json', '--acceptance', kept, ...KEYS).code).toBe(0);
    writeFileSync(
      join(folder, 'other.txt'),
      receiptOf({ ...story('won'), terms: { orderId: '8' } }).acceptance.text,
    );
    expect(run('verify', 'won.json', '--acceptance', 'other.txt', ...KEYS).code).toBe(1);
  });

  test('compares the receipt with the kept answer about the log', () => {
    const kept = ['--acceptance', 'kept.json', '--logged', 'logged.json', ...KEYS];
    const right = run('verify', 'won.json', ...kept);
    expect([right.code, right.out.includes('the entry of the log that carries it')]).toEqual([0, true]);
    expect(run('verify', 'again.json', '--acceptance', 'kept.txt', ...KEYS).code).toBe(0);
    const again = run('verify', 'again.json', ...kept);
    expect([again.code, again.out.includes('its batch was in the log before')]).toEqual([1, true]);
    expect(run('verify', 'won.json', '--logged', 'logged.json', ...KEYS).code).toBe(2);
    writeFileSync(
      join(folder, 'fork.json'),
      JSON.stringify(receiptOf({ ...story('won'), held: { size: 7 } })),
    );
    expect(run('verify', 'fork.json', ...KEYS).code).toBe(0);
    const fork = run('verify', 'fork.json', ...kept);
    expect([fork.code, fork.out.includes('its log continues the one that was kept')]).toEqual([1, true]);
    writeFileSync(
      join(folder, 'twice.json'),
      JSON.stringify(loggedOf(story('won'))).replace('{', '{"batch":6,'),
    );
    expect(
      run('verify', 'won.json', '--acceptance', 'kept.json', '--logged', 'twice.json', ...KEYS).code,
    ).toBe(2);
  });

  test('compares the receipt with the nonce of what was asked for', () => {
    const right = run('verify', 'won.json', '--nonce', NONCE, ...KEYS);
    expect([right.code, right.out.includes('It names what was asked for')]).toEqual([0, true]);
    expect(right.out).not.toContain('Its acceptance is the one that was kept');
    const wrong = run('verify', 'won.json', '--nonce', NONCE.replace('0', '1'), ...KEYS);
    expect([wrong.code, wrong.out.includes('does not name what was asked for')]).toEqual([1, true]);
    expect(run('verify', 'won.json', '--nonce', NONCE.toUpperCase(), ...KEYS).code).toBe(2);
  });

  test('checks nothing in a file with other bytes than UTF-8, or with a byte order mark', () => {
    const bytes = readFileSync(join(folder, 'won.json'));
    writeFileSync(join(folder, 'bytes.json'), Buffer.concat([bytes, Buffer.of(0xff)]));
    writeFileSync(join(folder, 'marked.json'), Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytes]));
    for (const file of ['bytes.json', 'marked.json'])
      expect([file, run('verify', file, ...KEYS).code]).toEqual([file, 2]);
  });

  test('trusts only keys that are given or pinned', () => {
    expect(run('verify', 'won.json').code).toBe(2);
    expect(run('verify', 'won.json', '--key', LOG_KEY.verifierKey).code).toBe(2);
    expect(run('verify', 'won.json', '--key', STRANGERS_KEY.verifierKey, ...KEYS.slice(2)).code).toBe(1);
    expect(run('pin', LOG_KEY.verifierKey, ACCEPTANCES_KEY.verifierKey).code).toBe(0);
    expect(run('pin', LOG_KEY.verifierKey).out).toMatch(/^0 pinned/);
    expect(run('verify', 'won.json').code).toBe(0);
    expect(run('pin', 'no key').code).toBe(2);
  });

  test('exits with 2 when nothing can be checked', () => {
    for (const args of [
      [],
      ['verify'],
      ['verify', 'won.json', '--what'],
      ['verify', 'nowhere.json'],
      ['verify', 'half.json'],
    ]) {
      const { code, err } = run(...args, ...(args.length === 2 ? KEYS : []));
      expect([args, code]).toEqual([args, 2]);
      expect(err.length).toBeGreaterThan(10);
    }
  });

  test('prints the same result as JSON', () => {
    const { out } = run('verify', 'won.json', '--json', ...KEYS);
    expect(JSON.parse(out)).toMatchObject({ isValid: true, shown: { form: 'opened' } });
  });
});

test('fairtick owed tells a customer who was left out from one whose amount was counted wrongly', () => {
  const claim = {
    asset: 'USDT',
    decimals: 6,
    date: '2026-05-28',
    total: '5',
    root: '0'.repeat(64),
    logged: null,
  };
  const path: unknown[] = [];
  const leaf = { customer: 'someone else', nonce: '00', amount: '5', place: 0, path };
  const owed = (claims: readonly object[], ...args: string[]) => {
    writeFileSync(join(folder, 'owed.json'), JSON.stringify({ code: 1, data: claims }));
    return run('owed', 'owed.json', '--customer', 'me', ...args, ...KEYS);
  };
  const absent = { ...claim, leaf: null };
  const left = owed([absent]);
  expect([left.code, left.out.includes('USDT: LEFT OUT')]).toEqual([4, true]);
  expect(owed([]).code).toBe(4);
  expect(owed([absent, { ...claim, asset: 'DEMO', leaf }]).code).toBe(1);
  expect(owed([absent, { ...claim, asset: 'DEMO', leaf }], '--asset', 'USDT').code).toBe(4);
  const unnamed = owed([absent], '--asset', 'EUR');
  expect([unnamed.code, unnamed.out]).toEqual([4, 'EUR: LEFT OUT: the server says nothing of it.\n']);
});

/** What docs/receipt-vectors.json holds. */
interface Vectors {
  readonly keys: { readonly log: string; readonly acceptances: string };
  readonly witnesses: readonly string[];
  readonly receipts: Readonly<
    Record<string, { receipt: Receipt; limits: string[]; witnesses: number; witnessedBefore: number }>
  >;
  readonly frauds: Readonly<Record<string, { receipt: Receipt; refusedBy: string }>>;
  readonly evidence: Readonly<
    Record<
      string,
      {
        acceptance: SignedAcceptance;
        answer: LoggedAnswer;
        isInTime: boolean;
        receipt: Receipt;
        contradiction: string | null;
      }
    >
  >;
  readonly refusedEvidence: Readonly<
    Record<string, { acceptance: SignedAcceptance; answer: unknown; refusedBy: string }>
  >;
  readonly asked: readonly { of: string; nonce: string; text: string; agrees: boolean }[];
  readonly refused: readonly { of: string; pointer: string; value: unknown; refusedBy: string }[];
}

test('the vectors of the documentation equal the output of their script, and are judged as they say', () => {
  const text = readFileSync(new URL('../../../docs/receipt-vectors.json', import.meta.url), 'utf8');
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(makeVectors())));
  const vectors: Vectors = JSON.parse(text);
  const verifier = (key: string) => nobleVerifier(key) as NoteVerifier;
  const keys = {
    log: [verifier(vectors.keys.log)],
    acceptances: [verifier(vectors.keys.acceptances)],
    witnesses: [],
  };
  const witnesses = vectors.witnesses.map((key) => witnessVerifier(key) as NoteVerifier);
  for (const { receipt, limits, ...counts } of Object.values(vectors.receipts)) {
    expect(verifyReceipt(receipt, { keys })).toMatchObject({ isValid: true, limits });
    const { shown } = verifyReceipt(receipt, { keys: { ...keys, witnesses } });
    expect([shown?.witnesses.length, shown?.witnessedBefore?.length]).toEqual([
      counts.witnesses,
      counts.witnessedBefore,
    ]);
  }
  for (const { of, nonce, agrees } of vectors.asked)
    expect(verifyReceipt(vectors.receipts[of]?.receipt, { keys, kept: { nonce } }).isValid).toBe(agrees);
  for (const { receipt, refusedBy } of Object.values(vectors.frauds)) {
    const refuted = verifyReceipt(receipt, { keys }).steps.find(({ state }) => state === 'refuted');
    expect(refuted?.id).toBe(refusedBy);
  }
  for (const { acceptance, answer, receipt, contradiction, isInTime } of Object.values(vectors.evidence)) {
    expect(verifyLogged(acceptance, answer, { keys })).toMatchObject({ isValid: true, found: { isInTime } });
    expect(verifyReceipt(receipt, { keys }).isValid).toBe(true);
    expect(contradictionOf({ acceptanceText: acceptance.text, logged: answer }, receipt)).toBe(contradiction);
  }
  for (const { acceptance, answer, refusedBy } of Object.values(vectors.refusedEvidence))
    expect(verifyLogged(acceptance, answer, { keys }).refusedBy).toBe(refusedBy);
  for (const { of, pointer, value, refusedBy } of vectors.refused) {
    const report = verifyReceipt(applied(vectors.receipts[of]?.receipt, pointer, value), { keys });
    expect([pointer, report.steps.find(({ state }) => state === 'refuted')?.id]).toEqual([
      pointer,
      refusedBy,
    ]);
  }
});
