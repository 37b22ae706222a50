import { formatDecimal } from '@fairtick/money';
import type { Data, Order } from '@fairtick/protocol';
import { Stamp } from '@fairtick/ui';
import { whenLoaded } from '@fairtick/ui/load-code';
import { useEffect, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { minorOf, scaleOf } from '../state/decimal-strings.ts';
import { formatDayMinute } from '../state/format.ts';
import { customerNow } from '../state/session.ts';
import { readOwn, storeOwn } from '../state/storage.ts';
import { MarkWords } from './logged-mark.tsx';
import css from './orders.module.css';

/** Receipts remembered for each customer: those checked last. */
const MOST = 200;

type Checked = readonly [orderId: string, hash: string, checkedAtMs: number];
/** A receipt's statement on its order: the signed acceptance and the outcome, without the proofs, which grow with the log. */
type Statement = Pick<
  Data<'orderReceipt'>['outcome'],
  'openPrice' | 'settlePrice' | 'voidReason' | 'payout'
> & {
  readonly acceptance: string;
  readonly result: string | null;
};

async function hashOf(statement: Statement): Promise<string> {
  const { acceptance, openPrice, settlePrice, result, voidReason, payout } = statement;
  const { sha256 } = await whenLoaded(() => import('@fairtick/proof'));
  const text = JSON.stringify([acceptance, openPrice, settlePrice, result, voidReason, payout]);
  const hash = sha256(new TextEncoder().encode(text));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function readChecked(): readonly Checked[] {
  const customer = customerNow();
  if (customer === null) return [];
  try {
    const stored: unknown = JSON.parse(readOwn('checkedReceipts', customer) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => Array.isArray(one) && one.length === 3) : [];
  } catch {
    return [];
  }
}

/**
 * Remembers that and when this device has found an order's receipt to hold.
 * @param checkedAtMs null for a receipt that does not hold, which takes its order's stamp away
 */
export async function rememberChecked(
  orderId: string,
  receipt: Data<'orderReceipt'>,
  checkedAtMs: number | null,
): Promise<void> {
  const { acceptance, outcome } = receipt;
  const hash = await hashOf({ ...outcome, acceptance: acceptance.text });
  const customer = customerNow();
  if (customer === null) return;
  const others = readChecked().filter(([id]) => id !== orderId);
  const all = checkedAtMs === null ? others : [...others, [orderId, hash, checkedAtMs] as const];
  storeOwn('checkedReceipts', customer, JSON.stringify(all.slice(-MOST)));
  checks.dispatchEvent(new Event('check'));
}

const checks = new EventTarget();

/** When this device checked the receipt that states the order as it is shown, ms; null if it has not. */
export function useCheckedAt(order: Order): number | null {
  const [checked, setChecked] = useState<{ order: Order; atMs: number } | null>(null);
  useEffect(() => {
    if (order.status !== 'settled') return;
    let isCurrent = true;
    const { acceptance, openPrice, settlePrice, result, voidReason } = order;
    const shown = { openPrice, settlePrice, result, voidReason };
    const look = async () => {
      const known = readChecked().find(([id]) => id === order.id);
      const isSame =
        known &&
        known[1] === (await hashOf({ ...shown, acceptance: acceptance.text, payout: returned(order) }));
      if (isCurrent) setChecked(isSame ? { order, atMs: known[2] } : null);
    };
    void look();
    checks.addEventListener('check', look);
    return () => {
      isCurrent = false;
      checks.removeEventListener('check', look);
    };
  }, [order]);
  return checked?.order === order ? checked.atMs : null;
}

export function CheckedMark({ order, isShort = false }: { order: Order; isShort?: boolean }) {
  const { t, tag } = useText();
  const atMs = useCheckedAt(order);
  if (atMs === null) return null;
  const words = t('evidence.checkedBefore', { time: formatDayMinute(atMs, tag) });
  return (
    <span className={`caption row gap-4 ${css.mark}`} data-checked>
      <Stamp size={14} isChecked />
      <MarkWords words={words} short={isShort && t('evidence.short.checked')} />
    </span>
  );
}

export function returned(order: Order): string {
  const scale = scaleOf(order.amount);
  return formatDecimal(minorOf(order.amount) + minorOf(order.profit ?? '0', scale), scale);
}
