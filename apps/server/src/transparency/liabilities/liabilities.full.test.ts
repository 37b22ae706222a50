import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { keysOf, readTexts } from '@fairtick/kit/installation/writers.ts';
import { trustedKeys } from '@fairtick/kit/people/receipts.ts';
import { type OwedClaim, parseLiabilities, verifyOwed } from '@fairtick/proof';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { PublicHeads } from '../../money/treasury/public-heads.ts';
import { failureOf, transaction } from '../../platform/db/database.ts';
import { audit } from '../audit/audit-checks.ts';
import { DailyLiabilities } from './daily-liabilities.ts';
import { readLiabilities, readOwed } from './owed-answers.ts';

const BIN = join(import.meta.dirname, '../../../../../packages/proof/bin/fairtick.ts');
let customers: string[];
/** Once a day the amounts owed to all customers go into a tree and its root into the log; each customer can check their own. */
const still = forFile(() => StillHouse.open());
beforeAll(async () => {
  await still.stepBy(750);
  await still.tick('EUR/USD', '1.08400');
  customers = await still.customers(20);
  // Held money is owed too.
  await still.buy(customers[3] as string, { symbol: 'EUR/USD', amount: '100' });
});

/** The day's head of the ledger, which the amounts are of. */
const takeHead = async () => {
  await new PublicHeads(still.house.db.serverAddress, pino({ level: 'silent' })).run();
  for (let step = 0; step < 2; step += 1) await still.stepBy(1_000);
};
const run = () => new DailyLiabilities(still.house.db.serverAddress, pino({ level: 'silent' })).run();
const owed = (customer: string): Promise<OwedClaim[]> => {
  const { db, assets, reader } = still.house;
  return readOwed({ db: db.server, assets, reader }, customer);
};
const judge = (claim: OwedClaim, customer: string) =>
  verifyOwed(claim, { customer, keys: trustedKeys(still.house).log });
const ofDemo = async (customer: string) =>
  (await owed(customer)).find(({ asset }) => asset === 'DEMO') as OwedClaim;

describe('the liabilities to customers', () => {
  test('are added up once a day by one of several callers and are in the log', async () => {
    expect(await run()).toBe(0);
    await takeHead();
    // What moves after the head counts on another day.
    await still.house.customer();
    const other = await still.house.customer();
    await still.buy(other, { symbol: 'EUR/USD', amount: '100' });
    const made = await Promise.all(Array.from({ length: 6 }, run));
    const { rows } = await still.house.db.owner.query('select count(*)::int as assets from ledger.assets');
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(rows[0].assets);
    expect(await run()).toBe(0);
    expect(judge(await ofDemo(customers[0] as string), customers[0] as string)).toBe('unlogged');
    for (let step = 0; step < 4; step += 1) await still.stepBy(1_000);
    const entries = (await readTexts(still.house)).filter((text) => text.startsWith('liabilities|'));
    expect(entries).toHaveLength(rows[0].assets);
    const head = (await readTexts(still.house)).find((text) => text.startsWith('audit|'))?.split('|')[3];
    const entry = parseLiabilities(entries.find((text) => text.includes('|DEMO|')) as string);
    expect(entry).toMatchObject({ asset: 'DEMO', total: '200000.000000', ledgerHead: head });
    const { rows: days0 } = await still.house.db.owner.query(
      'select floor(extract(epoch from taken_at) * 1000)::float8 as ms from public_heads',
    );
    expect(entry?.timeMs).toBe(days0[0].ms);
    const { db, assets, reader } = still.house;
    const days = await readLiabilities({ db: db.server, assets, reader });
    expect(days.find(({ asset }) => asset === 'DEMO')).toMatchObject({ total: '200000.000000' });
    expect(days.every(({ index }) => index !== null)).toBe(true);
    // The audit reads the same totals in the log.
    const client = await db.owner.connect();
    const findings = await audit(client).finally(() => client.release());
    expect(findings.filter(({ name, count }) => count > 0 && name.includes('daily totals'))).toEqual([]);
  });

  test('are shown to each customer and can be checked without the server', async () => {
    for (const customer of customers) {
      const claim = await ofDemo(customer);
      expect(claim.leaf?.amount).toBe('10000000000');
      expect(judge(claim, customer)).toBeNull();
    }
  });

  test('fail the check if the claim is missing, another customer’s, changed or not in the log', async () => {
    const [first, second] = customers as [string, string];
    const claim = await ofDemo(first);
    const leaf = claim.leaf as NonNullable<OwedClaim['leaf']>;
    const logged = claim.logged as NonNullable<OwedClaim['logged']>;
    const usdt = (await owed(first)).find(({ asset }) => asset === 'USDT') as OwedClaim;
    expect(judge(usdt, first)).toBe('absent');
    expect(judge(claim, second)).toBe('customer');
    expect(judge({ ...claim, leaf: { ...leaf, amount: '1' } }, first)).toBe('tree');
    expect(judge({ ...claim, total: '1' }, first)).toBe('tree');
    expect(judge({ ...claim, date: '2020-01-01' }, first)).toBe('entry');
    expect(judge({ ...claim, logged: { ...logged, index: logged.index - 1 } }, first)).toBe('log');
    const forged = logged.checkpoint.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`);
    expect(judge({ ...claim, logged: { ...logged, checkpoint: forged } }, first)).toBe('log');
  });
});

test('a customer’s claim is checked on the command line, offline', async () => {
  const [first, second] = customers as [string, string];
  const file = join(tmpdir(), `${still.house.db.name}.owed.json`);
  await writeFile(file, JSON.stringify({ code: 1, msg: '', data: await owed(first) }));
  const { checkpoints, acceptances } = keysOf(still.house).verifierKeys;
  const run = (customer: string) =>
    promisify(execFile)(process.execPath, [
      BIN,
      'owed',
      file,
      '--customer',
      customer,
      '--asset',
      'DEMO',
      '--key',
      checkpoints,
      '--key',
      acceptances,
    ]).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }) => ({ code: code as number, stdout: stdout as string }),
    );
  expect(await run(first)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('DEMO: 10000000000 of'),
  });
  expect(await run(second)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('NOT PROVED (customer)'),
  });
});

describe('the database', () => {
  /** Stores a tree with the server's role, whatever the ledger says. */
  async function keep(leaves: readonly [string, bigint][], total: bigint): Promise<string | null> {
    const { db } = still.house;
    await db.owner.query('delete from liability_levels where asset_id = 1');
    await db.owner.query('delete from liability_leaves where asset_id = 1');
    await db.owner.query('delete from liability_days where asset_id = 1');
    const tried = transaction(db.server, async (client) => {
      await client.query('set transaction isolation level repeatable read');
      await client.query(
        `select liabilities_keep((now() at time zone 'utc')::date, 1::smallint, (select max(number) from public_heads), $1, sha256('r'),
           4::smallint, $2::bigint[], $3::int[], $4::bytea[], $5::bigint[], '{}'::bytea[])`,
        [
          String(total),
          leaves.map(([customer]) => customer),
          leaves.map((_, at) => at),
          leaves.map(() => Buffer.alloc(32)),
          leaves.map(([, amount]) => String(amount)),
        ],
      );
    });
    return tried.then(
      () => 'kept',
      (error: unknown) => failureOf(error),
    );
  }

  test('keeps only a tree that matches the ledger', async () => {
    const all = customers.map((customer): [string, bigint] => [customer, 10_000_000_000n]);
    const total = 200_000_000_000n;
    const REFUSED = 'INVALID_REASON';
    expect(await keep(all.slice(1), total - 10_000_000_000n)).toBe(REFUSED);
    expect(await keep(all, total - 1n)).toBe(REFUSED);
    expect(await keep([...all.slice(1), [customers[0] as string, 9_999_999_999n]], total - 1n)).toBe(REFUSED);
    expect(await keep([...all, ['999999', 5n]], total + 5n)).toBe(REFUSED);
    // A negative amount is not a valid leaf.
    expect(await keep([...all, ['999999', -5n]], total - 5n)).toBe('23514');
    expect(await keep(all, total)).toBe('kept');
  });
});
