import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { tradedHouse } from '@fairtick/kit/fixtures/houses.ts';
import type { OrderRecord } from '@fairtick/kit/installation/still-house.ts';
import { receiptOf } from '@fairtick/kit/people/receipts.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterEach, expect, test } from 'vitest';
import { LogReader } from '../../market/log/log-reader.ts';
import { RuleBook } from '../../market/rule-book.ts';
import { createPool } from './database.ts';
import { Readers } from './readers.ts';

/** The house's own database stands for a standby without a delay; a streaming one is in tests/long/read-standby.long.test.ts. */
const still = forFile(() => tradedHouse());
const NAME = 'standby of this test';
let readers: Readers;
afterEach(() => readers.end());

function open(port?: number): Readers {
  const { serverAddress } = still.house.db;
  const standby = { ...serverAddress, ...(port === undefined ? {} : { host: '127.0.0.1', port }) };
  return new Readers({
    primary: createPool(serverAddress, { max: 2, name: 'primary of this test' }),
    standby: createPool(standby, { max: 2, name: NAME, isStandby: true }),
  });
}

const logSize = async (): Promise<number> => {
  const { rows } = await readers.query<{ size: string }>('select size from log_head');
  return Number(rows[0]?.size);
};

/** Asks until the standby answers. */
const fromStandby = () => until(async () => (await logSize()) >= 0 && readers.answered.standby > 0);

test('a standby answers while it has the log that customers have been shown, and no older one', async () => {
  readers = open();
  await fromStandby();
  readers.shown((await logSize()) + 1);
  const { standby } = readers.answered;
  for (let count = 0; count < 5; count += 1) await logSize();
  expect(readers.answered.standby).toBe(standby);
  await still.tick('EUR/USD', '1.08400');
  await until(async () => (await logSize()) > 0 && readers.answered.standby > standby);
});

test('a receipt is read from the standby, and is the same', async () => {
  readers = open();
  await fromStandby();
  const [first] = await still.orders();
  const { id: orderId, customerId: customer } = first as OrderRecord;
  const { products } = still.house;
  const reader = new LogReader(readers, products, new RuleBook(readers));
  await until(
    async () =>
      (await receiptOf(still.house, { customer, orderId })) !== null || still.stepBy(1_000).then(() => false),
  );
  const { primary, standby } = readers.answered;
  const receipt = await receiptOf(still.house, { customer, orderId }, { db: readers, reader });
  expect(receipt).toEqual(await receiptOf(still.house, { customer, orderId }));
  expect(readers.answered).toEqual({ primary, standby: expect.toSatisfy((count) => count > standby + 3) });
});

test('a question that the standby gives up is answered by the primary, a wrong one is refused', async () => {
  readers = open();
  await fromStandby();
  await expect(readers.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
  const slow = readers.query<{ done: number }>('select pg_sleep(1), 1 as done');
  await until(
    async () =>
      (
        await still.house.db.owner.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fairtick ${NAME}' and query like '%pg_sleep%'`,
        )
      ).rowCount === 1,
  );
  expect((await slow).rows[0]?.done).toBe(1);
});

test('without a standby that answers, the primary does', async () => {
  readers = open(1);
  for (let count = 0; count < 3; count += 1) expect(await logSize()).toBeGreaterThanOrEqual(0);
  expect(readers.answered).toEqual({ primary: 3, standby: 0 });
});
