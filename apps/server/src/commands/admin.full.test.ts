import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Commands of `npm run admin` as they are typed, where there is no installation. */
const FILE = join(import.meta.dirname, 'admin.ts');
const DANGEROUS = [
  'restore /nowhere',
  'erase-customer alice',
  'rotate-keys',
  'rotate-signing-key',
  'new-log',
];
const HARMLESS = [
  'audit',
  'backup',
  'move-database',
  'first-administrators alice robert',
  'rotate-keys --prepare',
  'export orders orders.csv',
  'screening-load sdn.xml',
];

function admin(line: string): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [FILE, ...line.split(' ').filter(Boolean)], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, DATA_DIR: '/nowhere/data' },
  });
  return { code: status, out: stdout, err: stderr };
}

test('without a command, the program lists all commands', () => {
  const { code, out } = admin('');
  expect(code).toBe(2);
  for (const line of [...DANGEROUS, ...HARMLESS]) expect(out).toContain(`  ${line.split(' ')[0]}  `);
  expect(admin('--help')).toEqual({ code: 0, out, err: '' });
});

test.each([...DANGEROUS, ...HARMLESS])('%s: --help describes the command and does not run it', (line) => {
  const { code, out, err } = admin(`${line} --yes --help`);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(new RegExp(`^npm run admin -- ${line.split(' ')[0]}.*\n\n[A-Z].*\\.`));
});

test.each(DANGEROUS)('%s can’t be undone: it says so and needs --yes', (line) => {
  const { code, out, err } = admin(line);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^[A-Z].*\. [A-Z].*\nAdd --yes to do it\.\n$/);
});

test.each([
  ['rotate-keys --prepair --yes', "Unknown option '--prepair'"],
  ['new-log now --yes', '"now" is not understood'],
  ['erase-customer --yes', 'say ACCOUNT'],
  ['first-administrators alice', 'say ACCOUNT'],
  ['backup --keep', "Option '--keep <value>' argument missing"],
  ['newlog --yes', 'There is no command "newlog"'],
])('%s is refused as a mistake and does nothing', (line, reason) => {
  const { code, out, err } = admin(line);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(reason);
});

test('a command without an installation names the folder in which it looked', () => {
  expect(admin('audit')).toEqual({
    code: 2,
    out: '',
    err: 'The audit could not look: there is no database under /nowhere/data; set DATA_DIR or DATABASE_URL\n',
  });
});
