import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { nameOfTables } from '../../apps/server/src/platform/db/schema-files.ts';
import { faultsOf } from './conditions.ts';
import { SUMS, writeSums } from './files.ts';
import { frozenFault } from './freeze.ts';
import { notesOf, POLICY_PATH, SIGNERS_PATH } from './notes.ts';
import { isShipped } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');
const MANIFESTS = ['package.json', 'apps/web/package.json', 'packages/money/package.json'];
const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

/** A small checkout with this project's manifests and changelog, all committed. */
function checkout(): {
  folder: string;
  change: (path: string, from: RegExp, to: string) => void;
  commit: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'checkout-'));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder });
  for (const path of [...MANIFESTS, 'CHANGELOG.md']) cpSync(join(ROOT, path), join(folder, path));
  git('init', '--quiet');
  const commit = () => {
    git('add', '.');
    git('commit', '--quiet', '--message', 'All');
  };
  commit();
  const change = (path: string, from: RegExp, to: string) =>
    writeFileSync(join(folder, path), read(folder, path).replace(from, to));
  return { folder, change, commit };
}

const { version } = JSON.parse(read(ROOT, 'package.json')) as { version: string };

test('a clean checkout of one version with its section of the changelog is released', () => {
  expect(faultsOf(checkout().folder)).toEqual([]);
});

test('a changed and an untracked file are named', () => {
  const { folder, change } = checkout();
  change('CHANGELOG.md', /^/, ' ');
  writeFileSync(join(folder, 'more.txt'), '');
  expect(faultsOf(folder)).toEqual(['the tree is not clean: CHANGELOG.md, more.txt']);
});

test('a workspace of another version, or that names another one, is named', () => {
  const { folder, change, commit } = checkout();
  change('packages/money/package.json', /"version": "[^"]+"/, '"version": "9.9.9"');
  change('apps/web/package.json', /"@fairtick\/money": "[^"]+"/, '"@fairtick/money": "9.9.9"');
  commit();
  expect(faultsOf(folder)).toEqual([
    `apps/web/package.json has @fairtick/money 9.9.9, package.json ${version}`,
    `packages/money/package.json has version 9.9.9, package.json ${version}`,
  ]);
});

test('a version without a section is refused, also where the section of another begins alike', () => {
  const { folder, change, commit } = checkout();
  change('CHANGELOG.md', new RegExp(`^## ${version}`, 'm'), `## ${version}1`);
  commit();
  expect(faultsOf(folder)).toEqual([`CHANGELOG.md has no section "## ${version}"`]);
});

test('the notes are the section of the changelog, with the keys to pin, or the word that there are none', () => {
  const { folder } = checkout();
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    `# Changelog\n\n## ${version}\n\n### Fixed\n- One.\n\n## 0.0.1\n- Old.\n`,
  );
  const without = notesOf(folder, version, 'abc');
  expect(without).toContain('Commit abc.');
  expect(without).toMatch(
    /Signing keys of releases: none\.\n\nWitnesses: none\. .*\n\n## Fixed\n- One\.\n$/s,
  );
  mkdirSync(join(folder, 'ops'));
  writeFileSync(join(folder, POLICY_PATH), 'witness name+key\nquorum 1\n');
  writeFileSync(join(folder, SIGNERS_PATH), 'releases@house.example ssh-ed25519 AAAA\n');
  const notes = notesOf(folder, version, 'abc');
  expect(notes).toContain('witness name+key\nquorum 1\n```');
  expect(notes).toContain('```\nreleases@house.example ssh-ed25519 AAAA\n```');
});

test('a version is released with its kept house alone, of the tables of schema/', () => {
  const { folder } = checkout();
  const wanted = 'run `npm run release -- freeze` and commit what it writes';
  expect(frozenFault(folder, version)).toBe(`tests/releases has no house of ${version}: ${wanted}`);
  const keep = (tables: string) => {
    mkdirSync(join(folder, 'tests/releases'), { recursive: true });
    const about = { version, tables, files: {} };
    writeFileSync(
      join(folder, `tests/releases/${version}.sql.br`),
      brotliCompressSync(`-- ${JSON.stringify(about)};\n`),
    );
  };
  keep('0001-initial-of-others');
  expect(frozenFault(folder, version)).toContain(`has other tables than schema/: ${wanted}`);
  keep(nameOfTables());
  expect(frozenFault(folder, version)).toBeNull();
});

test('tests and what they are made with are no part of an installation', () => {
  const left = [
    'apps/web/src/a.test.tsx',
    'packages/proof/test/entries.ts',
    'apps/web/dist/a.js',
    'apps/web/node_modules/a.js',
  ];
  expect(left.filter(isShipped)).toEqual([]);
  expect(
    ['apps/web/src/latest.ts', 'docs/receipt-vectors.json', 'apps/server/schema/rights.sql'].every(isShipped),
  ).toBe(true);
});

test('the sums and their signature are checked with the system’s own programs, and a changed file fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sums-'));
  const key = join(mkdtempSync(join(tmpdir(), 'key-')), 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'release', '-f', key]);
  writeFileSync(join(folder, 'one'), '1');
  writeSums(folder, key);
  const verify = () => {
    const signers = join(folder, '../signers');
    writeFileSync(signers, `release@example.com ${readFileSync(`${key}.pub`, 'utf8')}`);
    const options = ['-Y', 'verify', '-f', signers, '-I', 'release@example.com', '-n', 'fairtick-release'];
    execFileSync('ssh-keygen', [...options, '-s', join(folder, `${SUMS}.sig`)], {
      input: readFileSync(join(folder, SUMS)),
    });
    execFileSync('sha256sum', ['--check', '--quiet', SUMS], { cwd: folder, stdio: 'pipe' });
  };
  verify();
  writeFileSync(join(folder, 'one'), '2');
  expect(verify).toThrow('1 computed checksum did NOT match');
  writeFileSync(join(folder, SUMS), '');
  expect(verify).toThrow('ssh-keygen');
});
