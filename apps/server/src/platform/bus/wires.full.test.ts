import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { NONSENSE } from '@fairtick/kit/hostile/nonsense.ts';
import { NatsServer } from '@fairtick/kit/processes/nats.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { Listener } from './listener.ts';
import { NatsWire } from './nats-wire.ts';
import { Notifier } from './notifier.ts';
import { PostgresWire } from './postgres-wire.ts';
import type { Wire } from './wire.ts';

/** The contract of every wire. NATS needs the package nats-server. */
const db = ownDatabase();
const nats = forFile(
  () => NatsServer.open(),
  (server) => server.kill(),
);
const log = pino({ level: 'silent' });
const started: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of started.splice(0).reverse()) await part.stop();
});

const tell = (about: number) => db.server.query(`select tell('chat', $1)`, [`${about}:`]);

const WIRES: readonly (readonly [string, () => Wire, () => Promise<void>])[] = [
  [
    'LISTEN and NOTIFY',
    () => new PostgresWire(db.serverAddress, log),
    async () => {
      await db.owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'fairtick_server'`,
      );
    },
  ],
  [
    'NATS',
    () => new NatsWire(nats.url, log),
    async () => {
      await nats.kill();
      // Committed while nobody can be told.
      for (let about = 100; about < 105; about += 1) await tell(about);
      await nats.start();
    },
  ],
];

describe.each(WIRES)('%s', (_, make, cut) => {
  /** Customers of the notices that arrive; null: all has to be read again. */
  async function listen() {
    const heard: (string | null)[] = [];
    const listener = new Listener(make(), log);
    let refused = 0;
    listener.onRefused(() => {
      refused += 1;
    });
    listener.on('chat', (news) => heard.push(news?.customerId ?? null));
    await listener.start();
    started.push(listener);
    await until(() => heard.length > 0);
    expect(heard.splice(0)).toEqual([null]);
    return { heard, refused: () => refused };
  }

  function startNotifier(): void {
    const wire = make();
    const notifier = new Notifier(db.server, wire, log);
    notifier.start();
    started.push(wire, notifier);
  }

  test('brings each committed notice to every listener, and no other', async () => {
    const [one, two] = [await listen(), await listen()];
    startNotifier();
    const client = await db.server.connect();
    await client.query('begin');
    await client.query(`select tell('chat', '7:')`);
    for (let about = 1; about <= 50; about += 1) await tell(about);
    await client.query('rollback');
    client.release();
    const expected = Array.from({ length: 50 }, (__, place) => String(place + 1));
    await until(() => one.heard.length >= 50 && two.heard.length >= 50);
    expect(one.heard).toEqual(expected);
    expect(two.heard).toEqual(expected);
  });

  test('drops and counts what has no channel’s form, and hears what follows', async () => {
    const { heard, refused } = await listen();
    const wire = make();
    started.push(wire);
    await until(() =>
      wire.send(db.server, [{ channel: 'chat', payload: '1:' }]).then(
        () => true,
        () => false,
      ),
    );
    await wire.send(
      db.server,
      NONSENSE.map((payload) => ({ channel: 'chat', payload })),
    );
    await wire.send(db.server, [{ channel: 'chat', payload: '2:' }]);
    await until(() => heard.length === 2);
    expect(heard).toEqual(['1', '2']);
    expect(refused()).toBeGreaterThanOrEqual(new Set(NONSENSE).size);
  });

  test('tells after a cut that all has to be read again, and brings everything from then on', async () => {
    const { heard } = await listen();
    startNotifier();
    await tell(1);
    await until(() => heard.length === 1);
    await cut();
    await until(() => heard.includes(null));
    await until(async () => (await db.owner.query(`select from outbox where xid > '0'`)).rowCount === 0);
    const before = heard.length;
    await tell(2);
    await until(() => heard.length > before);
    expect(heard.at(-1)).toBe('2');
  });
});
