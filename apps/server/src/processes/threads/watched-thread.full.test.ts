import { setTimeout as sleep } from 'node:timers/promises';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { WatchedThread } from './watched-thread.ts';

const SCRIPT = new URL('../../../../../tests/kit/processes/restless-thread.ts', import.meta.url);

/** Starts a thread, and records its messages and the log's lines about it. */
async function start(fails: string): Promise<{ thread: WatchedThread; said: number[]; logged: string[] }> {
  const said: number[] = [];
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(JSON.parse(line).msg) });
  const thread = await WatchedThread.start({
    name: 'restless',
    script: SCRIPT,
    data: { fails },
    log,
    onMessage: (message) => {
      if (message.kind === 'made') said.push(...message.productIds);
    },
  });
  return { thread, said, logged };
}

test('a thread that ends by itself is started again and logged, and a stopped thread is not', async () => {
  const { thread, said, logged } = await start('after it');
  await seen(() => said.length >= 3);
  expect(new Set(said)).toEqual(new Set([process.pid]));
  expect(new Set(logged)).toEqual(new Set(['the thread of the restless ended and is started again']));
  await thread.stop();
  const before = said.length;
  await sleep(600);
  expect(said.length).toBe(before);
});

test('the start of a thread that fails at its start rejects with the reason', async () => {
  await expect(start('at its start')).rejects.toThrow('this one can not start');
});

test('a running thread stops in order, and a finished thread is not started again', async () => {
  const { thread, said, logged } = await start('never');
  await thread.stop();
  expect(said).toEqual([process.pid, 0]);
  const done = await start('never, and is done');
  await seen(() => done.said.length === 2);
  await done.thread.stop();
  expect([...logged, ...done.logged]).toEqual([]);
});
