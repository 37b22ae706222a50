import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ExposureBook } from './exposure-book.ts';
import { placeOrders } from './place-orders.ts';

const UNIT = 1_000_000n;

let still: StillHouse;
beforeEach(async () => {
  still = await StillHouse.open();
  await still.tick('EUR/USD', '100');
});
afterEach(async () => {
  expect(await still.house.violations()).toEqual([]);
  await still.close();
});

type Wish = { symbol?: string; amount: string; direction?: 'up' | 'down'; minutes?: number };

/** Orders of a customer each, one after the other; `accepted` or the refusal. */
async function place(...wishes: Wish[]): Promise<string[]> {
  const answers: string[] = [];
  for (const wish of wishes) {
    const customer = await still.house.customer();
    const [answer] = await still.place([still.house.request(customer, { symbol: 'EUR/USD', ...wish })]);
    const balance = await still.house.balance(customer);
    const stake = BigInt(wish.amount) * UNIT;
    // Whoever is refused has kept everything.
    expect(balance.held).toBe(answer?.kind === 'accepted' ? stake : 0n);
    expect(balance.available + balance.held).toBe(10_000n * UNIT);
    answers.push(answer?.kind === 'refused' ? answer.code : (answer?.kind ?? 'nothing'));
  }
  return answers;
}

const limit = (column: 'product_limit' | 'group_limit', units: bigint) =>
  still.house.db.owner.query(`update promised_income set ${column} = $1 where asset_id = 1`, [units * UNIT]);

describe('what the house may lose in one settlement minute', () => {
  test('is bounded per product: what exceeds the bound is refused before money moves', async () => {
    await limit('product_limit', 160n);
    // 100 earns 80.
    expect(await place({ amount: '100' }, { amount: '100' }, { amount: '100' })).toEqual([
      'accepted',
      'accepted',
      'EXPOSURE_LIMIT',
    ]);
    expect(await place({ amount: '100', direction: 'down' }, { amount: '100' })).toEqual([
      'accepted',
      'accepted',
    ]);
  });

  test('is bounded per minute: another cycle has room of its own', async () => {
    await limit('product_limit', 80n);
    expect(await place({ amount: '100' }, { amount: '10' }, { amount: '90', minutes: 3 })).toEqual([
      'accepted',
      'EXPOSURE_LIMIT',
      'accepted',
    ]);
  });

  test('is bounded per correlated group: two products of one share the room, a third of another does not', async () => {
    const { products } = still.house;
    const euro = products.bySymbol('EUR/USD')?.exposureGroup;
    const sibling = products.all.find((one) => one.exposureGroup === euro && one.symbol !== 'EUR/USD');
    const stranger = products.all.find((one) => one.exposureGroup !== euro);
    if (!sibling || !stranger) throw new Error('the catalogue has no such products');
    for (const { symbol } of [sibling, stranger]) await still.tick(symbol, '100');
    await limit('group_limit', 160n);
    expect(
      await place(
        { amount: '100' },
        { amount: '100', symbol: sibling.symbol },
        { amount: '100', symbol: sibling.symbol },
        { amount: '100' },
        { amount: '100', symbol: stranger.symbol },
      ),
    ).toEqual(['accepted', 'accepted', 'EXPOSURE_LIMIT', 'EXPOSURE_LIMIT', 'accepted']);
  });

  test('is bounded within one batch as between batches', async () => {
    await limit('product_limit', 160n);
    const customers = await still.customers(5);
    const answers = await still.place(
      customers.map((customer) => still.house.request(customer, { symbol: 'EUR/USD', amount: '100' })),
    );
    expect(answers.map((answer) => (answer.kind === 'refused' ? answer.code : answer.kind))).toEqual([
      'accepted',
      'accepted',
      'EXPOSURE_LIMIT',
      'EXPOSURE_LIMIT',
      'EXPOSURE_LIMIT',
    ]);
  });

  test('counts what other processes took on, and what was taken on before this one began', async () => {
    await limit('product_limit', 160n);
    const [here, other] = still.processes;
    const wish = async () =>
      still.house.request(await still.house.customer(), { symbol: 'EUR/USD', amount: '50' });
    const answers = [];
    const begun = { ...here, exposures: new ExposureBook() };
    for (const process of [here, other, here, other, here, other, begun]) {
      const [answer] = await placeOrders(process as typeof here, [await wish()]);
      answers.push(answer?.kind === 'refused' ? answer.code : answer?.kind);
    }
    expect(answers.slice(0, 4)).toEqual(new Array(4).fill('accepted'));
    expect(answers.slice(4)).toEqual(new Array(3).fill('EXPOSURE_LIMIT'));
    // Another minute has room.
    expect(await place({ amount: '10', minutes: 3 })).toEqual(['accepted']);
  });

  test('counts what a batch has taken on whose answer was lost', async () => {
    await limit('product_limit', 80n);
    const book = still.processes[0].exposures;
    const note = book.note.bind(book);
    book.note = () => undefined;
    expect(await place({ amount: '100' })).toEqual(['accepted']);
    book.note = note;
    expect(await place({ amount: '10' })).toEqual(['EXPOSURE_LIMIT']);
  });
});

describe('open payouts never exceed what the house has', () => {
  /** Leaves the house with so much in DEMO, by a transfer to the outside world that balances. */
  async function leaveHouseWith(units: bigint): Promise<void> {
    await still.house.db.owner.query(`
      with t as (insert into ledger.transfers (idempotency_key, input_hash, kind) values ('withdrawn', sha256('w'), 'capital') returning id),
      p as (insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, ref)
        select id, 1, 1, 8, 4, ${(1_000_000_000n - units) * UNIT}, 0 from t)
      insert into ledger.house_movements (transfer_id, account, asset_id, amount)
      select id, 8, 1, ${-(1_000_000_000n - units) * UNIT}::bigint from t
      union all select id, 4, 1, ${(1_000_000_000n - units) * UNIT}::bigint from t`);
    await still.house.db.server.query('select roll_up_house()');
  }

  /** What new orders may still promise, as the next batch would read it. */
  async function roomNow(): Promise<bigint> {
    const client = await still.house.db.owner.connect();
    await client.query('begin');
    const { rows } = await client.query(
      `select facts->'assets'->0->>1 as room
       from orders_open_batch('{0}', array[1]::smallint[], '{1}', sha256(''), '{}')`,
    );
    await client.query('rollback');
    client.release();
    return BigInt(rows[0].room);
  }

  /** Opens the order at 100 and settles it at another price. */
  async function settleAt(orderId: number, price: string): Promise<void> {
    await still.tick('EUR/USD', '100');
    await still.stepTo((await still.order(orderId)).settlesAtMs - 250);
    await still.tick('EUR/USD', price);
    await still.stepBy(250);
    expect(await still.settle()).toBe(1);
  }

  test('both sides of a market count in full', async () => {
    await leaveHouseWith(160n);
    expect(await place({ amount: '100' }, { amount: '100', direction: 'down' }, { amount: '10' })).toEqual([
      'accepted',
      'accepted',
      'EXPOSURE_LIMIT',
    ]);
  });

  test('an order that is settled makes room again, and one that was lost leaves its stake there', async () => {
    await leaveHouseWith(80n);
    const lost = await still.buy(await still.house.customer(), { symbol: 'EUR/USD', amount: '100' });
    expect(await roomNow()).toBe(0n);
    expect(await place({ amount: '10' })).toEqual(['EXPOSURE_LIMIT']);
    await settleAt(lost, '99');
    expect(await still.order(lost)).toMatchObject({ result: 'loss' });
    await still.house.db.server.query('select roll_up_house()');
    expect(await roomNow()).toBe(180n * UNIT);
  });

  test('a roll-up that is still behind never shows more room than there is', async () => {
    await leaveHouseWith(1_000n);
    const winner = await still.house.customer();
    const won = await still.buy(winner, { symbol: 'EUR/USD', amount: '100' });
    expect(await roomNow()).toBe(920n * UNIT);
    // A transaction that is still open holds the roll-up back: the promise must not be gone before its payout.
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

  test('another caller of the ledger’s own roll-up does not part a payout from its promise', async () => {
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
