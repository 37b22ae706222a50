import { randomUUID } from 'node:crypto';
import { get, post, postUntilHeard, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { forFile, forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { ownFloor, pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';

describe('orders over the API', () => {
  const floor = ownFloor();
  const other = forFile(() => startApi(floor.house.db));
  let ann: Registered;
  beforeEach(async () => {
    ann = await register(floor.origin);
  });

  const ask = (path: string, fields: Record<string, string>) =>
    post(other.origin, `protection/${path}`, fields, { token: ann.token });
  const limit = (kind: string, per: string, amount: string) =>
    ask('setLimit', { asset: 'DEMO', kind, per, amount });
  const order = async (fields: Record<string, string> = {}) => (await floor.order(ann.token, fields)).body;
  const used = async () =>
    (await get(floor.origin, 'protection/state', {}, { token: ann.token })).body.data.limits[0];
  const available = async () => (await floor.house.balance(ann.id)).available;

  test('an order above the limit on stakes is refused, and the answer shows what the limit leaves', async () => {
    expect((await order()).error).toBeUndefined();
    await limit('stake', 'day', '250.5');
    expect(await used()).toMatchObject({ used: '100.000000', left: '150.500000' });
    const refused = await order({ amount: '150.500001' });
    expect([refused.error, refused.fields]).toEqual(['STAKE_LIMIT', { amount: refused.msg }]);
    expect(refused.msg).toContain('150.5 DEMO');
    const before = await available();
    expect((await order({ amount: '150.5' })).error).toBeUndefined();
    expect((await order({ amount: '10' })).error).toBe('STAKE_LIMIT');
    // A limit below what is used leaves nothing.
    await limit('stake', 'day', '50');
    expect(await used()).toMatchObject({ used: '250.500000', left: '0.000000' });
    // A refused order holds no money.
    expect(before - (await available())).toBe(150_500_000n);
    expect(await floor.house.violations()).toEqual([]);
  });

  test('concurrent orders at two processes together take no more than the limit leaves', async () => {
    await limit('stake', 'week', '300');
    await floor.tick();
    let ticking = Promise.resolve();
    const tickInTurn = () => {
      ticking = ticking.then(() => floor.tick());
      return ticking;
    };
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, place) =>
        postUntilHeard(
          [floor.origin, other.origin][place % 2] as string,
          'order/create',
          { symbol: 'EUR/USD', direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' },
          { token: ann.token, key: randomUUID() },
          tickInTurn,
        ),
      ),
    );
    const errors = answers.map(({ body }) => body.error ?? 'taken').sort();
    expect(errors).toEqual([...Array(5).fill('STAKE_LIMIT'), ...Array(3).fill('taken')]);
  });

  test('open orders count as lost until they settle: a win frees the limit on losses, and a loss uses it up', async () => {
    await limit('loss', 'month', '200');
    expect((await order({ amount: '120' })).error).toBeUndefined();
    expect((await order({ amount: '80' })).error).toBeUndefined();
    expect((await order({ amount: '10' })).error).toBe('LOSS_LIMIT');
    await floor.openAt('EUR/USD', '1.08500');
    await floor.settleAt('EUR/USD', '1.08600');
    expect(await used()).toMatchObject({ used: '0.000000', left: '200.000000' });
    await floor.openAt('EUR/USD', '1.08600');
    // A gain offsets later losses of the same period, but does not allow a larger stake at once.
    expect((await order({ amount: '200', direction: 'down' })).error).toBeUndefined();
    await floor.openAt('EUR/USD', '1.08600');
    await floor.settleAt('EUR/USD', '1.08700');
    const { rows } = await floor.house.db.owner.query(
      'select greatest(0, sum(stake - credited))::text as lost from orders_and_results where customer_id = $1',
      [ann.id],
    );
    expect(Number((await used()).used) * 1e6).toBe(Number(rows[0].lost));
  });

  test('limits count orders from before they were set, open or settled, and from a time when they were removed', async () => {
    const lost = async () => {
      const { rows } = await floor.house.db.owner.query(
        'select sum(stake) as staked, sum(stake - coalesce(credited, 0)) as lost from orders_and_results where customer_id = $1',
        [ann.id],
      );
      return [Number(rows[0].staked) / 1e6, Math.max(0, Number(rows[0].lost) / 1e6)];
    };
    const both = async () => {
      const { limits } = (await get(floor.origin, 'protection/state', {}, { token: ann.token })).body.data;
      return ['stake', 'loss'].map((kind) =>
        Number(limits.find((each: { kind: string }) => each.kind === kind).used),
      );
    };
    await order({ amount: '30', direction: 'down' });
    await floor.openAt('EUR/USD', '1.08500');
    await floor.settleAt('EUR/USD', '1.08600');
    await order({ amount: '50' });
    await limit('stake', 'day', '1000');
    await limit('loss', 'month', '1000');
    await order({ amount: '70', direction: 'down' });
    expect(await both()).toEqual([150, 150]);
    await floor.openAt('EUR/USD', '1.08700');
    await floor.settleAt('EUR/USD', '1.08800');
    expect(await both()).toEqual(await lost());
    expect((await both())[1]).toBeLessThan(100);
    // The limits end after a day; orders placed meanwhile count when a limit is set again.
    await limit('stake', 'day', '');
    await limit('loss', 'month', '');
    await floor.house.db.owner.query('update customer_limits set later_at = now() where customer_id = $1', [
      ann.id,
    ]);
    await order({ amount: '40' });
    await limit('loss', 'month', '2000');
    await order({ amount: '20' });
    await limit('stake', 'day', '2000');
    expect(await both()).toEqual(await lost());
    expect(await floor.house.violations()).toEqual([]);
  });

  test('what a customer asked for is shown as it is, and other forms are refused', async () => {
    const state = async () =>
      (await get(floor.origin, 'protection/state', {}, { token: ann.token })).body.data;
    const info = async () =>
      (await get(floor.origin, 'user/getUserInfo', {}, { token: ann.token })).body.data;
    expect(await state()).toEqual({ limits: [], pause: null, reminder: { minutes: null, later: null } });
    await ask('setLimit', { asset: 'USDT', kind: 'deposit', per: 'week', amount: '120.5' });
    await ask('setLimit', { asset: 'USDT', kind: 'deposit', per: 'week', amount: '500' });
    await ask('setReminder', { minutes: '15' });
    for (const [path, fields, error] of [
      ['setReminder', { minutes: '14' }, 'INVALID_VALUE'],
      ['setLimit', { asset: 'DEMO', kind: 'stake', per: 'day', amount: '0' }, 'INVALID_AMOUNT'],
      ['setLimit', { asset: 'DEMO', kind: 'stake', per: 'day', amount: '0.0000001' }, 'INVALID_AMOUNT'],
    ] as const)
      expect([fields, (await ask(path, fields)).body.error]).toEqual([fields, error]);
    const dayMs = 86_400_000;
    const near = (time: number) => (Math.abs(time - Date.now()) < 60_000 ? 'now' : time);
    const [shown] = (await state()).limits;
    expect({ ...shown, resetsAt: shown.resetsAt % dayMs, later: near(shown.later.at - dayMs) }).toEqual({
      asset: 'USDT',
      kind: 'deposit',
      per: 'week',
      amount: '120.500000',
      used: '0.000000',
      left: '120.500000',
      resetsAt: 0,
      later: 'now',
    });
    expect(shown.later.amount).toBe('500.000000');
    expect(await info()).toMatchObject({
      limits: [{ asset: 'USDT', kind: 'deposit', per: 'week', amount: '120.500000' }],
      pause: null,
      reminderMinutes: 15,
    });
    const taken = (await ask('takeBreak', { hours: '48' })).body.data.pause;
    expect([taken.kind, near(taken.from), near(taken.until - 2 * dayMs)]).toEqual(['break', 'now', 'now']);
    expect((await info()).pause).toEqual({ kind: 'break', until: taken.until });
    const excluded = (await ask('selfExclude', { months: '6' })).body.data.pause;
    const months = (excluded.until - Date.now()) / dayMs / 30;
    expect([excluded.kind, months > 6 && months < 6.2]).toEqual(['exclusion', true]);
    const forGood = (await ask('selfExclude', { months: 'forever' })).body.data.pause;
    expect([forGood.kind, forGood.until]).toEqual(['exclusion', null]);
  });

  test('a break and a self-exclusion stop orders at once on every process, and open orders settle', async () => {
    expect((await order()).error).toBeUndefined();
    await ask('takeBreak', { hours: '24' });
    expect((await order()).error).toBe('ON_BREAK');
    await floor.openAt('EUR/USD', '1.08500');
    await floor.settleAt('EUR/USD', '1.09000');
    const { body } = await get(floor.origin, 'order/list', {}, { token: ann.token });
    expect(body.data.items).toMatchObject([{ status: 'settled', result: 'profit' }]);
    await ask('selfExclude', { months: 'forever' });
    expect((await order()).error).toBe('SELF_EXCLUDED');
    // Other customers are not affected.
    ann = await register(floor.origin);
    expect((await order()).error).toBeUndefined();
  });
});

describe('the database', () => {
  const still = forTest(() => pricedHouse({ quietMs: 300_000 }));

  const owner = () => still.house.db.owner;
  const protect = (customer: string, limit: string) =>
    owner().query(
      `with p as (insert into protected_customers (customer_id) values ($1) returning customer_id)
       insert into customer_limits (customer_id, asset_id, kind, per, amount) select customer_id, 1, 'stake', 'day', $2 from p`,
      [customer, limit],
    );

  test('counts orders by the days, weeks and months of UTC', async () => {
    const [ann] = (await still.customers(1)) as [string];
    await protect(ann, '5000000000');
    await owner().query(
      `insert into customer_limits (customer_id, asset_id, kind, per, amount)
       select $1, 1, 'stake', per, 9000000000 from unnest(array['week', 'month']) per`,
      [ann],
    );
    await still.buy(ann, { symbol: 'EUR/USD', amount: '100' });
    const used = async (nowMs: number) => {
      const { rows } = await owner().query('select per, used from limits_used($1, 1::smallint, $2)', [
        ann,
        nowMs,
      ]);
      return Object.fromEntries(rows.map((row) => [row.per, Number(row.used) / 1e6]));
    };
    // June 1st 2026 is a Monday.
    const day = (date: number, hour = 0) => Date.UTC(2026, 5, date, hour);
    expect(await used(day(1, 23))).toEqual({ day: 100, week: 100, month: 100 });
    expect(await used(day(2))).toEqual({ day: 0, week: 100, month: 100 });
    expect(await used(day(7, 23))).toEqual({ day: 0, week: 100, month: 100 });
    expect(await used(day(8))).toEqual({ day: 0, week: 0, month: 100 });
    expect(await used(Date.UTC(2026, 6, 1))).toEqual({ day: 0, week: 0, month: 0 });
    const { rows } = await owner().query(
      `select period_end_ms('day', $1) as day, period_end_ms('week', $1) as week, period_end_ms('month', $1) as month`,
      [day(1, 12)],
    );
    expect([Number(rows[0].day), Number(rows[0].week), Number(rows[0].month)]).toEqual([
      day(2),
      day(8),
      Date.UTC(2026, 6, 1),
    ]);
  });
});
