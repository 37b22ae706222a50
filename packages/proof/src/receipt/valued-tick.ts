/** What ticks of the log are worth for orders. */
import { formatDecimal, points } from '@fairtick/money';
import {
  boundsOf,
  type Direction,
  decideSettlement,
  openingWorth,
  settlementWorth,
  type Tick,
  type Verdict,
  type Worth,
} from '@fairtick/trading';

/** A tick of the log, with the decimals of its prices. */
export type LoggedTick = Tick & { readonly decimals: number };

/** A price for each direction, in units of the last decimal. */
export interface Valued {
  readonly worth: Worth;
  readonly decimals: number;
}

export const atOpening = (tick: LoggedTick): Valued => ({
  worth: openingWorth(boundsOf(tick)),
  decimals: tick.decimals,
});

export const atSettlement = (tick: LoggedTick): Valued => ({
  worth: settlementWorth(boundsOf(tick)),
  decimals: tick.decimals,
});

/** As the tick writes it. */
export const textOf = ({ worth, decimals }: Valued, direction: Direction): string =>
  formatDecimal(worth[direction], decimals);

/**
 * The verdict on orders that opened. Rules may change the decimals between opening and settlement.
 * @param settle null where no current tick of the settlement time exists
 */
export function verdictOf(open: Valued, settle: Valued | null): Verdict {
  const decimals = Math.max(open.decimals, settle?.decimals ?? 0);
  const scaled = ({ worth, decimals: own }: Valued): Worth => {
    const factor = 10n ** BigInt(decimals - own);
    return { up: points(worth.up * factor), down: points(worth.down * factor) };
  };
  return decideSettlement({ open: scaled(open), settle: settle && scaled(settle) });
}
