import { post, register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import { HOSTILE_IDS } from '@fairtick/kit/hostile/hostile-values.ts';
import { type RunningApi, startApi } from '@fairtick/kit/installation/running-api.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from './channels.ts';
import { Listener } from './listener.ts';

let db: TestDatabase;
let api: RunningApi;
beforeAll(async () => {
  db = await createTestDatabase();
  api = await startApi(db);
});
afterAll(async () => {
  await api?.stop();
  await db?.drop();
});

const CHANNELS: readonly Channel[] = ['log', 'orders', 'earnings', 'notices', 'sessions', 'chat'];
const HASH = 'a'.repeat(64);
/** Of no channel's form. */
const NONSENSE = [
  ...HOSTILE_IDS.filter((id) => !/^\d*$/.test(id) && !id.includes('\0')),
  ...[
    'null',
    'true',
    '[]',
    '{}',
    '"1"',
    '[null]',
    '{"customerId":null}',
    '{"customerId":1}',
    ':',
    '::',
    ':1',
  ],
  ...[
    '1:2:3',
    '0:x',
    '-1:2',
    'x:0',
    ',',
    '1:0,',
    '1:0,,2:0',
    '1:1e3',
    '1:0x10',
    '1 :2',
    '١:٢',
    '1;2',
    '1.5:2',
  ],
  `{"customerId":"1","tokenHash":"${HASH}"}`,
  `{"customerId":"1","tokenHash":"${HASH.toUpperCase()}","exceptHash":null}`,
  `{"customerId":["1"],"tokenHash":null,"exceptHash":null}`,
  '{"__proto__":{"customerId":"1"}}',
  '1:0,'.repeat(1_900),
  '9'.repeat(7_000),
  '['.repeat(7_000),
];

test('no notice ends a process: those of another form are counted, logged once for each channel, and dropped', async () => {
  const lines: string[] = [];
  const listener = new Listener(db.serverAddress, pino({}, { write: (line) => lines.push(line) }));
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
