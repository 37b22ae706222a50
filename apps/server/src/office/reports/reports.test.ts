import { createHash } from 'node:crypto';
import { staffOf, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { tradedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { keysOf } from '@fairtick/kit/installation/writers.ts';
import {
  approveRequest,
  ask,
  contentOf,
  deposit,
  newPayee,
  payByHand,
  usdt,
  withdrawal,
} from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { parseDecimal } from '@fairtick/money';
import { nobleVerifier, openNote } from '@fairtick/proof';
import { REPORT_NAMES, type ReportName } from '@fairtick/protocol/office';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';

/** Reports of a small house: each order result once, a deposit and a withdrawal with fees, interest, and a limit. */
const still = forFile(tradedHouse);
const office = forFile(() => startOffice(still.house.db));
const auditor = forFile(() => staffOf(still.house.db, office.officeOrigin, 'auditor'));
const cashier = forFile(() => staffOf(still.house.db, office.officeOrigin, 'cashier'));
let begunMs: number;
let payee: Awaited<ReturnType<typeof newPayee>>;

beforeAll(async () => {
  const { db } = still.house;
  const { rows } = await db.owner.query(
    'select floor(extract(epoch from min(created_at)) * 1000)::float8 as ms from ledger.transfers',
  );
  begunMs = rows[0].ms;
  payee = await newPayee(db);
  const [clerk, chief] = [await installStaff(db.owner, 'cashier'), await installStaff(db.owner, 'approver')];
  const paidIn = await deposit(db, payee, usdt(500));
  await ask(db, 'deposit_find', [clerk, paidIn, usdt(500), 'tx 1']);
  await deposit(db, payee, usdt(60));
  const paidOut = await withdrawal(db, payee, usdt(200));
  await ask(db, 'withdrawal_propose', [clerk, paidOut, '']);
  await approveRequest(db, 'withdrawal', [chief, paidOut, await contentOf(db, 'withdrawal', paidOut)]);
  expect(await payByHand(db, clerk, paidOut, 'out 1')).toBe('');
  await withdrawal(db, payee, usdt(100));
  await db.owner.query(
    `select ledger.pay_interest('interest:1', sha256('i'), array[$1::bigint], array[2::smallint], array[1234567::bigint], 20261127)`,
    [payee.id],
  );
  await db.owner.query(`update customers set nickname = 'x' where id = $1`, [payee.id]);
});

type Fields = Partial<Record<'format' | 'zone' | 'from' | 'to' | 'reason', string>>;

/** Orders a report and fetches it with its note, as the office's page does. */
async function made(report: ReportName, fields: Fields = {}) {
  const order = {
    report,
    format: 'csv',
    from: String(begunMs),
    to: String(Date.now() + 60_000),
    reason: 'The month for the auditor',
    ...fields,
  };
  const { body } = await auditor.post('report/order', order);
  expect([report, body.error]).toEqual([report, undefined]);
  const id = body.data.id as string;
  const answer = await fetch(`${office.officeOrigin}/api/report/file?id=${id}`, {
    headers: { 'x-office': '1', cookie: auditor.cookie },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const { body: note } = await auditor.get('report/note', { id });
  return { id, answer, bytes, note: note as string };
}

const rowsOf = (bytes: Buffer) => parse(bytes, { bom: true, columns: true }) as Record<string, string>[];
/** Lines of a note by their first words. */
const linesOf = (note: string, name: string) =>
  note
    .split('\n')
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1));
const units = (amount: string) => {
  const value = parseDecimal(amount.replace('-', ''), amount.split('.')[1]?.length ?? 0) as bigint;
  return amount.startsWith('-') ? -value : value;
};

describe('every report', () => {
  test.each(REPORT_NAMES)(
    '%s: the signed note states rows, hash and totals of the file, which the rows add up to',
    async (report) => {
      const { bytes, note, answer } = await made(report);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      const verifier = nobleVerifier(keysOf(still.house).verifierKeys.acceptances);
      expect(verifier && openNote(note, [verifier])).not.toBeNull();
      expect(note.startsWith('fairtick-export/1\n')).toBe(true);
      expect(verifier && openNote(note.replace(/\nrows \d+/, '\nrows 7'), [verifier])).toBeNull();
      const rows = rowsOf(bytes);
      expect(rows.length).toBeGreaterThan(0);
      expect(linesOf(note, 'rows')).toEqual([String(rows.length)]);
      expect(linesOf(note, 'sha256')).toEqual([createHash('sha256').update(bytes).digest('hex')]);
      for (const total of linesOf(note, 'total')) {
        const [name = '', asset = '', sum = ''] = total.split(' ');
        const added = rows
          .filter((row) => row.asset === asset && row[name] !== '')
          .reduce((whole, row) => whole + units(row[name] as string), 0n);
        expect([report, name, asset, added]).toEqual([report, name, asset, units(sum)]);
      }
    },
  );

  test('the movements since the beginning are the trial balance', async () => {
    const { note, bytes } = await made('movements');
    const postings = rowsOf(bytes).map(({ posting }) => Number(posting));
    expect(postings.length).toBeGreaterThan(10);
    expect(postings).toEqual(postings.toSorted((one, other) => one - other));
    const { body } = await auditor.get('ledger/trialBalance');
    const balances = new Map<string, bigint>();
    for (const { asset, account, balance } of body.data) {
      const name = `${account.split(' ')[0]} ${asset}`;
      balances.set(name, (balances.get(name) ?? 0n) + units(balance));
    }
    const moved = linesOf(note, 'total').map((line) => line.split(' ') as [string, string, string]);
    expect(moved.length).toBeGreaterThanOrEqual(10);
    for (const [name, asset, sum] of moved)
      expect([name, asset, units(sum)]).toEqual([name, asset, balances.get(`${name} ${asset}`) ?? 0n]);
  });

  test('orders, turnover, deposits, withdrawals, fees and interest have what happened', async () => {
    const orders = rowsOf((await made('orders')).bytes);
    expect(
      orders.map(({ result, stake, credited, voidReason }) => [result, stake, credited, voidReason]),
    ).toEqual([
      ['profit', '100.000000', '180.000000', ''],
      ['loss', '100.000000', '0.000000', ''],
      ['none', '100.000000', expect.stringMatching(/^1[01]0\.000000$/), expect.stringMatching(/./)],
      ['', '50.000000', '', ''],
    ]);
    const turnover = rowsOf((await made('turnover')).bytes);
    const sum = (name: string) => turnover.reduce((whole, row) => whole + Number(row[name]), 0);
    expect([sum('orders'), sum('stakes'), sum('settled'), sum('ended')]).toEqual([4, 350, 3, 300]);
    expect(sum('ended') - sum('paid')).toBeCloseTo(sum('result'), 6);
    const deposits = rowsOf((await made('deposits')).bytes);
    expect(deposits.map(({ status, asked, credited }) => [status, asked, credited])).toEqual([
      ['success', '500.000000', '500.000000'],
      ['review', '60.000000', ''],
    ]);
    const withdrawals = rowsOf((await made('withdrawals')).bytes);
    expect(withdrawals.map(({ status, asked, sent, fee }) => [status, asked, sent, fee])).toEqual([
      ['success', '200.000000', '199.000000', '1.000000'],
      ['review', '100.000000', '', ''],
    ]);
    const [interest] = rowsOf((await made('interest')).bytes);
    expect(interest).toMatchObject({ day: '2026-11-27', customer: payee.id, interest: '1.234567' });
  });

  test('balances are those of their moment, and a period has its own rows only', async () => {
    const { db } = still.house;
    const { rows } = await db.owner.query(
      `select floor(extract(epoch from created_at) * 1000)::float8 as ms from ledger.transfers where kind = 'payout'`,
    );
    const ofPayee = async (to: number) =>
      rowsOf((await made('balances', { to: String(to) })).bytes)
        .filter(({ customer }) => customer === payee.id)
        .map(({ available, held, earning }) => [available, held, earning]);
    expect(await ofPayee(rows[0].ms)).toEqual([['300.000000', '200.000000', '0.000000']]);
    expect(await ofPayee(Date.now() + 60_000)).toEqual([['200.000000', '100.000000', '1.234567']]);
    const after = { from: String(rows[0].ms + 1) };
    const kinds = rowsOf((await made('movements', after)).bytes).map(({ kind }) => kind);
    expect(kinds).toEqual(['hold', 'interest']);
  });
});

describe('a file', () => {
  test('is named after its days in its own zone, both included', async () => {
    const days = { from: String(Date.UTC(2026, 9, 31, 16)), to: String(Date.UTC(2026, 10, 30, 16)) };
    const { id, answer } = await made('protection', { zone: 'Asia/Shanghai', ...days });
    expect(answer.headers.get('content-disposition')).toContain(
      `fairtick-protection-2026-11-01-2026-11-30-${id}.csv`,
    );
  });

  test('has the same rows as JSON, in an array or by lines, with times in UTC', async () => {
    const csv = rowsOf((await made('orders', { zone: 'Asia/Shanghai' })).bytes);
    const array = await made('orders', { format: 'json' });
    const lines = await made('orders', { format: 'jsonl' });
    const parsed = JSON.parse(array.bytes.toString());
    expect(parsed).toEqual(
      lines.bytes
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    expect(parsed.map(({ order, stake }: Record<string, string>) => [order, stake])).toEqual(
      csv.map(({ order, stake }) => [order, stake]),
    );
    for (const [at, { time, timeUtc }] of csv.entries()) {
      expect(timeUtc).toBe(parsed[at].time);
      expect(new Date(`${time?.replace(' ', 'T')}+08:00`).toISOString()).toBe(timeUtc);
    }
    const { answer, bytes } = await made('interest', { format: 'json', to: String(begunMs + 1) });
    expect([answer.headers.get('content-type'), JSON.parse(bytes.toString())]).toEqual([
      'application/json',
      [],
    ]);
  });

  test('runs no formula in a spreadsheet and keeps long numbers whole', async () => {
    const { db } = still.house;
    await db.owner.query(
      `select audit_append(null, 'odd', '=cmd()', '{"a": "1, \\"2\\""}'), audit_append(null, 'odd', '+1', '{}')`,
    );
    const odd = rowsOf((await made('audit')).bytes).filter(({ action }) => action === 'odd');
    expect(odd.map(({ subject, facts }) => [subject, facts])).toEqual([
      ["'=cmd()", '{"a": "1, \\"2\\""}'],
      ["'+1", '{}'],
    ]);
    const rich = await newPayee(db);
    const correct = (amount: string) =>
      db.owner.query(`select ledger.correct($1, sha256('c'), $2, 2::smallint, $3, 0)`, [
        amount,
        rich.id,
        amount,
      ]);
    await correct('1234567890123456789');
    const [row] = rowsOf((await made('balances')).bytes).filter(({ customer }) => customer === rich.id);
    expect(row?.available).toBe("'1234567890123.456789");
    await correct('-1234567890123456789');
    const out = rowsOf((await made('movements')).bytes).findLast(({ kind }) => kind === 'correction');
    expect([out?.customers, out?.external]).toEqual(["'-1234567890123.456789", "'1234567890123.456789"]);
  });
});

describe('an order of an export', () => {
  test('is in the audit log with its reason and its hash, and each named customer sees the view once', async () => {
    const { db } = still.house;
    const views = async () =>
      (await db.owner.query(`select customer_id, subject_id from personal_data_views where what = 'report'`))
        .rows;
    const before = (await views()).length;
    const { id, bytes } = await made('deposits', { reason: 'Asked by the tax office' });
    expect((await views()).slice(before)).toEqual([{ customer_id: payee.id, subject_id: id }]);
    await made('turnover');
    expect(await views()).toHaveLength(before + 1);
    const { body } = await auditor.get('audit/list', { subject: `report:${id}` });
    expect(body.data.items.map(({ action, staffId }: Record<string, string>) => [action, staffId])).toEqual([
      ['report.made', auditor.staffId],
      ['report.order', auditor.staffId],
    ]);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(body.data.items[0].facts).toMatchObject({ sha256 });
    expect(body.data.items[1].facts).toMatchObject({ report: 'deposits', reason: 'Asked by the tax office' });
    const { body: list } = await auditor.get('report/list', { limit: '2' });
    expect(list.data.items.find((one: { id: string }) => one.id === id)).toMatchObject({
      state: 'done',
      sha256,
      rows: 2,
    });
  });

  test('needs the role of its report, a reason and a right period', async () => {
    const order = { report: 'orders', format: 'csv', from: '0', to: '1', reason: 'a reason' };
    expect(await errorOf(cashier.post('report/order', order))).toBe('ROLE_MISSING');
    for (const [fields, error] of [
      [{ reason: 'why' }, 'FORM_INCOMPLETE'],
      [{ to: '0' }, 'INVALID_VALUE'],
      [{ to: String(367 * 86_400_000) }, 'INVALID_VALUE'],
      [{ zone: 'Asia/Nowhere' }, 'INVALID_VALUE'],
      [{ report: 'customers' }, 'INVALID_VALUE'],
    ] as const)
      expect([fields, await errorOf(auditor.post('report/order', { ...order, ...fields }))]).toEqual([
        fields,
        error,
      ]);
  });

  test('is fetched once, by the one who ordered it', async () => {
    const { id } = await made('fees');
    expect(await errorOf(auditor.get('report/file', { id }))).toBe('REQUEST_CLOSED');
    const { body } = await auditor.post('report/order', {
      ...{ report: 'fees', format: 'csv', from: '0', to: '1', reason: 'a reason' },
    });
    expect(await errorOf(cashier.get('report/file', { id: body.data.id }))).toBe('REQUEST_CLOSED');
    expect(await errorOf(cashier.get('report/note', { id: body.data.id }))).toBe('REQUEST_NOT_FOUND');
  });

  test('breaks off without a note when the rows are not what the ledger has', async () => {
    const { db } = still.house;
    await db.owner.query('update ledger.house_movements set amount = amount + 1 where account = 12');
    try {
      await expect(made('fees')).rejects.toThrow('terminated');
      const { body } = await auditor.get('report/list', { limit: '1' });
      expect(body.data.items[0]).toMatchObject({ report: 'fees', state: 'broken', sha256: null });
    } finally {
      await db.owner.query('update ledger.house_movements set amount = amount - 1 where account = 12');
    }
  });
});
