import { formatDecimal } from '@fairtick/money';
import type { Candle, Period } from '@fairtick/protocol';
import type { Level } from '@fairtick/trading';
import { cached } from '../platform/cached.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { Line } from '../platform/fairness/line.ts';
import type { LoopTurns } from '../platform/fairness/loop-turns.ts';
import { type Context, type Handlers, RefusalError } from '../platform/http/context.ts';
import { networkOf } from '../platform/network.ts';
import { candleDate, isLong, readCandles, type StoredCandle } from './candles/candle-queries.ts';
import type { MarketRow, MarketView } from './market-view.ts';
import { orderRuleTexts } from './order-rules-text.ts';
import {
  boardAnswers,
  type ProductAnswerParts,
  productAnswer,
  productDetailAnswer,
} from './product-answers.ts';
import { sharedLists } from './product-lists.ts';
import type { Product, Products } from './products.ts';
import { readTickLine } from './tick-line.ts';

export interface ProductRouteParts extends ProductAnswerParts {
  readonly db: Queryable;
  readonly products: Products;
  readonly market: MarketView;
  /** The simulated past, where there is one: routes wait for it but never make it. */
  readonly history: { ensure(product: Product): Promise<void> } | null;
  /** Database connections for requests that anybody may make, and the line in which these read. */
  readonly readersDb: Queryable;
  readonly readLine: Line;
  /** LoopTurns in which answers are serialised. */
  readonly turns: LoopTurns;
}

const DEFAULT_CANDLES = 300;
/** A trading day has 25 hours at most. */
const MOST_HALF_HOURS = 50;
const MAX_SPARKS = 200;
/** Half-hours change rarely: they are read once per interval, for all clients together. */
const SPARKS_EVERY_MS = 2_000;

export function productHandlers(
  parts: ProductRouteParts,
): Pick<
  Handlers,
  'productList' | 'productBoard' | 'productDetail' | 'productCandles' | 'productTicks' | 'productSparks'
> {
  const { market, readersDb, readLine } = parts;
  const lists = sharedLists(market, (language, level) => {
    const options = { language, level: level as Level };
    return market.all().map((row) => productAnswer(parts, row, options));
  });
  const boards = sharedLists(market, (language) => boardAnswers(parts, market.all(), language));
  const sparks = cached(SPARKS_EVERY_MS, () => readSparks(readersDb, parts.products.all));
  const read = <T>({ asker }: Context, work: (db: Queryable) => Promise<T>): Promise<T> =>
    asker.kind === 'inside' ? work(parts.db) : readLine.take(asker, () => work(readersDb));
  return {
    productList: async (_input, context) => lists(context.language, await levelOf(parts, context)),
    productBoard: async (_input, { language }) => boards(language),
    productDetail: async ({ symbol }, context) => {
      const row = findRow(parts, symbol);
      return productDetailAnswer(parts, row, {
        language: context.language,
        level: await levelOf(parts, context),
        ruleTexts: orderRuleTexts(context.language, row.rules?.rules ?? null),
      });
    },
    productCandles: async (input, context) => {
      const { product } = findRow(parts, input.symbol);
      await parts.history?.ensure(product);
      const question = {
        product,
        period: input.period,
        beforeMs: input.before ?? null,
        limit: input.limit ?? DEFAULT_CANDLES,
      };
      const candles = await read(context, (db) => readCandles(db, question));
      await parts.turns.take(networkOf(context.caller.address));
      return candles.map((candle) => candleAnswer(candle, product, input.period));
    },
    productTicks: async ({ symbol, from, to }, context) => {
      const { product } = findRow(parts, symbol);
      const question = { productId: product.id, fromMs: from, toMs: to };
      const points = await read(context, (db) => readTickLine(db, question));
      return points.map(({ timeMs, price }) => ({
        time: timeMs,
        price: formatDecimal(price, product.decimals),
      }));
    },
    productSparks: async ({ symbols }) => {
      const wanted = [...new Set(symbols.split(','))]
        .slice(0, MAX_SPARKS)
        .filter((symbol) => parts.products.bySymbol(symbol));
      const all = await sparks();
      return Object.fromEntries(wanted.map((symbol) => [symbol, all[symbol] ?? []]));
    },
  };
}

export function candleAnswer(candle: StoredCandle, product: Product, period: Period): Candle {
  const price = (points: bigint) => formatDecimal(points, product.decimals);
  return {
    time: candle.timeMs,
    ...(isLong(period) ? { date: candleDate(period, product.day, candle.timeMs).toString() } : {}),
    open: price(candle.open),
    high: price(candle.high),
    low: price(candle.low),
    close: price(candle.close),
    ...(candle.source === undefined
      ? { volume: String(candle.volume), turnover: price(candle.turnover) }
      : { volume: null, turnover: null, source: candle.source }),
    change: price(candle.close - candle.open),
  };
}

function findRow(parts: ProductRouteParts, symbol: string): MarketRow {
  const product = parts.products.bySymbol(symbol);
  if (!product) throw new RefusalError('PRODUCT_NOT_FOUND', { fields: { symbol: 'PRODUCT_NOT_FOUND' } });
  return parts.market.get(product.id);
}

/** A client with a session sees the limits of the customer's own level. */
async function levelOf(parts: ProductRouteParts, { session }: Context): Promise<Level> {
  if (!session) return 'bronze';
  const { rows } = await parts.db.query<{ level: Level }>('select level from customers where id = $1', [
    session.customerId,
  ]);
  return rows[0]?.level ?? 'bronze';
}

/** The price at which each product's trading day began, then its half-hourly closes: the span over which its change is told. */
async function readSparks(db: Queryable, products: readonly Product[]): Promise<Record<string, string[]>> {
  const { rows } = await db.query<{ product_id: number; closes: string[] }>(
    `select p.product_id, array[day.open] || array(
       select close from candles where product_id = p.product_id and period = 30 and time_ms >= day.time_ms
       order by time_ms limit ${MOST_HALF_HOURS}
     ) as closes
     from unnest($1::smallint[]) as p (product_id)
     cross join lateral (
       select time_ms, open from candles where product_id = p.product_id and period = 1440
       order by time_ms desc limit 1
     ) day`,
    [products.map((product) => product.id)],
  );
  const byId = new Map(rows.map((row) => [row.product_id, row.closes]));
  return Object.fromEntries(
    products.map((product) => [
      product.symbol,
      (byId.get(product.id) ?? []).map((close) => formatDecimal(BigInt(close), product.decimals)),
    ]),
  );
}
