import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { Balancer } from '@fairtick/kit/installation/balancer.ts';
import type { Journal } from '@fairtick/kit/judges/journal.ts';
import { judge } from '@fairtick/kit/judges/judgement.ts';
import type { LoadClient } from '@fairtick/kit/load/load-client.ts';
import { openSymbols, untilSettled } from '@fairtick/kit/load/trading.ts';
import type { RoleProcess } from '@fairtick/kit/processes/role-processes.ts';
import {
  faultsOfLog,
  openLoad,
  openSix,
  type Six,
  takeOver,
  wake,
} from '@fairtick/kit/processes/six-processes.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Two APIs behind a balancer, two engines and two feeds: processes that share only a database. One test, because the minute in
 * which its orders run is used for everything else. The long form is six-processes.long.test.ts.
 */
const CUSTOMERS = 12;

let six: Six;
let balancer: Balancer;
let journal: Journal;
let client: LoadClient;
let symbols: string[];
beforeAll(async () => {
  six = await openSix({ DRAIN_SECONDS: '1' });
  balancer = await Balancer.open(six.apis.map(({ origin }) => origin));
  ({ journal, client } = await openLoad(six.house, balancer.origin, CUSTOMERS));
  symbols = await openSymbols(balancer.origin);
}, 180_000);
afterAll(async () => {
  client?.close();
  journal?.close();
  await balancer?.close();
  await six?.house.close();
});

const newOrder = (account: string) => ({
  key: randomBytes(16).toString('hex'),
  account,
  symbol: symbols[0] as string,
  direction: 'up' as const,
  amount: '10.000000',
});
/** Sends an order again with its key, as the app does, until it is taken: a busy server may be late for it. */
const taken = (at: LoadClient, order: ReturnType<typeof newOrder>) =>
  seen(
    async () => {
      const entry = await at.place(order);
      return entry.outcome === 'ok' && entry;
    },
    { everyMs: 200, what: 'an order that is taken' },
  );
const statusAt = async ({ origin }: RoleProcess, token: string) =>
  (await fetch(`${origin}/api/user/getUserInfo`, { headers: { token } })).status;

test('six processes work as one server while one of them is killed, paused or stopped', async () => {
  const [one, two] = six.apis as [RoleProcess, RoleProcess];
  const [account, token] = client.sessions[0] as [string, string];

  // Each process of each role tells its own figures and the installation's.
  for (const [address, role] of six.metrics) {
    const text = await (await fetch(address)).text();
    expect(text).toContain(`\nfairtick_role{role="${role}"} 1\n`);
    expect(text).toContain(`fairtick_event_loop_delay_seconds{loop="${role}",quantile="0.99"}`);
    expect(Number(/^fairtick_log_size (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(Number(/^fairtick_disk_free_ratio\{folder="data"\} (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
  }

  // The same key at both APIs at once makes one order, and both streams show it.
  const streams = await Promise.all([one, two].map(({ origin }) => StreamClient.open(origin, token)));
  for (const stream of streams) await stream.sub('orders');
  const [atOne, atTwo] = [client.at(one.origin), client.at(two.origin)];
  const order = newOrder(account);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => taken(n % 2 ? atOne : atTwo, order)),
  );
  expect(new Set(answers.map(({ outcome, orderId }) => `${outcome} ${orderId}`)).size).toBe(1);
  expect(answers[0]?.outcome).toBe('ok');
  const placed = [answers[0]?.orderId];
  for (const at of [atOne, atTwo]) placed.push((await taken(at, newOrder(account))).orderId);
  for (const stream of streams) {
    for (const id of placed) await stream.next(({ topic, data }) => topic === 'orders' && data.id === id);
  }

  // A session that ends at one API ends at the other too, and so do its streams.
  expect([await statusAt(one, token), await statusAt(two, token)]).toEqual([200, 200]);
  await fetch(`${one.origin}/api/user/logout`, { method: 'POST', headers: { token } });
  await until(async () => (await statusAt(two, token)) === 401);
  for (const stream of streams) expect((await stream.end()).code).toBe(4401);

  // While customers trade: the feed's leader is paused, wakes after another has taken over, and that one is killed.
  const stop = new AbortController();
  const trading = client.trade(symbols, stop.signal);
  const feedPaused = await takeOver(six, 'feed', 'SIGSTOP');
  await wake(six, 'feed', feedPaused.led);
  const feedKilled = await takeOver(six, 'feed', 'SIGKILL');

  // An API is stopped: its customers continue at the other one without a failure.
  const accepted = () => [...journal.read().values()].filter(({ outcome }) => outcome === 'ok').length;
  expect(await one.stop()).toBe(0);
  const before = accepted();
  await until(() => accepted() >= Math.max(100, before + CUSTOMERS));
  stop.abort();
  await trading;
  expect(balancer.failures).toEqual([]);
  const entries = [...journal.read().values()];
  expect(entries.filter(({ outcome }) => outcome === 'unknown' || outcome === 'sent')).toEqual([]);

  // The same with engines while the orders of the test fall due.
  const first = await six.house.db.query<{ due: string }>('select min(settles_at_ms) as due from orders');
  await sleep(Math.max(0, Number(first.rows[0]?.due) - Date.now()));
  const enginePaused = await takeOver(six, 'engine', 'SIGSTOP');
  await wake(six, 'engine', enginePaused.led);
  const engineStopped = await takeOver(six, 'engine', 'SIGTERM');
  expect(await engineStopped.led.stop()).toBe(0);
  await untilSettled(six.house.db, 90_000);

  const took = [feedPaused, feedKilled, enginePaused, engineStopped].map(({ ms }) => ms);
  console.log(
    `${accepted()} orders; another led after ${took.join(', ')} ms (feed paused, killed; engine paused, told to stop)`,
  );
  expect(await judge(six.house.db, journal.read())).toEqual([]);
  expect(await faultsOfLog(six.house)).toEqual([]);
}, 400_000);
