import { get } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { type RunningApi, startApi } from '@fairtick/kit/installation/running-api.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { judged, keepTicking } from '@fairtick/kit/people/receipts.ts';
import { openSessions } from '@fairtick/kit/people/traders.ts';
import { parseAcceptance } from '@fairtick/proof';
import { expect, test } from 'vitest';
import { DEMO_CUSTOMER } from '../../customers/identity/demo-customer.ts';

/** The receipt that a visitor of the landing page may check. */
const still = forFile(() => StillHouse.open({ quietMs: 300_000 }));

/** Places orders of these customers in one second, and settles them a minute later. */
async function settled(customers: readonly string[]): Promise<number[]> {
  await still.tick('EUR/USD', '1.08400');
  const ids: number[] = [];
  for (const customer of customers) ids.push(await still.buy(customer, { symbol: 'EUR/USD', amount: '100' }));
  const { opensAtMs, settlesAtMs } = await still.order(ids.at(-1) as number);
  await still.openAt(opensAtMs, 'EUR/USD', '1.08427');
  await still.stepTo(settlesAtMs - 250);
  await still.tick('EUR/USD', '1.08420');
  await still.stepBy(250);
  await still.settle();
  await still.tick('EUR/USD', '1.08500');
  await keepTicking(still, 2);
  return ids;
}

/** From a fresh process, because a running one answers the same for some seconds. */
async function published(): Promise<Parameters<typeof judged>[1] | null> {
  const api: RunningApi = await startApi(still.house.db);
  try {
    return (await get(api.origin, 'transparency/receipt')).body.data;
  } finally {
    await api.stop();
  }
}

test('is of the demo’s account alone, of its newest order in practice money, and names no customer', async () => {
  const other = await still.house.customer();
  await settled([other]);
  expect(await published()).toBe(null);
  const { rows } = await still.house.db.owner.query('select id from customers where account = $1', [
    DEMO_CUSTOMER.account,
  ]);
  const house: string = rows[0].id;
  await openSessions(still.house.db.owner, [house]);
  const [own] = await settled([house, other]);
  const receipt = await published();
  if (!receipt) throw new Error('there is no receipt');
  expect(judged(still.house, receipt).isValid).toBe(true);
  const terms = parseAcceptance(receipt.acceptance.text);
  expect([terms?.orderId, terms?.asset, receipt.outcome.result]).toEqual([String(own), 'DEMO', 'loss']);
  const text = JSON.stringify(receipt);
  expect(text).not.toContain(DEMO_CUSTOMER.account);
  expect(text).not.toContain(`"${house}"`);
});
