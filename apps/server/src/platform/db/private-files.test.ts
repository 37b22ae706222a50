import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSigningKeys, makeKeyFile as makeSigningKeys } from '../../market/log/signing-keys.ts';
import { makeKeyFile, readKeyFile } from '../sealing/key-file.ts';
import { socketDirOf, startEmbedded } from './embedded.ts';
import { keepFolderPrivate, prepareSocketDir } from './private-files.ts';

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
  rmSync(socketDir, { recursive: true, force: true });
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
  test('is refused if it belongs to another user', async () => {
    mkdirSync(socketDir, { mode: 0o700 });
    if (process.getuid?.() === 0) {
      chownSync(socketDir, 65_533, 65_533);
      expect(await refusal()).toContain(`${socketDir}, which belongs to user 65533, not 0`);
    } else {
      // Only root can give a folder away, so one of root's serves as another user's.
      expect(() => prepareSocketDir('/usr', { command: [], ids: null })).toThrow('which belongs to user 0');
    }
  });

  test('is refused if it is a link', async () => {
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(folder, 'elsewhere'), socketDir);
    expect(await refusal()).toContain(`${socketDir}, which is no folder`);
  });

  test('is refused if other users can write to it', async () => {
    mkdirSync(socketDir);
    chmodSync(socketDir, 0o777);
    expect(await refusal()).toContain(`${socketDir}, which is open to other users (mode 0777)`);
  });

  test('is refused if others can replace it in its parent folder, or if its path is too long', async () => {
    const before = process.env.TMPDIR;
    try {
      process.env.TMPDIR = folder;
      chmodSync(folder, 0o777);
      expect(await refusal()).toBe(
        `${folder} lets others remove what is ours: set TMPDIR to a folder of your own`,
      );
      chmodSync(folder, 0o700);
      process.env.TMPDIR = join(folder, 'x'.repeat(60));
      mkdirSync(process.env.TMPDIR);
      expect(await refusal()).toContain('is too long: set TMPDIR to a shorter folder');
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});

describe('the data folder', () => {
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
