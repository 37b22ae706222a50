import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { tokenHashOf } from '@fairtick/kit/people/traders.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';

let customer: string;
/** The checks of the two database functions against any caller. The server's own code can't send these calls. */
const still = forTest(() => StillHouse.open(), closeAudited);
beforeEach(async () => {
  await still.tick('EUR/USD', '100');
  customer = await still.house.customer();
});
afterEach(async () => {
  expect(await still.house.balance(customer)).toEqual({ available: 10_000_000_000n, held: 0n });
});

const OPEN = `select * from orders_open_batch(array[$1::bytea], array[1]::smallint[], array[5000000]::bigint[], array[sha256('a')], array[1]::smallint[],
  array[1]::smallint[], array[null]::bigint[])`;

/** Closes the batch without an order, releasing the hold that the arguments name. */
const close = (owner: string, asset: number, amount: number) => `
  select orders_close_batch('{"LATE": [[1, 1]]}', null, null, null, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
    array[${owner}]::bigint[], array(select id from sessions where customer_id = ${owner}), array[${asset}]::smallint[],
    array[${amount}]::bigint[], array(select available from ledger.balances where owner_id = ${owner} and asset_id = ${asset}))`;

/** Runs the statements as the server; returns the failure, or null. */
async function tryBatch(...statements: string[]): Promise<string | null> {
  const client = await still.house.db.server.connect();
  try {
    await client.query('begin');
    await client.query(OPEN, [tokenHashOf(customer)]);
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
    return null;
  } catch (error) {
    await client.query('rollback');
    return failureOf(error);
  } finally {
    client.release();
  }
}

describe('stakes that are held for a batch', () => {
  test('go back when the batch is closed without their order', async () => {
    expect(await tryBatch(close(customer, 1, 5_000_000))).toBeNull();
  });

  test('can’t be kept by never closing the batch', async () => {
    expect(await tryBatch()).toBe('BATCH_MISMATCH');
  });

  test('can’t go to another customer, in another asset or in another amount', async () => {
    const other = await still.house.customer();
    expect(await tryBatch(close(other, 1, 5_000_000))).toBe('BATCH_MISMATCH');
    expect(await tryBatch(close(customer, 2, 5_000_000))).toBe('BATCH_MISMATCH');
    expect(await tryBatch(close(customer, 1, 4_999_999))).toBe('BATCH_MISMATCH');
    expect(await tryBatch(close(customer, 1, 5_000_001))).toBe('BATCH_MISMATCH');
  });

  test('can’t be held by two openings of the batch and released once', async () => {
    const again = OPEN.replace('$1', `'\\x${tokenHashOf(customer).toString('hex')}'`);
    expect(await tryBatch(again, close(customer, 1, 5_000_000))).toBe('BATCH_MISMATCH');
  });

  test('can’t be taken through the ledger’s own functions', async () => {
    for (const call of [
      `ledger.take('{${customer}}', array[1]::smallint[], '{1}', '{1}', '{1}')`,
      `ledger.let_go('{${customer}}', array[1]::smallint[], '{1}')`,
      `ledger.post_taken('k', sha256(''), '{${customer}}', array[1]::smallint[], '{1}', '{1}', '{1}')`,
    ]) {
      const denied = still.house.db.server.query(`select ${call}`);
      await expect(denied, call).rejects.toMatchObject({ code: '42501' });
    }
  });
});
