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

/** As the entry writes it. */
export const textOfPrice = ({ price, decimals }: FixedPrice): string =>
  formatDecimal(points(price), decimals);

/** The result for each direction: by the fixes, or by the closes in their places where that is better for the customer. */
export function resultsOf<Fix extends FixedPrice>(
  open: FixPair<Fix>,
  settle: FixPair<Fix>,
): Readonly<Record<Direction, FixedResult<Fix>>> {
  const closed = { open: open.close ?? open.fix, settle: settle.close ?? settle.fix };
  const first = verdictOf(open.fix, settle.fix);
  const better = betterOf(first, verdictOf(closed.open, closed.settle));
  const resultOf = (direction: Direction): FixedResult<Fix> => {
    const prices = better[direction] === first[direction] ? { open: open.fix, settle: settle.fix } : closed;
    return { result: better[direction].result, ...prices };
  };
  return { up: resultOf('up'), down: resultOf('down') };
}

/** Rules may change the decimals between opening and settlement. */
function verdictOf(open: FixedPrice, settle: FixedPrice): Verdict {
  const decimals = Math.max(open.decimals, settle.decimals);
  const scaled = ({ price, decimals: own }: FixedPrice) => points(price * 10n ** BigInt(decimals - own));
  return decideSettlement({ open: scaled(open), settle: scaled(settle) });
}
