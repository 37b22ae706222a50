import type { Outcome, Receipt } from './document.ts';
import { decimalsOf, fail, unitsOf } from './ground.ts';

/** Check 13: what the order pays. */
const LATE_PART = 10n;

export function outcomeOf({ acceptance, form, opening, settling }: Receipt): Outcome {
  const { amount, payoutRate, direction } = acceptance;
  const stake = unitsOf(amount);
  const pays = (units: bigint): string => writtenAs(units, decimalsOf(amount));
  const gain = (stake * unitsOf(payoutRate)) / 10n ** BigInt(decimalsOf(payoutRate));
  const payouts = { profit: pays(stake + gain), none: pays(stake), loss: pays(0n) };
  const priceless = (
    result: Outcome['result'],
    voidReason: Outcome['voidReason'],
    payout = payouts[result],
  ): Outcome => ({ openPrice: null, settlePrice: null, result, payout, voidReason });
  if (form === 'late') return priceless('none', 'not_logged', pays(stake + stake / LATE_PART));
  if (form === 'unopened') return priceless('none', 'no_price');
  if (form === 'unfixed') return priceless('profit', null);
  // After each close, in the order of the log.
  const closes = [opening[1], settling[1]]
    .flatMap((close) => (close ? [close.index] : []))
    .sort((a, b) => a - b);
  const outcomeUpTo = (index: number): Outcome => {
    const prices = [opening, settling].map(
      ([fix, close]) => (close && close.index <= index ? close : fix)?.entry.price,
    );
    const [openPrice = fail('outcome', 'no price'), settlePrice = fail('outcome', 'no price')] = prices;
    const moved = riseOf(openPrice, settlePrice) * (direction === 'up' ? 1n : -1n);
    const result = moved > 0n ? 'profit' : moved < 0n ? 'loss' : 'none';
    return { openPrice, settlePrice, result, payout: payouts[result], voidReason: null };
  };
  return [-1, ...closes]
    .map(outcomeUpTo)
    .reduce((best, next) => (RANKS.indexOf(next.result) < RANKS.indexOf(best.result) ? next : best));
}

/** The best for the customer first. */
const RANKS: readonly Outcome['result'][] = ['profit', 'none', 'loss'];

/** As numbers: rules may change the decimals. */
function riseOf(from: string, to: string): bigint {
  const [before, after] = [from, to].map((price) => unitsOf(price) * 10n ** BigInt(18 - decimalsOf(price)));
  return (after as bigint) - (before as bigint);
}

function writtenAs(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
