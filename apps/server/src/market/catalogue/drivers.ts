/**
 * The random quantities that prices are made of. Drivers are independent except where one follows another, so a product's log
 * price is always a weighted sum of independent walks.
 */

/** A driver's activity through the week. Only the proportions matter: the year's variance is given separately. */
export interface Rhythm {
  /** Relative variance in each hour of the UTC day, 24 numbers. */
  readonly hourly: readonly number[];
  /** Factors for whole UTC days. */
  readonly saturday: number;
  readonly sunday: number;
}

export interface Driver {
  readonly id: string;
  /** Volatility per year of the driver's own walk, without the drivers that it follows: 0.07 is 7 %. */
  readonly volatility: number;
  readonly rhythm: Rhythm;
  readonly follows: readonly { readonly id: string; readonly weight: number }[];
}

function rhythm(hourly: string, weekend: readonly [saturday: number, sunday: number]): Rhythm {
  return { hourly: hourly.split(' ').map(Number), saturday: weekend[0], sunday: weekend[1] };
}

/** Two peaks: London's morning, and the hours that London and New York share. Open at weekends, but quiet. */
export const EUROPEAN_MONEY = rhythm('5 5 5 5 5 6 9 13 13 12 10 9 12 15 16 15 12 9 7 6 6 5 4 4', [0.5, 0.5]);
/** Like EUROPEAN_MONEY, with a peak in Tokyo's morning. */
export const ASIAN_MONEY = rhythm('13 12 11 9 8 8 9 12 12 11 9 8 11 14 14 13 11 8 7 6 5 5 5 8', [0.5, 0.5]);
/** Always close to its mean. */
export const COIN = rhythm('11 10 9 8 8 8 9 10 10 10 9 9 11 14 15 14 13 12 11 11 11 10 10 10', [0.75, 0.75]);

/** Stock markets rest on Saturday; the little variance of a weekend shows as the gap at the week's first opening. */
const MARKET_WEEKEND = [0.03, 0.06] as const;
const WORLD_HOURS = rhythm('6 6 5 5 4 4 6 11 11 9 8 8 10 17 19 16 13 12 13 14 8 4 4 5', MARKET_WEEKEND);
const AMERICAN_HOURS = rhythm('3 3 3 3 3 3 4 6 6 5 5 6 9 19 22 18 15 14 15 19 9 4 3 3', MARKET_WEEKEND);
const EUROPEAN_HOURS = rhythm('2 2 2 2 2 3 7 19 17 13 11 10 11 13 14 14 10 6 5 5 3 2 2 2', MARKET_WEEKEND);
const ASIAN_HOURS = rhythm('18 17 15 11 9 13 15 12 7 5 4 4 4 6 7 6 5 4 4 4 4 4 5 8', MARKET_WEEKEND);
const OIL_HOURS = rhythm('4 4 4 4 4 4 6 9 10 9 9 9 11 17 19 17 15 13 11 7 5 4 4 4', MARKET_WEEKEND);

const market = (
  id: string,
  volatility: number,
  rhythm: Rhythm,
  follows: Readonly<Record<string, number>> = {},
): Driver => ({
  id: `market:${id}`,
  volatility,
  rhythm,
  follows: Object.entries(follows).map(([leader, weight]) => ({ id: `market:${leader}`, weight })),
});

export const MARKETS: readonly Driver[] = [
  market('world', 0.12, WORLD_HOURS),
  market('us', 0.07, AMERICAN_HOURS, { world: 1 }),
  market('us-tech', 0.09, AMERICAN_HOURS, { us: 1.2 }),
  market('europe', 0.09, EUROPEAN_HOURS, { world: 0.9 }),
  market('uk', 0.05, EUROPEAN_HOURS, { europe: 0.75 }),
  market('japan', 0.17, ASIAN_HOURS, { world: 0.9 }),
  market('china', 0.2, ASIAN_HOURS, { world: 0.5 }),
  market('australia', 0.08, ASIAN_HOURS, { world: 0.65 }),
  market('oil', 0.31, OIL_HOURS, { world: 0.3 }),
  market('gas', 0.5, OIL_HOURS),
];
