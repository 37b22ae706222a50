import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { auditedDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { expect, test } from 'vitest';

/** Capital of the house comes from outside, by two people, once for each evidence. The audit at the end compares it with the ledger. */
const db = auditedDatabase();
const api = ownOffice(db);
const cashier = ownStaff(db, api, 'cashier');
const approver = ownStaff(db, api, 'approver');
const auditor = ownStaff(db, api, 'auditor');

const propose = (fields: Record<string, string> = {}, by = cashier) =>
  by.post('capital/propose', {
    asset: 'USDT',
    amount: '250000.5',
    evidence: 'FT-1',
    note: 'Share capital',
    ...fields,
  });
const decide = (id: string, verdict = 'agree', by = approver) => by.post('capital/decide', { id, verdict });

/** The balances of the house's accounts in USDT. */
async function accounts(): Promise<Record<string, string>> {
  const rows: { asset: string; account: string; balance: string }[] = await dataOf(
    auditor.get('ledger/trialBalance'),
  );
  return Object.fromEntries(
    rows.filter(({ asset }) => asset === 'USDT').map(({ account, balance }) => [account, balance]),
  );
}

test('capital moves from outside to the house once another person has agreed to the evidence', async () => {
  const before = await accounts();
  const { id } = await dataOf(propose());
  expect(await accounts()).toEqual(before);
  expect((await decide(id, 'agree', cashier)).body.error).toBe('ROLE_MISSING');
  expect((await decide(id, 'agree', auditor)).body.error).toBe('ROLE_MISSING');
  expect(await dataOf(decide(id))).toEqual({ status: 'done' });
  const after = await accounts();
  const moved = (account: string) => Number(after[account]) - Number(before[account]);
  expect([moved('trading'), moved('external')]).toEqual([250_000.5, -250_000.5]);
  const [booked] = (await dataOf(auditor.get('capital/changes'))).items;
  expect(booked).toMatchObject({
    asset: 'USDT',
    amount: '250000.500000',
    evidence: 'FT-1',
    note: 'Share capital',
    proposedBy: { id: cashier.staffId },
    decidedBy: { id: approver.staffId },
  });
  const { items } = await dataOf(auditor.get('audit/list'));
  const actions = items.map(({ action, subject }: Record<string, string>) => `${action} ${subject}`);
  expect(actions).toEqual(
    expect.arrayContaining([`capital.propose capital:${id}`, `capital.done capital:${id}`]),
  );
});

test('one evidence is booked once, practice money and amounts that are none never', async () => {
  expect((await propose()).body.error).toBe('NOTHING_NEW');
  const { id } = await dataOf(propose({ evidence: 'FT-2', amount: '1' }));
  expect((await propose({ evidence: 'FT-2', amount: '2' })).body.error).toBe('NOTHING_NEW');
  expect(await dataOf(decide(id, 'refuse', cashier))).toEqual({ status: 'refused' });
  expect((await decide(id)).body.error).toBe('REQUEST_CLOSED');
  expect(await dataOf(decide((await dataOf(propose({ evidence: 'FT-2', amount: '2' }))).id))).toEqual({
    status: 'done',
  });
  expect((await propose({ asset: 'DEMO', evidence: 'FT-3' })).body.error).toBe('ASSET_NOT_ACCEPTED');
  for (const amount of ['0', '-5', '1e9'])
    expect((await propose({ amount, evidence: 'FT-3' })).body.error).toBe('INVALID_AMOUNT');
  expect((await propose({ evidence: 'FT-3' }, approver)).body.error).toBe('ROLE_MISSING');
});
