import { withoutTrailingZeros } from '@fairtick/money';
import { hashAsked, parseAcceptance, toHex } from '@fairtick/proof';
import type { Order } from '@fairtick/protocol';

/** An order as the app asked for it. Only this device knows the nonce. */
export interface Asked {
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  readonly asset: string;
  /** As it was sent. */
  readonly amount: string;
  readonly opensAt: number;
  readonly nonce: string;
}

export function isAsAsked(asked: Asked, order: Pick<Order, 'opensAt' | 'acceptance'>): boolean {
  const terms = parseAcceptance(order.acceptance.text);
  if (!terms || order.opensAt !== asked.opensAt || terms.opensAt !== asked.opensAt) return false;
  const isSame = (['symbol', 'direction', 'minutes', 'asset'] as const).every(
    (name) => terms[name] === asked[name],
  );
  if (!isSame || plain(terms.amount) !== plain(asked.amount)) return false;
  // The hash is that of the amount as the acceptance writes it.
  return terms.asked === toHex(hashAsked({ ...asked, amount: terms.amount }));
}

const plain = (decimal: string): string => withoutTrailingZeros(decimal.replace(/^0+(?=\d)/, ''));
