/** The result of orders that opened, by the fixes of the log. */
import { formatDecimal, points } from '@fairtick/money';
import { betterOf, type Direction, decideSettlement, type Result, type Verdict } from '@fairtick/trading';

/** A price of the log, in units of its last decimal. */
export interface FixedPrice {
  readonly price: bigint;
  readonly decimals: number;
}

/** A fix, and its close where the log has one. */
export interface FixPair<Fix extends FixedPrice> {
  readonly fix: Fix;
  readonly close: Fix | null;
}

/** A result, and the prices that gave it. */
export interface FixedResult<Fix extends FixedPrice> {
  readonly result: Result;
  readonly open: Fix;
  readonly settle: Fix;
}

/** In the form in which the entry has it. */
export const textOfPrice = ({ price, decimals }: FixedPrice): string =>
  formatDecimal(points(price), decimals);

/** The best result for each direction: by the fixes, and again with each close in place of its fix. Of equal ones the first. */
export function resultsOf<Fix extends FixedPrice & { readonly index: number }>(
  open: FixPair<Fix>,
  settle: FixPair<Fix>,
): Readonly<Record<Direction, FixedResult<Fix>>> {
  const first = { open: open.fix, settle: settle.fix };
  const last = { open: open.close ?? open.fix, settle: settle.close ?? settle.fix };
  const between =
    last.open.index < last.settle.index ? { ...first, open: last.open } : { ...first, settle: last.settle };
  const stages = [first, between, last];
  const verdicts = stages.map((prices) => verdictOf(prices.open, prices.settle));
  const best = verdicts.reduce(betterOf);
  const resultOf = (direction: Direction): FixedResult<Fix> => {
    const { result } = best[direction];
    const at = verdicts.findIndex((verdict) => verdict[direction].result === result);
    return { result, ...(stages[at] ?? first) };
  };
  return { up: resultOf('up'), down: resultOf('down') };
}

/** Rules may change the decimals between opening and settlement. */
function verdictOf(open: FixedPrice, settle: FixedPrice): Verdict {
  const decimals = Math.max(open.decimals, settle.decimals);
  const scaled = ({ price, decimals: own }: FixedPrice) => points(price * 10n ** BigInt(decimals - own));
  return decideSettlement({ open: scaled(open), settle: scaled(settle) });
}
