import type { OfficeClient } from '@fairtick/kit/clients/office-client.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { auditedDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { setMode } from '@fairtick/kit/installation/house.ts';
import { ask, USDT } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';

/** The rate table: set by two people, for future days, and never changed afterwards. */
const DEMO = 1;
const db = auditedDatabase();
const api = ownOffice(db);
const catalogue = ownStaff(db, api, 'catalogue');
const approver = ownStaff(db, api, 'approver');
const auditor = ownStaff(db, api, 'auditor');
/** Closes all open proposals. */
beforeEach(async () => {
  await db.owner.query(
    `update proposals set state = 'refused', decided_by = proposed_by, decided_at = now() where state = 'proposed'`,
  );
});

const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
const propose = (fields: Record<string, string> = {}, client: OfficeClient = catalogue) =>
  client.post('earning/propose', {
    asset: 'USDT',
    annualRate: '0.041',
    from: day(3),
    note: 'Markets moved',
    ...fields,
  });
const decide = (id: string, verdict = 'agree', client: OfficeClient = approver) =>
  client.post('earning/decide', { id, verdict });
const ratesOf = async (asset: string) =>
  (await dataOf(auditor.get('earning/rates')))
    .filter((rate: { asset: string }) => rate.asset === asset)
    .map(({ from, annualRate, state, isSample }: Record<string, string>) => [
      from,
      annualRate,
      state,
      isSample,
    ]);

/** Sample rates start on the day on which the database was created, which may be over by now. */
async function seededOn(): Promise<string> {
  const { rows } = await db.owner.query(
    `select distinct (added_at at time zone 'UTC')::date::text as day from earning_rates where proposal_id is null`,
  );
  expect(rows).toHaveLength(1);
  return rows[0].day;
}

describe('rates in the office', () => {
  test('a rate that one person proposes and another approves enters the table for its day', async () => {
    const before = await ratesOf('ETH');
    expect(before).toEqual([[await seededOn(), '0.015', 'current', true]]);
    const { id } = await dataOf(propose({ asset: 'ETH', annualRate: '0.0125' }));
    expect(await ratesOf('ETH')).toEqual(before);
    expect(await dataOf(decide(id))).toEqual({ status: 'done' });
    expect(await ratesOf('ETH')).toEqual([[day(3), '0.0125', 'coming', false], ...before]);
    const [change] = (await dataOf(auditor.get('earning/changes'))).items;
    expect(change).toMatchObject({
      asset: 'ETH',
      from: day(3),
      annualRate: '0.0125',
      before: '0.015',
      note: 'Markets moved',
      status: 'done',
      proposedBy: { id: catalogue.staffId },
      decidedBy: { id: approver.staffId },
    });
    const { items } = await dataOf(auditor.get('audit/list'));
    const actions = items.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['earning_rate.propose', 'approve', 'earning_rate.done']));
    // An approval is kept as the hash of a content; its reader sees the content.
    const approvals = await dataOf(auditor.get('audit/list', { action: 'approve' }));
    expect(approvals.items[0]).toMatchObject({
      action: 'approve',
      subject: `earning_rate:${id}`,
      facts: { asset: 'ETH', rate: '1.25%', from: day(3), content: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  test('proposers can’t approve their own rate, and a decided proposal can’t be decided again', async () => {
    const { id } = await dataOf(propose());
    expect((await decide(id, 'agree', catalogue)).body.error).toBe('ROLE_MISSING');
    expect((await decide(id, 'agree', auditor)).body.error).toBe('ROLE_MISSING');
    expect((await propose({ annualRate: '0.05' })).body.error).toBe('NOTHING_NEW');
    expect(await dataOf(decide(id, 'refuse', catalogue))).toEqual({ status: 'refused' });
    expect((await decide(id)).body.error).toBe('REQUEST_CLOSED');
    expect((await decide('5')).body.error).toBe('REQUEST_NOT_FOUND');
    // Two accounts of one person count as one person.
    const twin = await installStaff(db.owner, 'approver');
    await db.owner.query('update staff set person = (select person from staff where id = $1) where id = $2', [
      catalogue.staffId,
      twin,
    ]);
    const again = (await dataOf(propose())).id;
    expect(await ask(db, 'proposal_approve', [twin, ['earning_rate'], again])).toBe('OWN_EDIT');
  });

  test.each<[Record<string, string>, string]>([
    [{ daysAhead: '1' }, 'RATE_TOO_SOON'],
    [{ daysAhead: '0' }, 'RATE_TOO_SOON'],
    [{ daysAhead: '-30' }, 'RATE_TOO_SOON'],
    [{ daysAhead: '91' }, 'RATE_TOO_SOON'],
    [{ from: 'tomorrow' }, 'DATE_INVALID'],
    [{ from: '2026-02-31' }, 'DATE_INVALID'],
    [{ from: '0000-01-01' }, 'DATE_INVALID'],
    [{ annualRate: '0.200001' }, 'RATE_OUT_OF_BOUNDS'],
    [{ annualRate: '1' }, 'RATE_OUT_OF_BOUNDS'],
    [{ annualRate: '-0.01' }, 'RATE_OUT_OF_BOUNDS'],
    [{ annualRate: '0.0000001' }, 'RATE_OUT_OF_BOUNDS'],
    [{ annualRate: '3 %' }, 'RATE_OUT_OF_BOUNDS'],
    [{ asset: 'DEMO' }, 'ASSET_NOT_ACCEPTED'],
    [{ asset: 'XYZ' }, 'ASSET_NOT_ACCEPTED'],
    [{ note: '' }, 'FORM_INCOMPLETE'],
  ])('%j is refused: %s', async ({ daysAhead, ...fields }, error) => {
    const from = daysAhead === undefined ? {} : { from: day(Number(daysAhead)) };
    expect((await propose({ ...fields, ...from })).body.error).toBe(error);
  });

  test('an approval is refused when it comes too late for the rate’s first day', async () => {
    const { id } = await dataOf(propose({ asset: 'BTC', from: day(2) }));
    await db.owner.query(
      `update proposals set content = content || jsonb_build_object('from', current_date + 1) where id = $1`,
      [id],
    );
    expect((await decide(id)).body.error).toBe('RATE_TOO_SOON');
    expect(await ratesOf('BTC')).toHaveLength(1);
  });

  test('a new rate must start after the approved rates and differ from the last one', async () => {
    const { id } = await dataOf(propose({ asset: 'USD', from: day(20) }));
    await dataOf(decide(id));
    expect((await propose({ asset: 'USD', annualRate: '0.01', from: day(20) })).body.error).toBe(
      'RATE_TOO_SOON',
    );
    expect((await propose({ asset: 'USD', annualRate: '0.01', from: day(5) })).body.error).toBe(
      'RATE_TOO_SOON',
    );
    expect((await propose({ asset: 'USD', from: day(30) })).body.error).toBe('NOTHING_NEW');
    await dataOf(propose({ asset: 'USD', annualRate: '0.01', from: day(30) }));
  });

  test('the totals show what is owed and paid, and whether the accrual is up to date', async () => {
    await db.owner.query('update earning_head set day = earning_today() - 1');
    expect(await dataOf(auditor.get('earning/totals'))).toMatchObject({ day: day(-1), isUpToDate: false });
    const accrue = async () =>
      (await db.owner.query('select worked from earning_accrue(100)')).rows[0].worked;
    while (await accrue());
    const { totals, isUpToDate } = await dataOf(auditor.get('earning/totals'));
    expect(isUpToDate).toBe(true);
    expect(totals.map(({ asset }: { asset: string }) => asset)).toEqual(['USDT', 'USD', 'BTC', 'ETH']);
    expect(totals[0]).toEqual({ asset: 'USDT', accounts: 0, owed: '0.000000', paid: '0.000000' });
  });
});

describe('the rate table in the database', () => {
  const refusal = (statement: string) =>
    db.owner.query(statement).then(
      () => 'done',
      (error: unknown) => failureOf(error),
    );

  test.each([
    [
      'a rate for a day that is past',
      `insert into earning_rates values (${USDT}, current_date - 1, 50000)`,
      'RATE_TOO_SOON',
    ],
    [
      'a rate for today, where there is one',
      `insert into earning_rates values (${USDT}, current_date, 50000)`,
      'RATE_TOO_SOON',
    ],
    [
      'a rate for practice money',
      `insert into earning_rates values (${DEMO}, current_date + 5, 50000)`,
      'PRACTICE_MONEY',
    ],
    [
      'a rate of 21 percent',
      `insert into earning_rates values (${USDT}, current_date + 60, 210000)`,
      '23514',
    ],
    ['a rate below zero', `insert into earning_rates values (${USDT}, current_date + 60, -1)`, '23514'],
    ['another value', 'update earning_rates set annual_ppm = 1', 'RATE_STAYS'],
    ['another day', 'update earning_rates set from_day = from_day - 10', 'RATE_STAYS'],
    ['a row less', 'delete from earning_rates', 'RATE_STAYS'],
    ['no rows at all', 'truncate earning_rates', 'RATE_STAYS'],
    [
      'a change that nobody agreed to',
      `with p as (insert into proposals (kind, content, proposed_by)
         select 'earning_rate', jsonb_build_object('asset', ${USDT}, 'from', current_date + 60, 'ppm', 90000, 'note', 'mine'), min(id)
         from staff returning *)
       insert into earning_rates (asset_id, from_day, annual_ppm, proposal_id) select ${USDT}, current_date + 60, 90000, id from p`,
      'APPROVALS_MISSING',
    ],
  ])('%s is refused', async (_what, statement, code) => {
    expect(await refusal(statement)).toBe(code);
  });

  test('a rate needs an approved change with exactly its content', async () => {
    const id = await ask(db, 'earning_rate_propose', [catalogue.staffId, 4, 7_000, day(40), 'for bitcoin']);
    const insert = (ppm: number) =>
      refusal(
        `insert into earning_rates (asset_id, from_day, annual_ppm, proposal_id) values (4, '${day(40)}', ${ppm}, ${id})`,
      );
    expect(await insert(7_001)).toBe('CONTENT_CHANGED');
    expect(await insert(7_000)).toBe('APPROVALS_MISSING');
  });

  test('the server’s role can’t write to the rate tables', async () => {
    for (const table of ['earning_rates', 'proposals']) {
      for (const statement of [`delete from ${table}`, `insert into ${table} default values`]) {
        const code = await db.server.query(statement).then(
          () => 'done',
          (error: { code: string }) => error.code,
        );
        expect([statement, code]).toEqual([statement, '42501']);
      }
    }
  });

  test('in live mode sample rates have no effect, and none can be added', async () => {
    await setMode(db.owner, 'live');
    expect(await refusal(`insert into earning_rates values (${USDT}, current_date + 5, 50000)`)).toBe(
      'ROLE_MISSING',
    );
    const { rows } = await db.server.query(
      'select (earning_rate_on(2::smallint, current_date)).annual_ppm as ppm',
    );
    await setMode(db.owner, 'demo');
    expect(rows[0].ppm).toBeNull();
  });
});
