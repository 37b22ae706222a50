import { apiPayee, submitDeposit, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { type OfficeAnswer, OfficeClient, staffOf } from '@fairtick/kit/clients/office-client.ts';
import { countErrors } from '@fairtick/kit/clients/read-answers.ts';
import { auditedDatabase, ownOffice } from '@fairtick/kit/fixtures/fixtures.ts';
import { moneyOf, usdt } from '@fairtick/kit/people/money.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { STAFF_ROLES, type StaffRole } from '@fairtick/protocol/office';
import { beforeAll, describe, expect, test } from 'vitest';

let cashiers: [OfficeClient, OfficeClient];
let approvers: OfficeClient[];
/** One member of staff for each role that may not approve. */
const others = new Map<StaffRole, OfficeClient>();

/** The office of one of the two processes; a session opened there is valid at the other as well. */
const officeAt = (place: number) => (apis[place % 2] as { officeOrigin: string }).officeOrigin;
async function staffAt(role: StaffRole, place: number) {
  return staffOf(db, officeAt(place), role);
}

/** The same session, at the other process. */
function atOther(client: OfficeClient): OfficeClient {
  const other = new OfficeClient(client.origin === officeAt(0) ? officeAt(1) : officeAt(0));
  other.cookie = client.cookie;
  return other;
}

/** Promise 16 over HTTP, at the offices of two API processes with one database: each decision is made once. */
const db = auditedDatabase();
const apis = [ownOffice(db), ownOffice(db)] as const;
beforeAll(async () => {
  cashiers = [await staffAt('cashier', 0), await staffAt('cashier', 1)];
  approvers = [];
  while (approvers.length < 5) approvers.push(await staffAt('approver', approvers.length));
  for (const role of STAFF_ROLES) if (role !== 'approver') others.set(role, await staffAt(role, others.size));
});

/** Asks a hundred times at once; an answer that a slow machine is not ready decides nothing, and is asked again. */
const hundred = (ask: (place: number) => Promise<OfficeAnswer>) =>
  Promise.all(
    Array.from({ length: 100 }, (_, place) =>
      seen(async () => {
        const answer = await ask(place);
        return answer.body.error === 'NOT_READY' ? null : answer;
      }),
    ),
  );

const origin = () => (apis[0] as { origin: string }).origin;

describe('100 concurrent decisions at two processes', () => {
  test('100 approvals of a withdrawal make one approval, and 100 payments make one payout', async () => {
    const ann = await apiPayee(origin(), db, usdt(500));
    const { id } = (await withdraw(origin(), ann, '200')).body.data;
    const { content } = (await cashiers[0].post('withdrawal/propose', { id })).body.data;
    for (const by of approvers) await by.get('withdrawal/destination', { id });
    const approvals = await hundred((place) => {
      const by = approvers[place % 5] as OfficeClient;
      return (place % 10 < 5 ? by : atOther(by)).post('withdrawal/approve', { id, content });
    });
    expect(countErrors(approvals)).toEqual({ done: 1, REQUEST_CLOSED: 99 });
    const takers = await hundred((place) =>
      (cashiers[place % 2] as OfficeClient).post('withdrawal/send', { id, way: 'hand' }),
    );
    expect(countErrors(takers)).toEqual({ done: 1, PAYOUT_TAKEN: 99 });
    const taker = takers.findIndex(({ body }) => body.error === undefined) % 2;
    const payments = await hundred((place) =>
      (cashiers[place % 2] as OfficeClient).post('withdrawal/pay', { id, reference: `payment ${place}` }),
    );
    const { PAYOUT_TAKEN: others = 0, ...own } = countErrors(payments);
    expect([own.done, others + (own.REQUEST_CLOSED ?? 0)]).toEqual([1, 99]);
    expect(payments.findIndex(({ body }) => body.error === undefined) % 2).toBe(taker);
    const { rows } = await db.owner.query(
      `select count(*)::int as payouts from ledger.transfers where kind = 'payout' and idempotency_key = $1`,
      [`withdrawal:${id}:end`],
    );
    expect(rows[0].payouts).toBe(1);
    expect(await moneyOf(db, ann.id)).toEqual({ available: 300, held: 0 });
  });

  test('100 approvals of a deposit that differs from its claim credit it once', async () => {
    const ann = await apiPayee(origin(), db);
    const { id } = (await submitDeposit(origin(), ann.token, '120')).body.data;
    await cashiers[0].post('deposit/find', { id, amount: '119', evidence: 'once' });
    const { content } = (await cashiers[0].get('deposit/detail', { id })).body.data;
    const approvals = await hundred((place) =>
      (approvers[place % 5] as OfficeClient).post('deposit/approve', { id, content }),
    );
    expect(countErrors(approvals)).toEqual({ done: 1, REQUEST_CLOSED: 99 });
    expect(await moneyOf(db, ann.id)).toEqual({ available: 119, held: 0 });
  });

  test('a concurrent approval and edit never lead to a payment of content that was not approved', async () => {
    for (let round = 0; round < 10; round += 1) {
      const ann = await apiPayee(origin(), db, usdt(500));
      const { id } = (await withdraw(origin(), ann, '200')).body.data;
      const { content } = (await cashiers[0].post('withdrawal/propose', { id })).body.data;
      await (approvers[round % 5] as OfficeClient).get('withdrawal/destination', { id });
      const [edited, approved] = await Promise.all([
        cashiers[1].post('withdrawal/propose', { id, instructions: 'another way' }),
        (approvers[round % 5] as OfficeClient).post('withdrawal/approve', { id, content }),
      ]);
      expect(edited.body.error).toBeUndefined();
      expect([undefined, 'CONTENT_CHANGED']).toContain(approved.body.error);
      // The edit voided earlier approvals, and the content that was to be approved has changed.
      const paid = await cashiers[0].post('withdrawal/pay', { id, reference: `race ${round}` });
      expect(paid.body.error).toBe('APPROVALS_MISSING');
      expect(await moneyOf(db, ann.id)).toEqual({ available: 300, held: 200 });
    }
  });
});

describe('approvals by the editor, or by staff of another role', () => {
  test.each(['deposit', 'withdrawal'] as const)('both processes refuse to approve a %s', async (kind) => {
    const ann = await apiPayee(origin(), db, usdt(500));
    const asked =
      kind === 'deposit'
        ? await submitDeposit(origin(), ann.token, '120')
        : await withdraw(origin(), ann, '200');
    const { id } = asked.body.data;
    const editor = await staffAt('cashier', 0);
    const editorId = (editor as { staffId?: string }).staffId;
    await db.owner.query(
      `insert into staff_roles (staff_id, role, usable_from) values ($1, 'approver', now())`,
      [editorId],
    );
    const second = await staffAt('approver', 1);
    await db.owner.query('update staff set person = (select person from staff where id = $1) where id = $2', [
      editorId,
      second.staffId,
    ]);
    const prepared =
      kind === 'deposit'
        ? await editor.post('deposit/find', { id, amount: '119', evidence: `of ${id}` })
        : await editor.post('withdrawal/propose', { id });
    expect(prepared.body.error).toBeUndefined();
    const { content } = (await editor.get(`${kind}/detail`, { id })).body.data;
    for (const place of [0, 1]) {
      const approve = async (client: OfficeClient) =>
        (
          await (client.origin === officeAt(place) ? client : atOther(client)).post(`${kind}/approve`, {
            id,
            content,
          })
        ).body.error;
      expect(await approve(editor)).toBe('OWN_EDIT');
      expect(await approve(second)).toBe('OWN_EDIT');
      for (const [role, client] of others)
        expect([role, await approve(client)]).toEqual([role, 'ROLE_MISSING']);
    }
    expect((await editor.get(`${kind}/detail`, { id })).body.data).toMatchObject({
      status: 'review',
      given: 0,
    });
    // Another person may approve, after opening where the money goes.
    if (kind === 'withdrawal') await (approvers[0] as OfficeClient).get('withdrawal/destination', { id });
    const other = await (approvers[0] as OfficeClient).post(`${kind}/approve`, { id, content });
    expect(other.body.data.status).toBe(kind === 'deposit' ? 'success' : 'approved');
  });
});
