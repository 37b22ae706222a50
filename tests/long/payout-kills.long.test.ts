import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import postgres from '@fairtick/kit/database/postgres.ts';
import { PaymentProvider } from '@fairtick/kit/installation/payment-provider.ts';
import { killPayouts } from '@fairtick/kit/processes/payout-kills.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A payout is sent once: the office's process is killed with SIGKILL while it sends one, `ROUNDS` times. */
const ROUNDS = Number(process.env.ROUNDS ?? 200);
const SEED = Number(process.env.SEED ?? Date.now() % 1e9);

let stop: () => Promise<void>;
let db: TestDatabase;
let provider: PaymentProvider;
beforeAll(async () => {
  stop = await postgres();
  db = await createTestDatabase();
  provider = await PaymentProvider.open();
});
afterAll(async () => {
  await provider.close();
  await db.drop();
  await stop();
});

test(`each of ${ROUNDS} withdrawals is paid and booked once, seed ${SEED}`, async () => {
  const rounds = await killPayouts(db, provider, { rounds: ROUNDS, seed: SEED });
  expect(rounds.filter(({ payments, booked }) => payments !== 1 || booked !== 1)).toEqual([]);
  expect(rounds.filter(({ moment, standing }) => moment !== 'random' && standing !== 'sending')).toEqual([]);
  console.log(
    Object.entries(Object.groupBy(rounds, ({ moment, standing }) => `${moment} ${standing}`))
      .map(([name, all]) => `${name}: ${all?.length}`)
      .join(', '),
  );
  expect((await db.owner.query('select * from ledger.violations()')).rows).toEqual([]);
  expect((await db.owner.query('select * from audit_verify()')).rows).toEqual([]);
});
