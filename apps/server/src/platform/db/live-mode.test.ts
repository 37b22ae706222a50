import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { ask } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { expect, test } from 'vitest';
import { seed } from '../../commands/seed.ts';

const db = ownDatabase();

const startLive = () => seed(db.ownerAddress, 'live', { holdSeconds: 86_400, operator: null });
const mode = async () => (await db.server.query('select mode from house_settings')).rows[0].mode;

test('live mode does not start with demo channels turned on, and no demo channel can be turned on in it', async () => {
  await expect(startLive()).rejects.toThrow(/MODE=live refuses channels.*DEMO-.*turn off 1, 2, 3, 4, 5/);
  expect(await mode()).toBe('demo');
  const [cashier, approver] = [
    await installStaff(db.owner, 'cashier'),
    await installStaff(db.owner, 'approver'),
  ];
  const change = async (id: string, isEnabled: boolean, address?: string) => {
    const { rows } = await db.server.query(
      'select to_jsonb(c) as terms from current_channels() c where id = $1',
      [id],
    );
    const terms = { ...rows[0].terms, is_enabled: isEnabled, ...(address ? { address, bank: null } : {}) };
    const proposed = await ask(db, 'channel_propose', [cashier, id, JSON.stringify(terms)]);
    return ask(db, 'proposal_approve', [approver, ['channel'], proposed]);
  };
  for (const id of ['1', '2', '4', '5']) expect(await change(id, false)).toBe('done');
  // Channel 3, a bank account, is a demo channel as well.
  await expect(startLive()).rejects.toThrow(/turn off 3$/);
  expect(await change('3', false)).toBe('done');
  await startLive();
  expect(await mode()).toBe('live');
  expect(await change('1', true)).toBe('DEMO_CHANNEL');
  expect(await change('2', true, 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8')).toBe('done');
  // A change that was pending at the switch of the mode is refused as well, and stays undecided.
  const { rows } = await db.server.query(
    `select state as status from proposals where kind = 'channel' and subject = '1' order by id desc limit 1`,
  );
  expect(rows[0].status).toBe('proposed');
});
