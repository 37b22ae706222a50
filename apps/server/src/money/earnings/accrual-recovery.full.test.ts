import { FragilePool } from '@fairtick/kit/database/pools.ts';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { EarningsHouse, SAMPLE_PPM } from '@fairtick/kit/installation/earnings-house.ts';
import { ask } from '@fairtick/kit/people/money.ts';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { audit } from '../../transparency/audit/audit-checks.ts';
import { EARNINGS_CHECKS } from '../../transparency/audit/audit-earnings-checks.ts';
import { EarningAccrual } from './accrual-job.ts';

/** Whatever interrupts an accrual, each account gets each day's interest exactly once. */
const SAVERS = 40;
const DAYS = 4;
const AMOUNT = 1_000_000_000n;
const CHUNK = 7;
const SILENT = pino({ level: 'silent' });
/** One account's balance after all days; each day's interest earns from the next day on. */
const EACH = Array.from({ length: DAYS }).reduce<bigint>((balance) => {
  const parts = balance * BigInt(SAMPLE_PPM);
  return balance + parts / 365_000_000n;
}, AMOUNT);
const house = forTest(() => EarningsHouse.open());
beforeEach(async () => {
  await house.crowd(SAVERS, AMOUNT);
  await house.goTo('2027-03-06', '00:00');
});
afterEach(async () => {
  const names = ['the ledger adds up', ...EARNINGS_CHECKS.map(({ name }) => name)];
  const found = await audit(await connected());
  expect(found.filter(({ name, count }) => count > 0 && names.includes(name))).toEqual([]);
});

async function connected(): Promise<pg.Client> {
  const client = new pg.Client(house.db.serverAddress);
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The number of records, and of savers whose balance is exactly what all days bring. */
async function standing(): Promise<{ records: number; right: number; headDay: string }> {
  const { rows } = await house.db.owner.query(
    `select (select count(*)::int from earning_interest) as records, (select day::text from earning_head) as "headDay",
       (select count(*)::int from ledger.balances where asset_id = 2 and earning between $1::bigint and $1::bigint + 4) as right`,
    [EACH],
  );
  return rows[0];
}
const DONE = { records: SAVERS * DAYS, right: SAVERS, headDay: '2027-03-06' };

describe('an accrual that is interrupted', () => {
  test('the next run continues after the last finished chunk, also in another process', async () => {
    const first = await connected();
    while ((await standing()).records <= SAVERS) await first.query('select earning_accrue($1)', [CHUNK]);
    await kill(first);
    const { records } = await standing();
    expect(records).toBeGreaterThan(SAVERS);
    expect(records).toBeLessThan(SAVERS * 2);
    expect(await house.accrue(CHUNK)).toBe(SAVERS * DAYS - records);
    expect(await standing()).toEqual(DONE);
  });

  test('an interrupted chunk books nothing', async () => {
    const first = await connected();
    while ((await standing()).records === 0) await first.query('select earning_accrue($1)', [CHUNK]);
    await first.query('begin');
    await first.query('select earning_accrue($1)', [CHUNK]);
    // While one connection accrues, others return at once.
    expect(await ask(house.db, 'earning_accrue', [CHUNK])).toMatchObject({ worked: false });
    await kill(first);
    expect((await standing()).records).toBe(CHUNK);
    await house.accrue(CHUNK);
    expect(await standing()).toEqual(DONE);
  });

  test.each(['before', 'after'] as const)(
    'the next run completes an accrual whose connection was cut %s one of its statements',
    async (moment) => {
      const fragile = new FragilePool(house.db.server);
      let cuts = 0;
      for (let statement = 1; (await standing()).headDay !== DONE.headDay; statement += 1) {
        fragile.plan(1 + (statement % 5), moment);
        const cut = await new EarningAccrual(fragile.pool, SILENT, { chunk: CHUNK }).run().then(
          () => false,
          () => true,
        );
        if (cut) cuts += 1;
      }
      expect(cuts).toBeGreaterThan(5);
      expect(await standing()).toEqual(DONE);
    },
  );

  test('stopping an accrual ends it after the current chunk, and a later run completes it', async () => {
    const accrual = new EarningAccrual(house.db.server, SILENT, { chunk: 1 });
    accrual.start();
    while ((await standing()).records < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    await accrual.stop();
    const { records } = await standing();
    expect(records).toBeLessThan(SAVERS * DAYS);
    expect((await standing()).records).toBe(records);
    await house.accrue(CHUNK);
    expect(await standing()).toEqual(DONE);
  });
});

describe('concurrent accruals, and customers who move money meanwhile', () => {
  test('five concurrent processes book each account once, in three rounds', async () => {
    const all = Array.from({ length: 5 }, () => new EarningAccrual(house.db.server, SILENT, { chunk: 3 }));
    let earned = 0;
    for (let round = 0; round < 3; round += 1)
      for (const one of await Promise.all(all.map((accrual) => accrual.run()))) earned += one;
    earned += await house.accrue(CHUNK);
    expect(earned).toBe(SAVERS * DAYS);
    expect(await standing()).toEqual(DONE);
  });

  test('customers who move money during an accrual get each day’s interest exactly once', async () => {
    const movers = await Promise.all(Array.from({ length: 6 }, () => house.saver(AMOUNT)));
    for (const mover of movers) expect(await house.move(mover, AMOUNT / 2n)).toBeNull();
    await house.goTo('2027-03-09', '00:00');
    const accruals = [1, 2].map(() => new EarningAccrual(house.db.server, SILENT, { chunk: 2 }).run());
    const moves = movers.map(async (mover, place) => {
      for (let step = 0; step < 6; step += 1) {
        expect(await house.move(mover, step % 2 === 0 ? 1_000_000n : -1_000_000n)).toBeNull();
        if (place % 2 === 0) await ask(house.db, 'earning_look', [mover.id]);
      }
    });
    await Promise.all([...accruals, ...moves]);
    await house.accrue(CHUNK);
    const [first, ...others] = await Promise.all(movers.map((mover) => house.record(mover)));
    expect(first?.map((line) => line.slice(0, 10))).toEqual(['2027-03-07', '2027-03-08']);
    for (const record of others) expect(record).toEqual(first);
  });

  test('the database refuses to book an account’s day twice, and refuses bookings by the server’s role', async () => {
    await house.accrue(CHUNK);
    const copy = `insert into earning_interest select * from earning_interest limit 1`;
    await expect(house.db.owner.query(copy)).rejects.toMatchObject({ code: '23505' });
    for (const attempt of [
      copy,
      'update earning_accounts set accrued_through = accrued_through - 1',
      `update earning_head set day = day - 1`,
      'delete from earning_interest',
      'update ledger.balances set earning = earning + 1',
      `select earning_book('2027-03-03', array[1000], array[2]::smallint[])`,
      `select ledger.pay_interest('x', sha256(''), array[1000], array[2]::smallint[], array[5], 0)`,
      `select ledger.earn('x', sha256(''), 1000, 2::smallint, 5, 0)`,
    ])
      await expect([attempt, await codeOf(attempt)]).toEqual([attempt, '42501']);
    // An owner who sets the head back can't book a day twice either.
    await house.db.owner.query(`update earning_head set day = '2027-03-03'`);
    await expect(house.accrue(CHUNK)).rejects.toThrow('23505');
    await house.db.owner.query(`update earning_head set day = '2027-03-06'`);
    expect(await standing()).toEqual(DONE);
    // A call for no accounts, which would skip them, is refused.
    await expect(house.db.server.query('select earning_accrue(0)')).rejects.toThrow('between one account');
  });
});

const codeOf = (attempt: string) =>
  house.db.server.query(attempt).then(
    () => 'done',
    (error: pg.DatabaseError) => error.code,
  );

async function kill(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const admin = new pg.Client({ ...house.db.ownerAddress, user: 'postgres' });
  await admin.connect();
  await admin.query('select pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
  await admin.end();
  await client.end().catch(() => {});
}
