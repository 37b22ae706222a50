import {
  answeredAfter,
  type Bet,
  earlierRecords,
  type Gain,
  honest,
  leftOpen,
  meanOf,
  pushedFix,
  refused,
  seesAhead,
  voided,
} from '@fairtick/kit/choices/choices.ts';
import { pathsFor } from '@fairtick/kit/choices/price-path.ts';
import { type Manner, RecordMarket } from '@fairtick/kit/choices/record-market.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { expect, test } from 'vitest';

/**
 * What a house gains that knows the market and chooses, for each order to its advantage, what the rules leave to it; and what customers
 * gain who see the market earlier, or push its sources. Each moment has an order up and one down, so that trends cancel out. The
 * stated edge at a payout rate of 0.8 is 10 % of the stakes. ORDERS sets the number for each product, SEED repeats a run, RECORDINGS is a
 * folder of recorded ticks.
 */
const ORDERS = Number(process.env.ORDERS ?? 40_000);
const SEED = Number(process.env.SEED ?? 27);
const PRODUCTS = (process.env.PRODUCTS ?? 'EUR/USD,XAU/USD,BTC/USDT').split(',').filter(Boolean);
/** The most that a choice is worth that stays unseen, in points of a percent of the stakes. */
const MOST = 0.1;
/** A product whose sources put records further apart takes no orders (D). */
const MOST_EVERY_MS = 2_000;
/** Figures of so many orders are uncertain by this, in points: two standard errors of a difference. */
const UNCERTAIN = 40 / Math.sqrt(ORDERS);

const own: Omit<Manner, 'name' | 'everyMs'> = { sources: 3, halfSpread: 0.5, offset: 1, quietMs: 1_000 };
const exchanges: Omit<Manner, 'name' | 'everyMs'> = { sources: 4, halfSpread: 2, offset: 1, quietMs: 5_000 };
const MANNERS: readonly Manner[] = [
  { name: 'three sources, a record each 250 ms', everyMs: 250, ...own },
  { name: 'four exchanges, a trade each 100 ms', everyMs: 100, ...exchanges },
  { name: 'four exchanges, a trade each 2 s', everyMs: 2_000, ...exchanges },
  { name: 'four exchanges, a trade each 5 s', everyMs: 5_000, ...exchanges },
];

interface Row {
  readonly name: string;
  readonly gain: Gain;
  /** `none`: nobody sees it, so the rules bound it. */
  readonly seenBy: 'none' | 'the sources' | 'refusals' | 'away' | 'the customer' | 'customers';
}

const house: readonly Row[] = [
  { name: 'earlier records left open, one source', gain: leftOpen(1, 5_000), seenBy: 'none' },
  { name: 'earlier records left open, all sources', gain: leftOpen(9, 5_000), seenBy: 'none' },
  { name: 'refused by choice, the log on time', gain: refused(0), seenBy: 'none' },
  { name: 'refused by choice, the log 1 s behind', gain: refused(1_000), seenBy: 'refusals' },
  { name: 'refused by choice, the log 2 s behind', gain: refused(2_000), seenBy: 'refusals' },
  { name: 'refused by choice, the log 5 s behind', gain: refused(5_000), seenBy: 'refusals' },
  { name: 'sources away at the opening, the log on time', gain: voided(0), seenBy: 'away' },
  { name: 'sources away at the opening, the log 1 s behind', gain: voided(1_000), seenBy: 'away' },
  {
    name: 'an earlier record is said to be the last, one source',
    gain: earlierRecords(1, 5_000),
    seenBy: 'the sources',
  },
  {
    name: 'an earlier record is said to be the last, all sources',
    gain: earlierRecords(9, 5_000),
    seenBy: 'the sources',
  },
  {
    name: 'an accepted order denied 2 s after the opening',
    gain: answeredAfter(2_000),
    seenBy: 'the customer',
  },
  {
    name: 'an accepted order denied after the settlement',
    gain: answeredAfter(60_000),
    seenBy: 'the customer',
  },
];
const customers: readonly Row[] = [
  { name: 'sees the market 0 ms before the log', gain: seesAhead(0), seenBy: 'customers' },
  { name: 'sees the market 300 ms before the log', gain: seesAhead(300), seenBy: 'customers' },
];
const fixOf = (market: RecordMarket, timeMs: number) => market.fixAt(timeMs);
const spans: readonly Row[] = [1, 3, 5, 15].flatMap((seconds) => [
  { name: `settled on the mean of ${seconds} s`, gain: meanOf(seconds, fixOf), seenBy: 'customers' as const },
  ...[1, 2].map((sources) => ({
    name: `  ${sources} of them pushed by 2 basis points for a second`,
    gain: meanOf(seconds, pushedFix(sources, 2)),
    seenBy: 'customers' as const,
  })),
]);

test.each(pathsFor(PRODUCTS, ORDERS / 2, process.env.RECORDINGS))(
  'no choice that stays unseen raises the edge by more than a tenth of a point (%#)',
  (pathOf) => {
    const path = pathOf();
    const bets = path
      .moments(ORDERS / 2, 90_000, new Random(SEED))
      .flatMap((opensAtMs) => (['up', 'down'] as const).map((direction): Bet => ({ opensAtMs, direction })));
    const above: string[] = [];
    for (const manner of MANNERS) {
      const market = new RecordMarket(path, manner, SEED);
      const edge = (gain: Gain) =>
        (100 * bets.reduce((sum, bet) => sum + gain(market, bet), 0)) / bets.length;
      const fair = edge(honest);
      const thin = bets.filter(({ opensAtMs }) => market.fixAt(opensAtMs).isThin).length / bets.length;
      console.log(
        `\n${path.name}, ${manner.name}: ${bets.length} orders, seed ${SEED}; edge ${fair.toFixed(2)} %, void ${(100 * thin).toFixed(2)} %`,
      );
      for (const { name, gain, seenBy } of [...house, ...customers, ...spans]) {
        const raised = edge(gain) - fair;
        if (seenBy === 'none' && manner.everyMs <= MOST_EVERY_MS && raised > MOST + UNCERTAIN)
          above.push(`${manner.name}, ${name}: ${raised.toFixed(2)}`);
        console.log(`${raised.toFixed(2).padStart(7)}  ${name}`);
      }
    }
    expect(path.isRecorded ? [] : above).toEqual([]);
  },
);
