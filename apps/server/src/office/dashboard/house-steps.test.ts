import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { ask, USDT } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { expect, test } from 'vitest';

/** The steps to a new house, as administrators see them on the start page. */
const db = ownDatabase();
const api = ownOffice(db);
const administrator = ownStaff(db, api, 'administrator');
const auditor = ownStaff(db, api, 'auditor');

const open = async (): Promise<string[]> =>
  (await dataOf(administrator.get('dashboard/steps')))
    .filter(({ isDone }: { isDone: boolean }) => !isDone)
    .map(({ step }: { step: string }) => step);

test('each step is open until it is done, and only administrators read the list', async () => {
  // The demo has channels and capital.
  const rest = ['limits', 'rates', 'rules', 'sources', 'alerts', 'backups', 'witnesses'];
  expect(await open()).toEqual(['administrators', 'staff', ...rest]);
  expect((await auditor.get('dashboard/steps')).body.error).toBe('ROLE_MISSING');
  await installStaff(db.owner, 'administrator');
  expect(await open()).toEqual(['staff', ...rest]);
  const roles = ['cashier', 'approver', 'approver', 'catalogue', 'support', 'verification'] as const;
  const ids: string[] = [];
  for (const role of roles) ids.push(await installStaff(db.owner, role));
  expect(await open()).toEqual(rest);

  const [cashier, approver] = ids as [string, string];
  const agree = async (kind: string, proposed: string) =>
    expect(await ask(db, 'proposal_approve', [approver, [kind], proposed])).toBe('done');
  await agree(
    'withdrawal_terms',
    await ask(db, 'withdrawal_terms_propose', [cashier, USDT, 10_000_000, 40_000_000_000, 1_000_000]),
  );
  expect(await open()).toEqual(rest.slice(1));

  await db.owner.query(
    'update ledger.house_balances set balance = 0 where account = ledger.trading_account()',
  );
  expect(await open()).toContain('funds');
  const { rows } = await db.owner.query(`select distinct asset_id from current_channels() where is_enabled`);
  for (const { asset_id } of rows)
    await agree(
      'house_capital',
      await ask(db, 'house_capital_propose', [
        cashier,
        asset_id,
        1_000_000,
        `FT-${asset_id}`,
        'share capital',
      ]),
    );
  await expect
    .poll(async () => {
      await db.server.query('select roll_up_house()');
      return open();
    })
    .not.toContain('funds');
});
