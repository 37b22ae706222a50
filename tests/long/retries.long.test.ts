import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal, JournalEntry } from '@fairtick/kit/judges/journal.ts';
import { judge } from '@fairtick/kit/judges/judgement.ts';
import type { LoadClient } from '@fairtick/kit/load/load-client.ts';
import { openSymbols, untilSettled } from '@fairtick/kit/load/trading.ts';
import type { RoleProcess } from '@fairtick/kit/processes/role-processes.ts';
import { openLoad, openSix, type Six } from '@fairtick/kit/processes/six-processes.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Promises 5 and 7 with real processes: two APIs, one of which is killed between a commit and its answer. */
const ROUNDS = Number(process.env.ROUNDS ?? 100);
const KILLS = Number(process.env.KILLS ?? 10);

let six: Six;
let journal: Journal;
let client: LoadClient;
let symbol: string;
beforeAll(async () => {
  six = await openSix();
  const [{ origin }] = six.apis as [RoleProcess, RoleProcess];
  ({ journal, client } = await openLoad(six.house, origin, ROUNDS + KILLS));
  [symbol] = (await openSymbols(origin)) as [string];
});
afterAll(async () => {
  client?.close();
  journal?.close();
  await six?.house.close();
});

const newOrder = (account: string, amount: string) => ({
  key: randomBytes(16).toString('hex'),
  account,
  symbol,
  direction: 'up' as const,
  amount,
});
const accountOf = (place: number) => (client.sessions[place] as readonly [string, string])[0];
/** Errors that depend on the moment and not on the request. */
const FOR_NOW = ['LATE', 'PRICE_UNAVAILABLE', 'NOT_READY', 'TOO_MANY_REQUESTS'];

/** Sends an order again with the same key until the answer is not one of `FOR_NOW`. */
async function persistently(
  door: LoadClient,
  order: Parameters<LoadClient['place']>[0],
): Promise<JournalEntry> {
  for (;;) {
    const entry = await door.place(order);
    if (!FOR_NOW.includes(entry.error ?? '')) return entry;
    await sleep(20);
  }
}

describe('promise 5', () => {
  test(`one of 100 orders of the whole balance at once is accepted, in each of ${ROUNDS} rounds`, async () => {
    const doors = six.apis.map(({ origin }) => client.at(origin)) as [LoadClient, LoadClient];
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = accountOf(round);
      // The stake limit of a one-minute order is 5000, half of the initial 10000. After this order exactly one of the next orders fits.
      expect(await persistently(doors[0], newOrder(account, '5000.000000'))).toMatchObject({ outcome: 'ok' });
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, place) =>
          persistently(doors[place % 2] as LoadClient, newOrder(account, '5000.000000')),
        ),
      );
      const accepted = answers.filter(({ outcome }) => outcome === 'ok');
      expect([round, accepted.length]).toEqual([round, 1]);
      expect(answers.filter(({ error }) => error === 'INSUFFICIENT_BALANCE')).toHaveLength(99);
    }
    for (const door of doors) door.close();
  });
});

describe('promise 7', () => {
  test(`the other API gives the answer after an API is killed between commit and answer, ${KILLS} times`, async () => {
    await untilSettled(six.house.db, 120_000);
    let unanswered = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const [victim, other] = six.apis as [RoleProcess, RoleProcess];
      const before = await orders();
      const order = newOrder(accountOf(ROUNDS + kill), '10.000000');
      const through = client.at(victim.origin);
      // The commit is visible before the answer, which still reads the order: the kill falls in between.
      const committed = seen(async () => (await orders()) > before, { everyMs: 0 }).then(() =>
        victim.signal('SIGKILL'),
      );
      const first = await through.place(order);
      await committed;
      if (first.outcome === 'unknown') unanswered += 1;
      const again = client.at(other.origin);
      const entries = await Promise.all(Array.from({ length: 50 }, () => again.place(order)));
      expect(new Set(entries.map(({ outcome, orderId }) => `${outcome} ${orderId}`)).size).toBe(1);
      expect(entries[0]?.outcome).toBe('ok');
      if (first.outcome === 'ok') expect(entries[0]?.orderId).toBe(first.orderId);
      expect(await orders()).toBe(before + 1);
      through.close();
      again.close();
      const started = await six.house.start('api');
      await started.untilReady();
      six.apis.splice(0, 2, other, started);
    }
    console.log(`${unanswered} of ${KILLS} kills fell between commit and answer`);
    expect(unanswered).toBeGreaterThan(0);
    await untilSettled(six.house.db, 120_000);
    expect(await judge(six.house.db, journal.read())).toEqual([]);
  });
});

async function orders(): Promise<number> {
  const { rows } = await six.house.db.query<{ count: string }>('select count(*) as count from orders');
  return Number(rows[0]?.count);
}
