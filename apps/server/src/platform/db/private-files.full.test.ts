import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSigningKeys, makeKeyFile as makeSigningKeys } from '../../market/keys/signing-keys.ts';
import { makeKeyFile, readKeyFile } from '../sealing/key-file.ts';
import { socketDirOf, startEmbedded } from './embedded.ts';
import { keepFolderPrivate } from './private-files.ts';

let folder: string;
let dataDir: string;
let socketDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairtick-private-'));
  dataDir = join(folder, 'data');
  socketDir = socketDirOf(join(dataDir, 'postgres'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
/** The message of a start that is refused; it must leave no database. */
async function refusal(): Promise<string> {
  const told = await startEmbedded(dataDir).then(
    async (started) => {
      await started.stop();
      return 'it started';
    },
    (error: Error) => error.message,
  );
  expect(told.split('\n')).toHaveLength(1);
  return told;
}

describe('the folder of the database’s socket', () => {
  test('is in the data folder, for its owner alone, also if it was open, and nothing is in the temporary folder', async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = join(folder, 'no such folder');
    mkdirSync(socketDir, { recursive: true });
    chmodSync(socketDir, 0o777);
    // Links to the libraries of a version that was installed in another folder.
    mkdirSync(join(dataDir, 'libraries'));
    for (const name of ['libpq.so.5', 'libicuuc.so.60'])
      symlinkSync('/gone', join(dataDir, 'libraries', name));
    try {
      const started = await startEmbedded(dataDir);
      await started.stop();
      expect([started.socketDir, modeOf(socketDir)]).toEqual([join(dataDir, 'socket'), '700']);
      expect(existsSync(process.env.TMPDIR)).toBe(false);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });

  test('is refused if its path is longer than the system allows', async () => {
    dataDir = join(folder, 'x'.repeat(100));
    expect(await refusal()).toContain('set DATA_DIR to a shorter path');
  });
});

describe('the data folder', () => {
  test('is refused in one line where it can’t be made', async () => {
    writeFileSync(join(folder, 'file'), '');
    dataDir = join(folder, 'file/data');
    expect(await refusal()).toBe(
      `${dataDir} can't be made (ENOTDIR): set DATA_DIR to a folder that this user may write to`,
    );
  });

  test('is created for its owner alone and closed if it was open', () => {
    keepFolderPrivate(dataDir);
    expect(modeOf(dataDir)).toBe('700');
    chmodSync(dataDir, 0o755);
    keepFolderPrivate(dataDir);
    expect(modeOf(dataDir)).toBe('700');
  });

  test('has key files that only their owner can read', () => {
    keepFolderPrivate(dataDir);
    const [personal, signing] = [join(dataDir, 'encryption.keys'), join(dataDir, 'signing.key')];
    makeKeyFile(personal);
    makeSigningKeys(signing, 'house.invalid');
    for (const file of [personal, signing]) {
      expect(modeOf(file)).toBe('600');
      chmodSync(file, 0o644);
    }
    readKeyFile(personal);
    loadSigningKeys(signing, 'house.invalid');
    expect([modeOf(personal), modeOf(signing)]).toEqual(['600', '600']);
    // A key file that is only readable, for this user alone, is private enough.
    chmodSync(personal, 0o400);
    readKeyFile(personal);
    expect(modeOf(personal)).toBe('400');
  });
});
