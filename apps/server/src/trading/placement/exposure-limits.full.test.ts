import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { beforeEach, describe, expect, test } from 'vitest';

const UNIT = 1_000_000n;
const still = forTest(() => StillHouse.open(), closeAudited);
beforeEach(async () => {
  await still.tick('EUR/USD', '100');
});

type Wish = { symbol?: string; amount: string; direction?: 'up' | 'down'; minutes?: number };

/** Places one order per customer, one after the other; returns `accepted` or the refusal's code for each. */
async function place(...wishes: Wish[]): Promise<string[]> {
  const answers: string[] = [];
  for (const wish of wishes) {
    const customer = await still.house.customer();
    const [answer] = await still.place([still.house.request(customer, { symbol: 'EUR/USD', ...wish })]);
    const balance = await still.house.balance(customer);
    const stake = BigInt(wish.amount) * UNIT;
    // A refused customer keeps the whole balance.
    expect(balance.held).toBe(answer?.kind === 'accepted' ? stake : 0n);
    expect(balance.available + balance.held).toBe(10_000n * UNIT);
    answers.push(answer?.kind === 'refused' ? answer.code : (answer?.kind ?? 'nothing'));
  }
  return answers;
}

const limit = (column: 'product_limit' | 'group_limit', units: bigint) =>
  still.house.db.owner.query(`update promised_income set ${column} = $1 where asset_id = 1`, [units * UNIT]);

/** Ten orders, one per customer. Together they fill a bound, since one customer may take a tenth of it. */
const ten = (wish: Wish): Wish[] => Array.from({ length: 10 }, () => wish);
const accepted = (count: number): string[] => new Array(count).fill('accepted');

describe('the house’s possible loss in one settlement minute', () => {
  test('is bounded per product, with up and down counted in full: an order that exceeds the bound is refused', async () => {
    await limit('product_limit', 800n);
    // 100 earns 80.
    const wishes = ten({ amount: '100' });
    wishes.splice(3, 4, ...ten({ amount: '100', direction: 'down' }).slice(0, 4));
    expect(await place(...wishes, { amount: '10' }, { amount: '10', direction: 'down' })).toEqual([
      ...accepted(10),
      'EXPOSURE_LIMIT',
      'EXPOSURE_LIMIT',
    ]);
  });

  test('is bounded per minute: an order that settles in another minute has its own bound', async () => {
    await limit('product_limit', 800n);
    expect(await place(...ten({ amount: '100' }), { amount: '10' }, { amount: '90', minutes: 3 })).toEqual([
      ...accepted(10),
      'EXPOSURE_LIMIT',
      'accepted',
    ]);
  });

  test('is bounded per correlated group: two products of one group share the bound, a product of another group has its own', async () => {
    const { products } = still.house;
    const euro = products.bySymbol('EUR/USD')?.exposureGroup;
    const sibling = products.all.find((one) => one.exposureGroup === euro && one.symbol !== 'EUR/USD');
    const stranger = products.all.find((one) => one.exposureGroup !== euro);
    if (!sibling || !stranger) throw new Error('the catalogue has no such products');
    for (const { symbol } of [sibling, stranger]) await still.tick(symbol, '100');
    await limit('group_limit', 800n);
    expect(
      await place(
        ...ten({ amount: '100' }).slice(0, 5),
        ...ten({ amount: '100', symbol: sibling.symbol }).slice(0, 5),
        { amount: '100', symbol: sibling.symbol },
        { amount: '100' },
        { amount: '100', symbol: stranger.symbol },
      ),
    ).toEqual([...accepted(10), 'EXPOSURE_LIMIT', 'EXPOSURE_LIMIT', 'accepted']);
  });

  test('is bounded within one batch as between batches', async () => {
    await limit('product_limit', 800n);
    const customers = await still.customers(12);
    const answers = await still.place(
      customers.map((customer) => still.house.request(customer, { symbol: 'EUR/USD', amount: '100' })),
    );
    expect(answers.map((answer) => (answer.kind === 'refused' ? answer.code : answer.kind))).toEqual([
      ...accepted(10),
      'EXPOSURE_LIMIT',
      'EXPOSURE_LIMIT',
    ]);
  });

  test('counts orders of other processes', async () => {
    await limit('product_limit', 800n);
    expect(await place(...ten({ amount: '100' }), ...ten({ amount: '100' }).slice(7))).toEqual([
      ...accepted(10),
      ...new Array(3).fill('EXPOSURE_LIMIT'),
    ]);
    // Another minute has room.
    expect(await place({ amount: '10', minutes: 3 })).toEqual(['accepted']);
  });
});

describe('one customer takes at most a tenth of what bounds the house', () => {
  /** Places a customer's orders one after the other, alternating between processes; a refusal shows the remaining room. */
  async function placeAs(customer: string, ...wishes: Wish[]): Promise<string[]> {
    const answers: string[] = [];
    for (const wish of wishes) {
      const [answer] = await still.place([still.house.request(customer, { symbol: 'EUR/USD', ...wish })]);
      answers.push(
        answer?.kind === 'refused' ? `${answer.code} ${answer.bound}` : (answer?.kind ?? 'nothing'),
      );
    }
    return answers;
  }

  test('in a minute, over both directions and all processes, and the rest stays available to others', async () => {
    await limit('product_limit', 1_600n);
    const customer = await still.house.customer();
    const wishes: Wish[] = [{ amount: '100' }, { amount: '100', direction: 'down' }, { amount: '10' }];
    expect(await placeAs(customer, ...wishes, { amount: '10', minutes: 3 })).toEqual([
      ...accepted(2),
      'SHARE_LIMIT 1',
      'accepted',
    ]);
    expect(await place(...ten({ amount: '150' }))).toEqual(accepted(10));
  });

  test('of practice money too: resets give no larger share, and other customers are not kept out', async () => {
    await limit('product_limit', 10_000n);
    const resetting = await still.customers(3);
    for (const customer of resetting) {
      const answers: string[] = [];
      for (let round = 0; round < 5; round += 1) {
        await still.house.db.server.query('select ledger.reset_practice($1, sha256($2), $3, 1::smallint)', [
          `practice:${customer}:${round}`,
          String(round),
          customer,
        ]);
        answers.push(...(await placeAs(customer, { amount: '5000' }, { amount: '1000' })));
      }
      expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(1);
    }
    expect(await place({ amount: '1000' }, { amount: '1000' })).toEqual(accepted(2));
  });
});

describe('the house’s possible loss if up and down orders open at different prices', () => {
  test('is bounded even if all orders win', async () => {
    await limit('product_limit', 500n);
    // A stake of 60 earns 48. Up orders open at 100, down orders at 102, and the last price is between these.
    const answers = await place(...ten({ amount: '60' }));
    await still.stepBy(1_000);
    for (let round = 0; round < 12; round += 1) await still.tick('EUR/USD', round < 8 ? '100' : '102');
    answers.push(...(await place(...ten({ amount: '60', direction: 'down' }))));
    await still.stepBy(1_000);
    for (let round = 0; round < 8; round += 1) await still.tick('EUR/USD', '102');
    await still.tick('EUR/USD', '101');
    await still.runTo(still.nowMs + 70_000);
    expect(await still.settle()).toBe(answers.filter((answer) => answer === 'accepted').length);
    const { rows } = await still.house.db.owner.query<{ lost: string; won: number }>(
      `select sum(credited - stake) as lost, count(*) filter (where result = 1)::int as won from orders_and_results`,
    );
    // All of them win: the worst case of the bound.
    expect(rows[0]).toEqual({ lost: String(480n * UNIT), won: 10 });
    expect(answers).toEqual([...accepted(10), ...new Array(10).fill('EXPOSURE_LIMIT')]);
  });
});

describe('open payouts never exceed what the house has', () => {
  /** Leaves the house with this much DEMO, by a balanced transfer to the outside world. */
  async function leaveHouseWith(units: bigint): Promise<void> {
    await still.house.db.owner.query(`
      with t as (insert into ledger.transfers (idempotency_key, input_hash, kind) values ('withdrawn', sha256('w'), 'capital') returning id),
      p as (insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, ref)
        select id, 1, 1, 8, 4, ${(1_000_000_000n - units) * UNIT}, 0 from t)
      insert into ledger.house_movements (transfer_id, account, asset_id, amount)
      select id, 8, 1, ${-(1_000_000_000n - units) * UNIT}::bigint from t
      union all select id, 4, 1, ${(1_000_000_000n - units) * UNIT}::bigint from t`);
    await untilRoomIs(units * UNIT);
  }

  /** Rolls up until the room is this: a transaction that just begins holds the roll-up back. */
  async function untilRoomIs(room: bigint): Promise<void> {
    const rolledUp = async () => {
      await still.house.db.server.query('select roll_up_house()');
      return roomNow();
    };
    await expect.poll(rolledUp).toBe(room);
  }

  /** The income that new orders may still promise. */
  async function roomNow(): Promise<bigint> {
    const { rows } = await still.house.db.owner.query<{ room: string }>(
      `select h.balance - (p.amount - coalesce(s.amount, 0)) as room from promised_income p left join settled_income s using (asset_id)
       join ledger.house_balances h using (asset_id) where p.asset_id = 1 and h.account = ledger.trading_account()`,
    );
    return BigInt(rows[0]?.room ?? Number.NaN);
  }

  /** Opens the order, and those placed with it, at 100 and settles them at another price. */
  async function settleAt(orderId: number, price: string, orders = 1): Promise<void> {
    const { opensAtMs, settlesAtMs } = await still.order(orderId);
    await still.openAt(opensAtMs, 'EUR/USD', '100');
    await still.leapTo(settlesAtMs - 250);
    await still.tick('EUR/USD', price);
    await still.stepBy(250);
    expect(await still.settle()).toBe(orders);
  }

  test('orders of both directions count in full', async () => {
    await leaveHouseWith(1_600n);
    const wishes = [...ten({ amount: '100' }), ...ten({ amount: '100', direction: 'down' })];
    expect(await place(...wishes, { amount: '10' })).toEqual([...accepted(20), 'EXPOSURE_LIMIT']);
  });

  test('a settled order frees its room, and a lost one adds its stake', async () => {
    await leaveHouseWith(800n);
    expect(await place(...ten({ amount: '100' }).slice(1))).toEqual(accepted(9));
    const lost = await still.buy(await still.house.customer(), { symbol: 'EUR/USD', amount: '100' });
    expect(await roomNow()).toBe(0n);
    expect(await place({ amount: '10' })).toEqual(['EXPOSURE_LIMIT']);
    await settleAt(lost, '99', 10);
    expect(await still.order(lost)).toMatchObject({ result: 'loss' });
    await untilRoomIs(1_800n * UNIT);
  });

  test('a delayed roll-up never shows more room than there is', async () => {
    await leaveHouseWith(1_000n);
    const winner = await still.house.customer();
    const won = await still.buy(winner, { symbol: 'EUR/USD', amount: '100' });
    expect(await roomNow()).toBe(920n * UNIT);
    // An open transaction holds the roll-up back: the promise must not disappear before its payout counts.
    const open = await still.house.db.owner.connect();
    await open.query('begin; select pg_current_xact_id()');
    await settleAt(won, '101');
    await still.house.db.server.query('select roll_up_house()');
    expect(await roomNow()).toBe(920n * UNIT);
    await open.query('commit');
    open.release();
    await still.house.db.server.query('select roll_up_house()');
    expect(await roomNow()).toBe(920n * UNIT);
  });

  test('a roll-up that waits for another caller does not free a promise before its payout counts', async () => {
    await leaveHouseWith(1_000n);
    const winner = await still.house.customer();
    const won = await still.buy(winner, { symbol: 'EUR/USD', amount: '100' });
    await settleAt(won, '101');
    const other = await still.house.db.owner.connect();
    await other.query('begin; select from ledger.house_watermark for update');
    await still.house.db.server.query('select roll_up_house()');
    expect(await roomNow()).toBe(920n * UNIT);
    await other.query('commit');
    other.release();
    await still.house.db.server.query('select roll_up_house()');
    await still.house.db.server.query('select roll_up_house()');
    expect(await roomNow()).toBe(920n * UNIT);
  });
});
