import { LedgerDatabase } from '@fairtick/kit/database/ledger-database.ts';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const UNIT = 1_000_000n;
const CAPITAL = 1_000_000_000n * UNIT;

let ledger: LedgerDatabase;
let ann: number;
beforeEach(async () => {
  ledger = await LedgerDatabase.create();
  ann = await ledger.customer();
});
afterEach(async () => {
  expect(await ledger.violations()).toEqual([]);
  await ledger.drop();
});

const rollUp = async (): Promise<boolean> => {
  const { rows } = await ledger.pool.query('select ledger.roll_up_house() as done');
  return rows[0].done;
};
/** What the house has in DEMO, as rolled up. */
const house = async (): Promise<bigint> => (await ledger.houseBalances())['8:1'] ?? 0n;

/** The customer loses an amount to the house, in a transaction of the caller's or in one of its own. */
async function lose(key: string, amount: bigint, db?: pg.ClientBase): Promise<void> {
  await ledger.reserve(key, [{ owner: ann, amount }], db ? { db } : {});
  await ledger.resolve(`${key} lost`, [{ owner: ann, amount, returned: 0n }], db ? { db } : {});
}

async function begin(): Promise<pg.PoolClient> {
  const client = await ledger.pool.connect();
  await client.query('begin');
  return client;
}

async function commit(client: pg.PoolClient): Promise<void> {
  await client.query('commit');
  client.release();
}

describe('rolling up the house', () => {
  test('counts each movement once, however often it is asked', async () => {
    await rollUp();
    expect(await house()).toBe(CAPITAL);
    await lose('a', 5n);
    await lose('b', 7n);
    await rollUp();
    await rollUp();
    expect(await house()).toBe(CAPITAL + 12n);
    await lose('c', 1n);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 13n);
  });

  test('keeps the outside world’s mirror too', async () => {
    await ledger.resetPractice('nothing to do', ann);
    await rollUp();
    const balances = await ledger.houseBalances();
    expect(balances['4:1']).toBe(-CAPITAL - 10_000n * UNIT);
    expect(balances['4:1']).toBe((await ledger.postedBalances())['4:1']);
  });

  test('waits for a transaction that is still open, and then skips nothing and counts nothing twice', async () => {
    const open = await begin();
    await lose('open', 1_000n, open);
    ann = await ledger.customer();
    await lose('younger', 20n);
    // Both are younger than the open one: they stay behind the watermark with it.
    await rollUp();
    expect(await house()).toBe(CAPITAL);
    const stillOpen = await begin();
    ann = await ledger.customer();
    await lose('still open', 300n, stillOpen);
    await commit(open);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 1_020n);
    ann = await ledger.customer();
    await lose('youngest', 4n);
    await rollUp();
    await commit(stillOpen);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 1_324n);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 1_324n);
  });

  test('a transaction that is rolled back leaves nothing', async () => {
    const open = await begin();
    await lose('never', 1_000n, open);
    await open.query('rollback');
    open.release();
    await lose('kept', 3n);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 3n);
  });

  test('one at a time: a second caller goes away at once', async () => {
    const first = await begin();
    await first.query('select ledger.roll_up_house()');
    expect(await rollUp()).toBe(false);
    await commit(first);
    expect(await rollUp()).toBe(true);
  });

  test('beside 150 transfers from many connections ends with what the postings say', async () => {
    const owners = await Promise.all(Array.from({ length: 10 }, () => ledger.customer()));
    let isDone = false;
    const rolling = Promise.all(
      Array.from({ length: 3 }, async () => {
        while (!isDone) await rollUp();
      }),
    );
    await Promise.all(
      Array.from({ length: 150 }, async (_, place) => {
        const owner = owners[place % 10] as number;
        await ledger.reserve(`many:${place}`, [{ owner, amount: 10n }]);
        await ledger.resolve(`many ended:${place}`, [
          { owner, amount: 10n, returned: place % 3 === 0 ? 18n : 0n },
        ]);
      }),
    );
    isDone = true;
    await rolling;
    await rollUp();
    expect(await house()).toBe(CAPITAL + 100n * 10n - 50n * 8n);
    expect(await house()).toBe((await ledger.postedBalances())['8:1']);
  });
});
