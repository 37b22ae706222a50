import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { expect, test } from 'vitest';

const KIT = join(import.meta.dirname, '../../tests/kit/processes/processes.ts');
const COUNT = 50;
/** The first port that systems give to connections and servers which name none; Linux has the lowest. */
const FIRST_GIVEN = 32_768;
/** Asks for ports as a worker of the tests does, all from the same first one on, and ends with its input. */
const WORKER = `
  Math.random = () => 0.5;
  const { freePort } = await import(${JSON.stringify(KIT)});
  const ports = [];
  while (ports.length < ${COUNT}) ports.push(await freePort());
  console.log(JSON.stringify(ports));
  process.stdin.resume();
`;

function startWorker() {
  const worker = spawn(process.execPath, ['--input-type=module', '--eval', WORKER], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return {
    asked: once(worker.stdout, 'data').then(([data]) => JSON.parse(String(data)) as number[]),
    end: async () => {
      worker.stdin.end();
      await once(worker, 'exit');
    },
  };
}

test('workers that run at once get different ports, which the system gives to no other program', async () => {
  const workers = Array.from({ length: 4 }, startWorker);
  const ports = (await Promise.all(workers.map(({ asked }) => asked))).flat();
  await Promise.all(workers.map(({ end }) => end()));
  expect(ports).toHaveLength(4 * COUNT);
  expect(new Set(ports).size).toBe(4 * COUNT);
  expect(Math.max(...ports)).toBeLessThan(FIRST_GIVEN);
});

test('a port at which another program listens is passed over', async () => {
  const program = createServer();
  let taken = 0;
  while (!program.listening) {
    taken = (await freePort()) + 1;
    program.listen(taken, '127.0.0.1');
    // Another worker's server may be there.
    await once(program, 'listening').catch(() => {});
  }
  expect(await freePort()).not.toBe(taken);
  program.close();
});
