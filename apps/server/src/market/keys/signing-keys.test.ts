import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCheckpoint, signNote } from '@fairtick/proof';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSigningKeys, type SigningKeys } from './signing-keys.ts';

const ORIGIN = 'test.invalid/api/transparency';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairtick-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const checkpointOf = (keys: SigningKeys, origin = ORIGIN) =>
  signNote(formatCheckpoint({ origin, size: 3, root: new Uint8Array(32) }), keys.checkpoints);

describe('the signing keys', () => {
  test('are created at the first start and read at the next', () => {
    const file = join(folder, 'signing.key');
    const made = loadSigningKeys(file, ORIGIN);
    const text = readFileSync(file, 'utf8');
    const read = loadSigningKeys(file, ORIGIN, checkpointOf(made));
    expect(read.verifierKeys).toEqual(made.verifierKeys);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('are not created if the log is already signed', () => {
    const signed = checkpointOf(loadSigningKeys(join(folder, 'lost.key'), ORIGIN));
    const file = join(folder, 'signing.key');
    expect(() => loadSigningKeys(file, ORIGIN, signed)).toThrow(/is missing.*new-log/);
    expect(existsSync(file)).toBe(false);
  });

  test('must be the ones that signed the log', () => {
    const signed = checkpointOf(loadSigningKeys(join(folder, 'right.key'), ORIGIN));
    loadSigningKeys(join(folder, 'wrong.key'), ORIGIN);
    expect(() => loadSigningKeys(join(folder, 'wrong.key'), ORIGIN, signed)).toThrow(/other keys than those/);
  });

  test('must be new ones for a new name of the log', () => {
    const signed = checkpointOf(loadSigningKeys(join(folder, 'old.key'), ORIGIN));
    const renamed = loadSigningKeys(join(folder, 'new.key'), `${ORIGIN}/20260601T000000Z`, signed);
    expect(renamed.checkpoints.name).toBe(`${ORIGIN}/20260601T000000Z`);
    expect(() => loadSigningKeys(join(folder, 'old.key'), `${ORIGIN}/20260601T000000Z`, signed)).toThrow(
      /but the log’s origin|but the log's origin/,
    );
  });
});
