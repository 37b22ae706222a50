import { apiPayee, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import postgres from '@fairtick/kit/database/postgres.ts';
import { type RunningApi, startApi } from '@fairtick/kit/installation/running-api.ts';
import { moneyOf, usdt } from '@fairtick/kit/people/money.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Promise 5, long form: 100 withdrawals of the whole balance at once, at two API processes, `ROUNDS` times. */
const ROUNDS = Number(process.env.ROUNDS ?? 100);

let stop: () => Promise<void>;
let db: TestDatabase;
let apis: readonly [RunningApi, RunningApi];
beforeAll(async () => {
  stop = await postgres();
  db = await createTestDatabase();
  apis = [await startApi(db), await startApi(db)];
});
afterAll(async () => {
  for (const api of apis) await api.stop();
  await db.drop();
  await stop();
});

test(`one of 100 withdrawals of the whole balance at once is accepted, in each of ${ROUNDS} rounds`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const payee = await apiPayee(apis[0].origin, db, usdt(50 + round));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, place) =>
        withdraw((apis[place % 2] as RunningApi).origin, payee, String(50 + round)),
      ),
    );
    const taken = answers.filter(({ body }) => body.code === 1);
    const refused = answers.filter(({ body }) => body.error === 'INSUFFICIENT_BALANCE');
    expect([round, taken.length, refused.length]).toEqual([round, 1, 99]);
    expect(await moneyOf(db, payee.id)).toEqual({ available: 0, held: 50 + round });
  }
  expect((await db.owner.query('select * from ledger.violations()')).rows).toEqual([]);
});
