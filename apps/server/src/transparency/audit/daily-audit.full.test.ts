import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { signingKeyFile } from '@fairtick/kit/folder.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { DailyAudit } from './daily-audit.ts';

const DAY_MS = 86_400_000;
/** One hour after the beginning of yesterday (UTC); today's run replays the orders of that day. */
const yesterdayMs = () => Date.now() - (Date.now() % DAY_MS) - DAY_MS + 3_600_000;
const still = forTest(() => StillHouse.open({ quietMs: 120_000 }, yesterdayMs()));
beforeEach(async () => {
  await still.stepBy(750);
  await still.tick('EUR/USD', '1.08400');
  const order = await still.buy(await still.house.customer(), { symbol: 'EUR/USD', amount: '100' });
  const { opensAtMs, settlesAtMs } = await still.order(order);
  await still.openAt(opensAtMs, 'EUR/USD', '1.08427');
  await still.stepTo(settlesAtMs - 250);
  await still.tick('EUR/USD', '1.08450');
  await still.stepBy(500);
  expect(await still.settle()).toBe(1);
});

const run = () =>
  new DailyAudit(
    still.house.db.serverAddress,
    pino({ level: 'silent' }),
    signingKeyFile(still.house.db),
  ).run();
const kept = async () => {
  const { rows } = await still.house.db.server.query<{ findings: string[] }>(
    'select findings from audit_runs',
  );
  return rows.map(({ findings }) => findings);
};

test('the daily audit finds nothing in a correct day, runs once and keeps its result', async () => {
  expect(await run()).toEqual([]);
  expect(await run()).toBeNull();
  expect(await kept()).toEqual([[]]);
});

test('the daily audit finds an order that the log decides otherwise, a batch without a signature, and an act without a session', async () => {
  const { owner, server } = still.house.db;
  await owner.query(
    `update log_entries set body = replace(body, '|1.08450|', '|1.08455|') where index = (select settle_index from orders_and_results)`,
  );
  await owner.query(`update order_batches set signed = ''`);
  const approver = await installStaff(owner, 'approver');
  await owner.query(`select approve($1, 'correction', 7, sha256(''))`, [approver]);
  const findings = (await run()) ?? [];
  expect(findings.join('\n')).toMatch(/order \d+, settlement price: by the log 108455/);
  expect(findings).toContain('batch 1: no key of the log signed it');
  expect(findings.join('\n')).toMatch(/of correction 7, by staff \d+: no session/);
  expect(await kept()).toEqual([findings]);
  // A result can't be replaced, nor added for another day.
  const { rows } = await server.query<{ day: string }>('select day::text from audit_runs');
  for (const day of [rows[0]?.day, '2020-01-01'])
    await expect(server.query(`select audit_keep($1, '[]')`, [day])).rejects.toMatchObject({
      constraint: 'AUDIT_NOT_DUE',
    });
});
