import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** A run that leaves a file and a process behind, and says where. Then it ends, fails, or waits for a signal. */
const RUN = `
  import { spawn } from 'node:child_process';
  import { writeFileSync } from 'node:fs';
  import { tmpdir } from 'node:os';
  import { inRunFolder } from ${JSON.stringify(join(import.meta.dirname, 'run-folder.ts'))};
  await inRunFolder(async () => {
    const folders = [tmpdir(), process.env.TEST_MEMORY].filter((folder) => folder !== undefined);
    for (const folder of folders) writeFileSync(folder + '/left behind', '');
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    child.unref();
    console.log(JSON.stringify({ folders, pid: child.pid }));
    if (process.env.HOW === 'fails') throw new Error('a test run failed');
    if (process.env.HOW === 'waits') await new Promise((done) => setTimeout(done, 60_000));
  });
`;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.each([
  { how: 'ends', signal: null, code: 0 },
  { how: 'fails', signal: null, code: 1 },
  { how: 'waits', signal: 'SIGINT', code: 130 },
  { how: 'waits', signal: 'SIGTERM', code: 143 },
] as const)('a run that $how ($signal) leaves no file and no process', async ({ how, signal, code }) => {
  const run = spawn(process.execPath, ['--input-type=module', '--eval', RUN], {
    env: { ...process.env, HOW: how },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(run, 'exit');
  const [said] = await once(run.stdout, 'data');
  const { folders, pid } = JSON.parse(String(said)) as { folders: string[]; pid: number };
  if (signal !== null) run.kill(signal);
  expect((await ended)[0]).toBe(code);
  expect(folders.filter(existsSync)).toEqual([]);
  await expect.poll(() => isRunning(pid)).toBe(false);
});
