import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, postUntilHeard, register } from './api-client.ts';

export const isReady = async (origin: string): Promise<boolean> =>
  (await fetch(`${origin}/readyz`).catch(() => null))?.ok === true;

/**
 * A new customer's order of practice money, on the first coin that is open.
 * @returns the customer's token
 * @throws Error when the order is not accepted
 */
export async function placeFirstOrder(origin: string): Promise<string> {
  const { token } = await register(origin);
  const { body: list } = await get(origin, 'product/list');
  const { symbol } = list.data.find(
    (one: { isOpen: boolean; assetClass: string }) => one.isOpen && one.assetClass === 'crypto',
  );
  const order = { symbol, direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
  const { body } = await postUntilHeard(origin, 'order/create', order, { token, key: randomUUID() }, () =>
    sleep(500),
  );
  if (body.data?.status !== 'unsettled')
    throw new Error(`the order was not accepted: ${JSON.stringify(body)}`);
  return token;
}
