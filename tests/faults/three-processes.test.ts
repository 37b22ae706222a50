import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../apps/server/test/until.ts';
import { type Installation, openInstallation, type RoleProcess } from './role-processes.ts';

interface Order {
  readonly id: string;
  readonly status: string;
  readonly openPrice: string | null;
  readonly settlePrice: string | null;
  readonly result: string | null;
  readonly profit: string | null;
  readonly settlesAt: number;
}

/** The API, the engine and the feed as three processes that share nothing but a database. */
describe('a house in three processes', () => {
  let house: Installation;
  let feed: RoleProcess;
  let token = '';

  beforeAll(async () => {
    house = await openInstallation();
    // All at once: the first to come makes the schema, the others wait for it.
    [, , feed] = ['api', 'engine', 'feed'].map((role) => house.start(role)) as [
      RoleProcess,
      RoleProcess,
      RoleProcess,
    ];
    await house.untilReady(100_000);
  });
  afterAll(() => house?.close());

  async function call<T>(
    path: string,
    form?: Record<string, string>,
  ): Promise<{ code: number; error?: string; data: T }> {
    const headers = { token, language: 'en' };
    const answer =
      form === undefined
        ? await fetch(`${house.origin}/api/${path}`, { headers })
        : await fetch(`${house.origin}/api/${path}`, {
            method: 'POST',
            headers: { ...headers, 'idempotency-key': randomBytes(16).toString('hex') },
            body: new URLSearchParams({ ...form, lang: 'en' }),
          });
    return (await answer.json()) as { code: number; error?: string; data: T };
  }

  const order = async (id: string) => (await call<Order>(`order/detail?lang=en&id=${id}`)).data;

  async function balance(): Promise<{ available: string; held: string }> {
    const { data } = await call<{ balances: { asset: string; available: string; held: string }[] }>(
      'user/getUserInfo?lang=en',
    );
    const demo = data.balances.find(({ asset }) => asset === 'DEMO');
    if (!demo) throw new Error('no balance of DEMO');
    return { available: demo.available, held: demo.held };
  }

  /** Buys as soon as orders are taken. */
  async function buy(): Promise<Order> {
    let bought: Order | null = null;
    const form = { symbol: 'EUR/USD', direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
    await until(async () => {
      const { code, error, data } = await call<Order>('order/create', form);
      if (code === 1) bought = data;
      else expect(error).toBe('PRICE_UNAVAILABLE');
      return code === 1;
    }, 30_000);
    return bought as unknown as Order;
  }

  async function head(): Promise<{ epoch: number; timeMs: number; size: number }> {
    const { rows } = await house.db.query('select epoch, time_ms, size from log_head');
    return { epoch: Number(rows[0].epoch), timeMs: Number(rows[0].time_ms), size: Number(rows[0].size) };
  }

  test('trades as one, and loses nothing when its feed is killed and another takes over', async () => {
    const account = `t${randomBytes(6).toString('hex')}`;
    const password = `pw-${randomBytes(8).toString('hex')}`;
    const registered = await call<{ token: string }>('user/register', {
      account,
      password,
      confirmPassword: password,
    });
    expect(registered.code).toBe(1);
    token = registered.data.token;
    expect(await balance()).toEqual({ available: '10000.000000', held: '0.000000' });

    const bought = await buy();
    expect(await balance()).toEqual({ available: '9900.000000', held: '100.000000' });
    await until(async () => (await order(bought.id)).openPrice !== null, 10_000);

    // A second feed stands by; it writes nothing while the first one lives.
    const standby = house.start('feed');
    await until(async () => /ready/.test(standby.output()), 40_000);
    const before = await head();
    await feed.kill();
    const killedMs = performance.now();
    await until(async () => (await head()).epoch > before.epoch, 6_000);
    await until(async () => (await head()).size > before.size + 100, 6_000);
    expect(performance.now() - killedMs).toBeLessThan(8_000);

    await until(async () => (await order(bought.id)).status === 'settled', 75_000);
    const settled = await order(bought.id);
    expect(settled.openPrice).not.toBeNull();
    const rose = Number(settled.settlePrice) - Number(settled.openPrice);
    expect(settled.result).toBe(rose > 0 ? 'profit' : rose < 0 ? 'loss' : 'none');
    const profit = rose > 0 ? 80 : rose < 0 ? -100 : 0;
    expect(Number(settled.profit)).toBe(profit);
    expect(await balance()).toEqual({ available: (10_000 + profit).toFixed(6), held: '0.000000' });

    // Trading goes on with the feed that took over.
    await buy();
    await expectWholeLog();
  });

  /** Numbers of every product rise by one and no index is missing, across both writers; and the books balance. */
  async function expectWholeLog(): Promise<void> {
    const { rows: numbers } = await house.db.query(
      `select count(*) as broken from (
         select n - lag(n, 1, 0::bigint) over (partition by product_id order by index) as step
         from log_entries where kind <= 3
       ) steps where step <> 1`,
    );
    expect(Number(numbers[0].broken)).toBe(0);
    const { rows: sizes } = await house.db.query(
      'select (select count(*) from log_entries where index < h.size) as entries, h.size from log_head h',
    );
    expect(sizes[0].entries).toBe(sizes[0].size);
    const { rows: gaps } = await house.db.query(`select distinct body from log_entries where kind = 3`);
    expect(gaps.map(({ body }) => body)).toContain('restart');
    const { rows: violations } = await house.db.query('select * from ledger.violations()');
    expect(violations).toEqual([]);
  }
});
