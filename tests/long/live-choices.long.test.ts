import { edgeOf } from '@fairtick/kit/choices/edge.ts';
import { type Choice, type Order, openingValues } from '@fairtick/kit/choices/house-choices.ts';
import { waitingBy } from '@fairtick/kit/choices/house-value.ts';
import { LiveMarket, seriesOf, type Tempo, type VenueSeries } from '@fairtick/kit/choices/live-market.ts';
import { momentsOf, type PricePath, pathsFor } from '@fairtick/kit/choices/price-path.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { isCurrent, settlementTime } from '@fairtick/trading';
import { expect, test } from 'vitest';
import { EXCHANGE_SOURCES } from '../../apps/server/src/market/feeds/live/live-products.ts';

/**
 * What `freshMs` costs and what a house gains by its choices on live sources. A market's prices are written as frames of the exchanges and
 * read by their adapters, at cadences that follow their documents. ORDERS, SEED and RECORDINGS are as in `house-choices`; PRODUCTS are live ones.
 */
const ORDERS = Number(process.env.ORDERS ?? 3_000);
const SEED = Number(process.env.SEED ?? 27);
const PRODUCTS = (process.env.PRODUCTS ?? 'BTC/USDT,TRX/USDT').split(',').filter(Boolean);

const FRESH_MS = [500, 1_500, 5_000];
const OPEN_WITHIN_MS = [0, 1_000];
const OUTAGES_MS = [1_000, 2_000, 5_000];
const BEHIND_MS = [500, 1_000, 2_000];
const TEMPI: Readonly<Record<string, Tempo>> = {
  lively: { changeMs: 100, pingMs: 5_000 },
  quiet: { changeMs: 2_000, pingMs: 5_000 },
  'quiet, a ping each second': { changeMs: 2_000, pingMs: 1_000 },
};
/**
 * What a clock that is behind is worth at most, in points of a percent of the stakes, at the live feed's `freshMs` and where at most a fifth
 * of the sources say no time of their own.
 */
const MOST = 1.2;
const OWN_FRESH_MS = 1_500;
const LEARNT = 400;

const held = (heldMs: number, only?: number): Choice => {
  const levers = { heldMs, leavesAway: false, ...(only === undefined ? {} : { only }) };
  return { name: '', opening: levers, settlement: levers };
};
const behind = (behindMs: number): Choice => {
  const levers = { heldMs: 0, leavesAway: false, aheadMs: behindMs };
  return { name: '', opening: levers, settlement: levers, behindMs };
};
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
const row = (name: string, figures: readonly (string | number)[]): void =>
  console.log(`${name.padEnd(52)}${figures.map((each) => String(each).padStart(10)).join('')}`);

/** The share of orders whose settlement has no current tick, so that they win. */
function unpriced(market: LiveMarket, orders: readonly Order[]): number {
  const isMissing = ({ opensAtMs }: Order): boolean => {
    const tick = market.tick(market.slotOf(settlementTime(opensAtMs, 1)));
    return tick === null || !isCurrent(tick);
  };
  return orders.filter(isMissing).length / orders.length;
}

/** By how much a choice raises the house's gain, in points. */
function raised(market: LiveMarket, orders: readonly Order[], choice: Choice): string {
  const { openWithinMs = 0 } = choice;
  const without = edgeOf(market, orders, { name: '', openWithinMs }).ofAll;
  return (100 * (edgeOf(market, orders, choice).ofAll - without)).toFixed(2);
}

function honest(path: PricePath, series: readonly VenueSeries[], orders: readonly Order[]): void {
  const markets = FRESH_MS.map((freshMs) => new LiveMarket(path, series, { freshMs }));
  for (const openWithinMs of OPEN_WITHIN_MS) {
    const edges = markets.map((market) => edgeOf(market, orders, { name: '', openWithinMs }));
    row(
      `void at the opening, openWithinMs ${openWithinMs}`,
      edges.map(({ counts }) => percent(counts.void / orders.length)),
    );
    row(
      `  the house's share`,
      edges.map(({ ofAll }) => percent(ofAll)),
    );
  }
  row(
    'won without a price',
    markets.map((market) => percent(unpriced(market, orders))),
  );
  for (const outageMs of OUTAGES_MS)
    row(
      `won without a price, all lines cut ${outageMs} ms before`,
      FRESH_MS.map((freshMs) =>
        percent(unpriced(new LiveMarket(path, series, { freshMs, outageMs }), orders)),
      ),
    );
  row(
    'all quotes held back within freshMs, both ends',
    markets.map((market, at) => raised(market, orders, held(FRESH_MS[at] as number))),
  );
}

function chosen(path: PricePath, series: readonly VenueSeries[], orders: readonly Order[]): string[] {
  const markets = FRESH_MS.map((freshMs) => new LiveMarket(path, series, { freshMs }));
  for (const [place, { source }] of series.entries())
    row(
      `those of ${source} alone`,
      markets.map((market, at) => raised(market, orders, held(FRESH_MS[at] as number, place))),
    );
  row(
    'which tick of openWithinMs 1000 opens',
    markets.map((market) => {
      const choice: Choice = { name: '', openWithinMs: 1_000 };
      const learnt = orders.slice(0, LEARNT).flatMap((order) => openingValues(market, order, choice));
      return raised(market, orders, { ...choice, waits: waitingBy(learnt) });
    }),
  );
  const above: string[] = [];
  for (const behindMs of BEHIND_MS) {
    const blind = FRESH_MS.map((freshMs) => new LiveMarket(path, series, { freshMs, isBlind: true }));
    row(
      `the log ${behindMs} ms behind, no rule for sources' times`,
      blind.map((market) => raised(market, orders, behind(behindMs))),
    );
    const ruled = markets.map((market) => raised(market, orders, behind(behindMs)));
    row(`the log ${behindMs} ms behind, sources' times bound it`, ruled);
    row(
      `no tick where it would open, the log ${behindMs} ms behind`,
      markets.map((market) => raised(market, orders, { name: '', hides: true, behindMs })),
    );
    const isTimed = series.filter(({ hasTime }) => !hasTime).length * 5 <= series.length;
    const gain = Number(ruled[FRESH_MS.indexOf(OWN_FRESH_MS)]);
    if (isTimed && gain > MOST) above.push(`${behindMs} ms behind: ${gain}`);
  }
  return above;
}

test.each(pathsFor(PRODUCTS, ORDERS / 2, process.env.RECORDINGS))(
  'a clock that is behind gains little where most sources say their own time (%#)',
  (pathOf) => {
    const path = pathOf();
    const sources = EXCHANGE_SOURCES[path.name] ?? (EXCHANGE_SOURCES['BTC/USDT'] as readonly string[]);
    const moments = momentsOf(path, ORDERS / 2, 90_000, new Random(SEED));
    const orders = moments.flatMap((opensAtMs) =>
      (['up', 'down'] as const).map((direction): Order => ({ opensAtMs, direction })),
    );
    let above: string[] = [];
    for (const [name, tempo] of Object.entries(TEMPI)) {
      const series = seriesOf(path, sources, tempo);
      console.log(
        `\n${path.name}, ${name} (a change of a book each ${tempo.changeMs} ms), ${orders.length} orders, seed ${SEED}`,
      );
      row('freshMs', FRESH_MS);
      honest(path, series, orders);
      if (name === 'lively') above = chosen(path, series, orders);
    }
    expect(path.isRecorded ? [] : above).toEqual([]);
  },
);
