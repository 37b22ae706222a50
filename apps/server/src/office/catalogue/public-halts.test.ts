import { get } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { ask } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { expect, test } from 'vitest';

const db = ownDatabase();
const api = ownApi(db);

const halts = async () => (await get(api.origin, 'transparency/halts', {})).body.data;

test('a halt of new orders is public with its beginning and end, and without anything about the staff', async () => {
  expect(await halts()).toEqual([]);
  const [clerk, approver] = [
    await installStaff(db.owner, 'catalogue'),
    await installStaff(db.owner, 'approver'),
  ];
  const id = await ask(db, 'trading_halt', [clerk, 'a secret reason']);
  const [open] = await halts();
  expect(open).toEqual({ symbol: null, from: expect.any(Number), until: null });
  const content = await ask(db, 'trading_propose_lift', [clerk, id, 'it is gone']);
  expect(await halts()).toEqual([open]);
  const proposal = await ask(db, 'trading_lift_proposed', [id]);
  expect(await ask(db, 'proposal_approve', [approver, ['halt_lift'], proposal, content])).toBe('done');
  const [lifted] = await halts();
  expect(lifted.from).toBe(open.from);
  expect(lifted.until).toBeGreaterThanOrEqual(open.from);
  await ask(db, 'trading_halt', [clerk, 'again']);
  await ask(db, 'trading_halt', [clerk, 'one alone', 1]);
  expect(await halts()).toEqual([
    { symbol: 'EUR/USD', from: expect.any(Number), until: null },
    { symbol: null, from: expect.any(Number), until: null },
    lifted,
  ]);
});
