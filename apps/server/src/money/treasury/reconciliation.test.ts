import { register } from '@fairtick/kit/clients/api-client.ts';
import { submitDeposit } from '@fairtick/kit/clients/money-api.ts';
import type { OfficeClient } from '@fairtick/kit/clients/office-client.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { auditedDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { DailyReconciliation } from './daily-reconciliation.ts';

/** The ledger in the office: transfers with their causes, and the daily reconciliation. */
const db = auditedDatabase();
const api = ownOffice(db);
const cashier = ownStaff(db, api, 'cashier');
const auditor = ownStaff(db, api, 'auditor');

describe('the ledger in the office', () => {
  test('each transfer names its cause, and each asset sums to zero', async () => {
    const ann = await register(api.origin);
    const { id } = (await submitDeposit(api.origin, ann.token, '80', { channelId: '2' })).body.data;
    await dataOf(cashier.post('deposit/find', { id, amount: '80', evidence: 'tx of the ledger' }));
    const { items } = await dataOf(auditor.get('ledger/transfers', { customerId: ann.id }));
    expect(items[0]).toMatchObject({
      kind: 'deposit',
      postings: [
        {
          asset: 'USDT',
          from: 'external',
          to: `customer ${ann.id} available`,
          amount: '80.000000',
          availableAfter: '80.000000',
          cause: `deposit:${id}`,
        },
      ],
    });
    expect(items.at(-1).kind).toBe('practice');
    const page = await dataOf(auditor.get('ledger/transfers', { limit: '1' }));
    expect(page.items).toHaveLength(1);
    const balances = await dataOf(auditor.get('ledger/trialBalance'));
    const sums = new Map<string, bigint>();
    for (const { asset, balance } of balances)
      sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(balance.replace('.', '')));
    expect(sums.size).toBe(5);
    expect([...sums.values()].every((sum) => sum === 0n)).toBe(true);
  });

  test('the server reconciles the ledger once a day, however many processes try', async () => {
    const runs = await Promise.all(
      Array.from({ length: 4 }, () =>
        new DailyReconciliation(db.serverAddress, pino({ level: 'silent' })).run(),
      ),
    );
    expect(runs.filter((findings) => findings !== null)).toHaveLength(1);
    const { rows } = await db.owner.query('select staff_id from reconciliations');
    expect(rows).toEqual([{ staff_id: null }]);
    await db.owner.query('delete from reconciliations');
  });

  // The cases cover each rule that the ranges check, and rows at the edges between ranges.
  test.each([
    [
      'a balance',
      'update ledger.balances set available = available + 1 where owner_id = 1000',
      /balance = sum of postings/,
    ],
    [
      'what is held',
      'update ledger.balances set held = held + 1 where owner_id = 1000',
      /^customer:1000 · [\d.]+ [A-Z]+ ≠ /,
    ],
    [
      'money for one without a balance',
      `insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
      select max(id), 9000000, 2, 4, 36000000, 5, 5, 0 from ledger.transfers`,
      /balance = sum of postings: account 36000000/,
    ],
    [
      'money from one customer to another',
      `insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
        select max(id), 1001, 2, 4000, 4004, 1, 1, 0 from ledger.transfers`,
      /a posting is its owner's/,
    ],
    [
      'a posting of nobody’s',
      'update ledger.postings set owner_id = 900 where id = (select min(id) from ledger.postings)',
      /a posting is its owner's/,
    ],
    [
      'a posting left out',
      'delete from ledger.postings where id = (select min(id) from ledger.postings where owner_id >= 1000)',
      /postings follow one another|balance = sum/,
    ],
    [
      'a transfer that is gone',
      `delete from ledger.transfers where id = (select max(transfer_id) from ledger.postings)`,
      /every posting has its transfer/,
    ],
    [
      'a movement of the house',
      'update ledger.house_movements set amount = amount + 1 where transfer_id = (select min(transfer_id) from ledger.house_movements)',
      /moves the house as its postings say/,
    ],
    [
      'a movement of no transfer',
      `insert into ledger.house_movements (transfer_id, account, asset_id, amount) values (99999999, 8, 2, 7)`,
      /moves the house as its postings say/,
    ],
    [
      'a balance of the house',
      'update ledger.house_balances set balance = balance + 1 where account = 4',
      /house balances = movements below the watermark/,
    ],
    [
      'a deposit’s amount',
      `update deposit_requests set found_amount = found_amount + 1 where status = 'success'`,
      /^transfer:/,
    ],
    [
      'a deposit without its transfer',
      `update deposit_requests set transfer_id = 99999999 where status = 'success'`,
      /^deposit:/,
    ],
  ])(
    'the check of the whole ledger and the check in steps report the same findings about %s',
    async (_what, sql, expected) => {
      await db.owner.query('select roll_up_house()');
      const client = await db.owner.connect();
      try {
        await client.query('begin');
        await client.query('alter table deposit_requests disable trigger user');
        await client.query(sql);
        const whole = await client.query<{ rule: string; detail: string }>(
          'select * from reconciliation_findings()',
        );
        for (let more = true; more; ) {
          // The smallest width, so that there are many ranges.
          await client.query('update reconciliation_progress set width = 1');
          const step = await client.query<{ more: boolean }>('select reconcile_daily_step() as more');
          more = step.rows[0]?.more === true;
        }
        const { rows } = await client.query<{ findings: { rule: string; detail: string }[] }>(
          'select findings from reconciliations order by id desc limit 1',
        );
        const texts = (list: readonly { rule: string; detail: string }[]) =>
          list.map(({ rule, detail }) => `${rule}: ${detail}`).sort();
        const found = rows[0]?.findings ?? [];
        expect(texts(found)).toEqual(texts(whole.rows));
        expect(found.some(({ detail }) => expected.test(detail))).toBe(true);
      } finally {
        await client.query('rollback');
        client.release();
      }
    },
  );

  test('reconciliation finds and records mismatches, and earlier runs stay readable', async () => {
    const rulesOf = ({ findings }: { findings: { rule: string }[] }) => [
      ...new Set(findings.map(({ rule }) => rule)),
    ];
    // A statement with lines that no deposit and no withdrawal explains.
    const day = new Date().toISOString().slice(0, 10);
    const csv = `date,amount,reference,counterparty\n${day},75.00,something else,Bob\n${day},-20,fee,The bank`;
    await dataOf(
      cashier.post('statement/import', { asset: 'USD', file: Buffer.from(csv).toString('base64') }),
    );
    const first = await dataOf(auditor.post('reconciliation/run'));
    const UNEXPLAINED = [
      'what came in on the statement is credited',
      'what went out on the statement is a paid withdrawal',
    ];
    expect(rulesOf(first).sort()).toEqual(UNEXPLAINED);
    await db.owner.query(`alter table deposit_requests disable trigger user`);
    await db.owner.query(
      `update deposit_requests set found_amount = found_amount + 1 where status = 'success' and asset_id = 2`,
    );
    await db.owner.query(`update ledger.balances set held = held + 1 where owner_id = 1000 and asset_id = 2`);
    const second = await dataOf(auditor.post('reconciliation/run'));
    expect(rulesOf(second).sort()).toEqual([
      'a credited deposit has its transfer, and the other way round',
      'the ledger adds up',
      ...UNEXPLAINED.slice(0, 1),
      'what is held is open stakes and pending withdrawals',
      ...UNEXPLAINED.slice(1),
    ]);
    await db.owner.query(`update ledger.balances set held = held - 1 where owner_id = 1000 and asset_id = 2`);
    const { items } = await dataOf(auditor.get('reconciliation/list'));
    expect(items.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    expect(items[0].by.id).toBe((auditor as OfficeClient & { staffId: string }).staffId);
  });
});
