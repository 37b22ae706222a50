import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { post, register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { NONSENSE } from '@fairtick/kit/hostile/nonsense.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Channel } from './channels.ts';
import { Listener } from './listener.ts';
import { PostgresWire } from './postgres-wire.ts';

const db = ownDatabase();
const api = ownApi(db);

const CHANNELS: readonly Channel[] = [
  'log',
  'checkpoints',
  'orders',
  'earnings',
  'notices',
  'sessions',
  'chat',
];
/** Bytes in use after a collection of garbage. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('no notice ends a process: those of another form are counted, logged once for each channel, and dropped', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push(line) });
  const listener = new Listener(new PostgresWire(db.serverAddress, log), log);
  const heard = new Map<Channel, unknown[]>(CHANNELS.map((channel) => [channel, []]));
  for (const channel of CHANNELS) listener.on(channel, (news) => heard.get(channel)?.push(news));
  let refused = 0;
  listener.onRefused(() => {
    refused += 1;
  });
  await listener.start();
  const customer = await register(api.origin);
  const stream = await StreamClient.open(api.origin, customer.token);
  await stream.sub('orders');

  for (const channel of CHANNELS) {
    for (const payload of NONSENSE) await db.server.query('select pg_notify($1, $2)', [channel, payload]);
  }
  await until(() => refused === CHANNELS.length * NONSENSE.length);
  expect(lines.map((line) => JSON.parse(line).channel).sort()).toEqual([...CHANNELS].sort());
  // Null, from the connection.
  for (const channel of CHANNELS) expect([channel, heard.get(channel)]).toEqual([channel, [null]]);

  // The API heard all of it too, and still hears.
  expect(stream.closed).toBeNull();
  const { body } = await post(api.origin, 'user/logout', {}, { token: customer.token });
  expect(body.code).toBe(1);
  expect((await stream.end()).code).toBe(4401);
  await until(() => heard.get('sessions')?.length === 2);
  expect(heard.get('sessions')?.[1]).toMatchObject({ tokenHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await listener.stop();
});

test('notices of another form stay in no memory', async () => {
  const send = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const channel of CHANNELS)
        await db.server.query('select pg_notify($1, text) from unnest($2::text[]) text', [channel, NONSENSE]);
    }
  };
  await send(50);
  const before = heapUsed();
  // Some 15 MB, in 30 000 notices.
  await send(100);
  expect((heapUsed() - before) / 1e6).toBeLessThan(3);
});

test('a flood of well-formed notices holds the event loop for moments only, and loses nothing that counts', async () => {
  const log = pino({ level: 'silent' });
  const listener = new Listener(new PostgresWire(db.serverAddress, log), log);
  const heard: (unknown | null)[] = [];
  listener.on('orders', (news) => heard.push(news));
  await listener.start();
  expect(heard).toEqual([null]);
  // Processor time of this thread: the load of the machine does not count.
  let longestMs = 0;
  let isOver = false;
  let beforeMs = spentMs();
  const turn = () => {
    const nowMs = spentMs();
    longestMs = Math.max(longestMs, nowMs - beforeMs);
    beforeMs = nowMs;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  // Each names 150 orders, as the largest of ours do.
  await db.server.query(
    `select pg_notify('orders', (select string_agg(c || ':' || n, ',') from generate_series(1, 150) c)) from generate_series(1, 20000) n`,
  );
  await until(() => heard.length > 20_000 || heard.slice(1).includes(null), 120_000);
  isOver = true;
  expect(longestMs).toBeLessThan(100);
  await listener.stop();
}, 180_000);

function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
