import type { Outcome, Receipt, VoidReason } from './document.ts';
import { decimalsOf, fail, unitsOf } from './ground.ts';
import { isCurrent, worthOf } from './runs.ts';

/** Check 13: what the order pays. A void returns the stake and a tenth of it. */
const VOID_PART = 10n;

export function outcomeOf(
  { acceptance, opening, settling, rules }: Receipt,
  voided: VoidReason | null,
): Outcome {
  const { amount, payoutRate, direction } = acceptance;
  const stake = unitsOf(amount);
  const pays = (units: bigint): string => writtenAs(units, decimalsOf(amount));
  if (voided !== null) {
    const payout = pays(stake + stake / VOID_PART);
    return { openPrice: null, settlePrice: null, result: 'none', payout, voidReason: voided };
  }
  const gain = (stake * unitsOf(payoutRate)) / 10n ** BigInt(decimalsOf(payoutRate));
  const won = { result: 'profit', payout: pays(stake + gain), voidReason: null } as const;
  const isUp = direction === 'up';
  const tick = opening.at(-1)?.entry;
  if (tick?.type !== 'tick') return fail('outcome', 'no price');
  const decimals = decimalsOf(tick.price);
  const open = worthOf(tick, rules, !isUp);
  const openPrice = writtenAs(open, decimals);
  const settledBy = settling.length === 1 ? settling[0]?.entry : null;
  if (settledBy?.type !== 'tick' || !isCurrent(settledBy, rules))
    return { openPrice, settlePrice: null, ...won };
  const settle = worthOf(settledBy, rules, isUp);
  const places = decimalsOf(settledBy.price);
  const prices = { openPrice, settlePrice: writtenAs(settle, places) };
  const moved = settle * 10n ** BigInt(decimals) - open * 10n ** BigInt(places);
  if (moved === 0n) return { ...prices, result: 'none', payout: pays(stake), voidReason: null };
  if (moved > 0n === isUp) return { ...prices, ...won };
  return { ...prices, result: 'loss', payout: pays(0n), voidReason: null };
}

function writtenAs(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
