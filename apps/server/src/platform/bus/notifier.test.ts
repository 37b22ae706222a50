import { ownClient, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { Listener } from './listener.ts';
import { MOST_ROWS, Notifier, sendWaiting } from './notifier.ts';
import { PostgresWire } from './postgres-wire.ts';
import { type Notice, pack, SEPARATOR } from './wire.ts';

const db = ownDatabase();
const slow = ownClient(db);
const sender = ownClient(db);
const log = pino({ level: 'silent' });
const started: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await slow.query('rollback');
  for (const part of started.splice(0).reverse()) await part.stop();
});

const tell = (about: number) => db.server.query('select tell($1, $2)', ['chat', `${about}:`]);

/** Customers of the notices that arrive; null: all has to be read again. */
async function listen(): Promise<(string | null)[]> {
  const heard: (string | null)[] = [];
  const listener = new Listener(new PostgresWire(db.serverAddress, log), log);
  listener.on('chat', (news) => heard.push(news?.customerId ?? null));
  await listener.start();
  started.push(listener);
  expect(heard.splice(0)).toEqual([null]);
  return heard;
}

function startNotifier(): void {
  const notifier = new Notifier(db.server, new PostgresWire(db.serverAddress, log), log);
  notifier.start();
  started.push(notifier);
}

test('no function of the database notifies: its lock is the whole server’s until the commit is confirmed', async () => {
  const { rows } = await db.owner.query(
    `select proname from pg_proc where prosrc ilike '%notify%' and pronamespace::regnamespace::text in ('public', 'ledger')`,
  );
  expect(rows).toEqual([]);
});

test('a notice of a transaction that commits late is sent all the same, and none is sent twice', async () => {
  const sent: string[] = [];
  const wire = {
    send: async (_: unknown, notices: readonly Notice[]) =>
      void sent.push(...notices.flatMap(({ payload }) => payload.split(SEPARATOR))),
    confirm: async () => {},
  };
  await slow.query('begin');
  await slow.query(`select tell('chat', '1:')`);
  await tell(2);
  let floor = await sendWaiting(sender, wire);
  expect(sent).toEqual(['2:']);
  await tell(3);
  floor = await sendWaiting(sender, wire, floor);
  await slow.query('commit');
  floor = await sendWaiting(sender, wire, floor);
  floor = await sendWaiting(sender, wire, floor);
  expect(sent).toEqual(['2:', '3:', '1:']);
  await slow.query('begin');
  await slow.query(`select tell('chat', '4:')`);
  await slow.query('rollback');
  await sendWaiting(sender, wire, floor);
  expect(sent).toHaveLength(3);
});

describe('of two notifiers', () => {
  test('one sends; when its connection is cut, the other goes on, and nothing is lost or told twice', async () => {
    const heard = await listen();
    startNotifier();
    startNotifier();
    const expected: string[] = [];
    for (let about = 1; about <= 60; about += 1) {
      await tell(about);
      expected.push(String(about));
      if (about % 20 !== 0) continue;
      await until(() => heard.length >= expected.length);
      const { rows } = await db.owner.query(
        `select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.locktype = 'advisory' and l.objid = 7059`,
      );
      expect(rows).toHaveLength(1);
    }
    await tell(61);
    await until(() => heard.length > 60);
    expect(heard).toEqual([...expected, '61']);
  });
});

test('after the loss of what waited, as in a crash, all is read again', async () => {
  const heard = await listen();
  startNotifier();
  await tell(1);
  await until(() => heard.length === 1);
  await db.owner.query('truncate outbox');
  await until(() => heard.length === 2);
  await tell(2);
  await until(() => heard.length === 3);
  expect(heard).toEqual(['1', null, '2']);
});

test('while nothing can be sent, the outbox has a bound, and afterwards all is read again', async () => {
  await db.owner.query(
    `insert into outbox (channel, payload, at)
     select 'chat', i || ':', now() - interval '1 minute' * (i = 7)::int from generate_series(1, $1) i`,
    [MOST_ROWS],
  );
  const rows = async () =>
    (
      await db.owner.query<{ channel: string; age: number }>(
        `select channel, extract(epoch from now() - at)::int as age from outbox where xid > '0' limit 2`,
      )
    ).rows;
  let isAway = true;
  const wire = new PostgresWire(db.serverAddress, log);
  const breaking = {
    send: (...sent: Parameters<PostgresWire['send']>) =>
      isAway ? Promise.reject(new Error('away')) : wire.send(...sent),
    confirm: async () => {},
  };
  const notifier = new Notifier(db.server, breaking, log);
  notifier.start();
  started.push(notifier);
  await until(async () => (await rows()).length === 1);
  const [row] = await rows();
  expect(row?.channel).toBe('missed');
  expect(row?.age).toBeGreaterThanOrEqual(60);
  const heard = await listen();
  await tell(1);
  isAway = false;
  await until(() => heard.length === 2);
  expect([...heard].sort()).toEqual(['1', null]);
});

test('notices of one channel travel together, below the 8 000 bytes of a notification, and equal ones once', () => {
  const notices: Notice[] = Array.from({ length: 3_000 }, (_, place) => ({
    channel: 'orders',
    payload: `${1_000 + (place % 1_500)}:0`,
  }));
  notices.push({ channel: 'chat', payload: '7:' });
  const packed = pack(notices);
  expect(packed.at(-1)).toEqual({ channel: 'chat', payload: '7:' });
  expect(packed.length).toBeLessThan(4);
  for (const { payload } of packed) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
  const payloads = packed.flatMap(({ payload }) => payload.split(SEPARATOR));
  expect(payloads).toEqual([...new Set(notices.map(({ payload }) => payload))]);
});
