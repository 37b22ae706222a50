import { post, register } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { DEFAULT_LIMITS, type RunningApi } from '@fairtick/kit/installation/running-api.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { OrderCounts } from '../../platform/throttle/order-counts.ts';

const db = ownDatabase();
beforeAll(() => freezeClock());
const apis = [ownApi(db, { limits: DEFAULT_LIMITS }), ownApi(db, { limits: DEFAULT_LIMITS })] as const;
const customer = forFile(() => register(apis[0].origin));

/** Freezes the clock of this database, so that a second lasts as long as the test needs, also on a slow machine. */
async function freezeClock(): Promise<void> {
  await db.owner.query(`
    create schema frozen;
    create table frozen.clock (at timestamptz not null);
    insert into frozen.clock values (now());
    create function frozen.clock_timestamp() returns timestamptz volatile language sql as 'select at from frozen.clock';
    grant usage on schema frozen to public;
    grant select on frozen.clock to public;
    grant execute on function frozen.clock_timestamp to public;
    alter database ${db.name} set search_path = frozen, pg_catalog, public`);
  // Open connections still use the real clock.
  await db.owner.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
}

const passTime = (interval: string) =>
  db.owner.query('update frozen.clock set at = at + $1::interval', [interval]);

/** Without prices every order that passes the limit is refused for another reason. */
const order = (token: string, place: number) =>
  post(
    (apis[place % 2] as RunningApi).origin,
    'order/create',
    { symbol: 'EUR/USD', direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' },
    { token },
  );

describe('a customer’s orders of one second', () => {
  test('the default limit is a hundred orders at two processes together, and further orders get 429 with Retry-After', async () => {
    const other = await register(apis[1].origin);
    const answers = await Promise.all(
      Array.from({ length: 130 }, (_, place) => order(customer.token, place)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(30);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(refused[0]?.body).toEqual({
      code: 0,
      msg: 'Too many attempts. Please try again in 1 s',
      data: null,
      error: 'TOO_MANY_REQUESTS',
    });
    expect((await order(other.token, 0)).status).toBe(200);
    await passTime('999 ms');
    expect((await order(customer.token, 1)).status).toBe(429);
    await passTime('1 ms');
    expect((await order(customer.token, 1)).status).toBe(200);
  });
});

describe('the count', () => {
  test('gives every order of every process a number of its own', async () => {
    const counts = [new OrderCounts(db.server), new OrderCounts(db.server)];
    const numbers = await Promise.all(
      Array.from({ length: 400 }, (_, place) =>
        (counts[place % 2] as OrderCounts).add(String(1 + (place % 4))).then((number) => [place % 4, number]),
      ),
    );
    for (let customerId = 0; customerId < 4; customerId += 1) {
      const own = numbers.filter(([who]) => who === customerId).map(([, number]) => number as number);
      expect(own.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, place) => place + 1));
    }
  });

  test('the count restarts a second later, and after the database’s clock was set back', async () => {
    const counts = new OrderCounts(db.server);
    expect([await counts.add('9'), await counts.add('9')]).toEqual([1, 2]);
    await passTime('1 s');
    expect([await counts.add('9'), await counts.add('9')]).toEqual([1, 2]);
    await passTime('-1 hour');
    expect([await counts.add('9'), await counts.add('9')]).toEqual([1, 2]);
  });

  test('the count fails with the database, and works again with it', async () => {
    const counts = new OrderCounts(db.server);
    const [bad, alsoBad] = await Promise.allSettled([counts.add('no number'), counts.add('x')]);
    expect([bad?.status, alsoBad?.status]).toEqual(['rejected', 'rejected']);
    expect(await counts.add('10')).toBe(1);
  });
});
