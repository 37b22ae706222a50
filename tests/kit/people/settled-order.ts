import type { Receipt } from '@fairtick/proof';
import type { StillHouse } from '../installation/still-house.ts';
import { receiptOf } from './receipts.ts';

export interface SettledOrder {
  readonly customer: string;
  readonly orderId: number;
}

/** Prices of GBP/USD come for so many seconds. */
export async function keepTicking(still: StillHouse, seconds: number): Promise<void> {
  for (let past = 0; past < seconds * 2; past += 1) {
    still.quote('GBP/USD', `1.27${String(100 + (past % 800))}`, still.nowMs + 1);
    await still.stepBy(500);
  }
}

/** An order that won, and whose receipt is there. */
export async function settledOrderOf(still: StillHouse): Promise<SettledOrder> {
  await still.tick('EUR/USD', '1.08400');
  const customer = await still.house.customer();
  const orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '100' });
  const acceptedAtMs = still.nowMs;
  await still.tick('EUR/USD', '1.08427');
  await still.stepTo(acceptedAtMs + 60_000 - 250);
  await still.tick('EUR/USD', '1.08428');
  await still.stepBy(250);
  await still.settle();
  await still.tick('EUR/USD', '1.08500');
  await keepTicking(still, 2);
  return { customer, orderId };
}

/** Its receipt, as the customer keeps it. */
export async function settledReceipt(still: StillHouse, order: SettledOrder): Promise<Receipt> {
  const made = await receiptOf(still.house, order);
  if (!made) throw new Error('there is no receipt');
  return made;
}
