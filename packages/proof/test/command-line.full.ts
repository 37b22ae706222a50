/** Runs the command as a user with a file, two keys and no network; also checks the test vectors in the documentation. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type NoteVerifier, nobleVerifier, verifyReceipt } from '../src/index.ts';
import { ACCEPTANCES_KEY, LOG_KEY, receiptOf, STRANGERS_KEY, story } from './story.ts';
import { applied, makeVectors } from './vectors.ts';

// Each run starts a process, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const BIN = new URL('../bin/fairtick.ts', import.meta.url).pathname;
const KEYS = ['--key', LOG_KEY.verifierKey, '--key', ACCEPTANCES_KEY.verifierKey];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairtick-verify-'));
  writeFileSync(join(folder, 'won.json'), JSON.stringify(receiptOf(story('won')), null, 2));
  const answer = { code: 1, msg: '', data: receiptOf(story('void, a gap before it opened')) };
  writeFileSync(join(folder, 'answer.json'), JSON.stringify(answer));
  const forged = {
    ...receiptOf(story('won')),
    outcome: { ...receiptOf(story('won')).outcome, result: 'loss' },
  };
  writeFileSync(join(folder, 'forged.json'), JSON.stringify(forged));
  writeFileSync(join(folder, 'half.json'), JSON.stringify(receiptOf(story('won'))).slice(0, 900));
  writeFileSync(join(folder, 'kept.txt'), receiptOf(story('lost')).acceptance.text);
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
    expect(out).toContain('It opened at the first tick that may open it: 1.08427');
    expect(out).toContain('180.000001 USDT were due');
    expect(out).toContain('it is not independently witnessed');
    expect(out).not.toMatch(/undefined|WRONG/);
  });

  test('accepts the server’s whole answer, and the receipt of a void order', () => {
    const { code, out } = run('verify', 'answer.json', ...KEYS);
    expect([code, out.includes('void (gap)')]).toEqual([0, true]);
    expect(out).not.toContain('undefined');
  });

  test('names the fault of a forged receipt', () => {
    const { code, out } = run('verify', 'forged.json', ...KEYS);
    expect(code).toBe(1);
    expect(out).toContain('the result is loss where the rules make it profit');
    expect(out).toContain('NOT VALID');
  });

  test('compares the receipt with the kept acceptance', () => {
    expect(run('verify', 'won.json', '--acceptance', 'kept.txt', ...KEYS).code).toBe(0);
    writeFileSync(
      join(folder, 'other.txt'),
      receiptOf({ ...story('won'), terms: { orderId: '8' } }).acceptance.text,
    );
    expect(run('verify', 'won.json', '--acceptance', 'other.txt', ...KEYS).code).toBe(1);
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

test('the vectors of the documentation equal the output of their script, and are judged as they say', () => {
  const text = readFileSync(new URL('../../../docs/receipt-vectors.json', import.meta.url), 'utf8');
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(makeVectors())));
  const vectors = JSON.parse(text);
  const verifier = (key: string) => nobleVerifier(key) as NoteVerifier;
  const keys = {
    log: [verifier(vectors.keys.log)],
    acceptances: [verifier(vectors.keys.acceptances)],
    witnesses: [],
  };
  for (const { receipt, limits } of Object.values<{ receipt: unknown; limits: string[] }>(vectors.receipts)) {
    expect(verifyReceipt(receipt, { keys })).toMatchObject({ isValid: true, limits });
  }
  for (const { of, pointer, value, refusedBy } of vectors.refused) {
    const report = verifyReceipt(applied(vectors.receipts[of].receipt, pointer, value), { keys });
    expect([pointer, report.steps.find(({ state }) => state === 'refuted')?.id]).toEqual([
      pointer,
      refusedBy,
    ]);
  }
});
