import { pino } from 'pino';
import { SEEDED_ASSETS } from '../apps/server/src/commands/seeded-assets.ts';
import { EarningAccrual } from '../apps/server/src/money/earnings/accrual-job.ts';
import { runChecks } from '../apps/server/src/transparency/audit/audit-checks.ts';
import { EARNINGS_CHECKS } from '../apps/server/src/transparency/audit/audit-earnings-checks.ts';
import { type BenchInstallation, openInstallation } from './kit/installation.ts';
import { percentile } from './kit/measure.ts';
import { sized } from './kit/size.ts';
import { baselineOf, Tpcb } from './kit/tpcb.ts';

/**
 * A day's interest on many accounts, booked as the engine does it, against TPC-B on the same server:
 *   npm run bench -- earnings [1000000]
 */
const COUNT = Number(process.argv[2] ?? sized(1_000_000, 2_500));
const SECONDS = Number(process.env.SECONDS ?? sized(8, 1));
const USDT = SEEDED_ASSETS.USDT.id;

/** Inserts this many customers with money in earnings since yesterday, with two movements in the ledger for all of them. */
async function fill({ owner }: BenchInstallation): Promise<void> {
  const steps = [
    `insert into customers (account, nickname, password_hash)
     select 'saver' || n, 'saver', 'not a hash' from generate_series(1, ${COUNT}) n`,
    `insert into ledger.balances (owner_id, asset_id, earning)
     select id, ${USDT}, 10000000 + id % 9000 * 1000000 from customers where nickname = 'saver'`,
    `with t as (
       insert into ledger.transfers (idempotency_key, input_hash, kind) values ('bench in', sha256(''), 'deposit') returning id
     ), moved as (
       insert into ledger.house_movements (transfer_id, account, asset_id, amount)
       select t.id, ledger.external_account(), ${USDT}, (select -sum(earning) from ledger.balances) from t
     )
     insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
     select t.id, b.owner_id, b.asset_id, ledger.external_account(), b.owner_id * 4, b.earning, b.earning, 0
     from t, ledger.balances b where b.earning > 0`,
    `with t as (
       insert into ledger.transfers (idempotency_key, input_hash, kind) values ('bench earn', sha256(''), 'earn_in') returning id
     )
     insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
     select t.id, b.owner_id, b.asset_id, b.owner_id * 4, b.owner_id * 4 + 2, b.earning, 0, 0
     from t, ledger.balances b where b.earning > 0`,
    `insert into earning_accounts (customer_id, asset_id, accrued_through, low_day, low)
     select owner_id, asset_id, earning_today() - 2, earning_today() - 2, 0 from ledger.balances where earning > 0`,
    // Moves the rates into the past, as in an older installation.
    'alter table earning_rates disable trigger user',
    'update earning_rates set from_day = from_day - 30',
    'alter table earning_rates enable trigger user',
    'update earning_head set day = earning_today() - 1',
    'vacuum analyze',
  ];
  for (const step of steps) await owner.query(step);
  // The owner may lack the right to make a checkpoint.
  await owner.query('checkpoint').catch(() => {});
}

/** Books the day; returns the duration of each chunk. */
async function bookDay({
  server,
}: BenchInstallation): Promise<{ earned: number; tookMs: number; chunksMs: number[] }> {
  const chunksMs: number[] = [];
  const timed = new Proxy(server, {
    get: (pool, name) =>
      name === 'query'
        ? async (...args: unknown[]) => {
            const startedMs = performance.now();
            const answer = await (pool.query as (...all: unknown[]) => Promise<unknown>).apply(pool, args);
            chunksMs.push(performance.now() - startedMs);
            return answer;
          }
        : Reflect.get(pool, name),
  });
  const startedMs = performance.now();
  const earned = await new EarningAccrual(timed, pino({ level: 'silent' })).run();
  return { earned, tookMs: performance.now() - startedMs, chunksMs };
}

const house = await openInstallation();
try {
  await fill(house);
  const tpcb = await Tpcb.open(house.address);
  const baselines = [tpcb.measure(SECONDS)];
  const { earned, tookMs, chunksMs } = await bookDay(house);
  baselines.push(tpcb.measure(SECONDS));
  const rate = (earned / tookMs) * 1000;
  console.log(
    `interest of a day on ${earned} accounts: ${(tookMs / 1000).toFixed(1)} s, ${rate.toFixed(0)}/s = ` +
      `${(rate / baselineOf(baselines).tps).toFixed(1)} × tpcb (${baselines.map(({ tps }) => tps.toFixed(0)).join(', ')}); ` +
      `a chunk ${percentile(chunksMs, 0.5).toFixed(0)} ms, at most ${Math.max(...chunksMs).toFixed(0)} ms`,
  );
  const names = new Set(['the ledger adds up', ...EARNINGS_CHECKS.map(({ name }) => name)]);
  const client = await house.owner.connect();
  const wrong = (await runChecks(client)).filter(({ name, count }) => count > 0 && names.has(name));
  client.release();
  console.log(`  checks that found something: ${wrong.map(({ name }) => name).join('; ') || 'none'}`);
  if (earned !== COUNT || wrong.length > 0) throw new Error('the books are not right');
} finally {
  await house.close();
}
