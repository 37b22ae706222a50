import { formatDecimal, formatRate } from '@fairtick/money';
import {
  type AnsweredFile,
  type Input,
  type Language,
  type Localised,
  localised,
  type OrderTotals,
} from '@fairtick/protocol';
import { allDigits, csvOf, timeIn } from '../../platform/csv.ts';
import { refusalOf, type SessionContext } from '../../platform/http/context.ts';
import { matching, type OrderFilter, type OrderQueryParts, RESULTS } from './order-queries.ts';

type Parts = Pick<OrderQueryParts, 'db' | 'assets' | 'products'>;

/** Only this many of the newest orders are added up, which takes about a tenth of a second; no file has more. */
const MOST_ORDERS = 50_000;
/** Rows of an export in memory at a time; to write them takes some milliseconds. */
const ROWS_AT_ONCE = 500;

/** The filter of a request; null where it names an unknown product or asset, which no order has. */
export function readFilter(
  { assets, products }: Pick<Parts, 'assets' | 'products'>,
  { status, asset, symbol, result, from, to }: Input<'orderTotals'>,
  { customerId }: SessionContext['session'],
): OrderFilter | null {
  const productId = symbol === undefined ? undefined : products.bySymbol(symbol)?.id;
  const assetId = asset === undefined ? undefined : assets.byCode(asset)?.id;
  if (symbol !== undefined && productId === undefined) return null;
  if (asset !== undefined && assetId === undefined) return null;
  const isSettled = status === undefined ? undefined : status === 'settled';
  return { customerId, isSettled, assetId, productId, result, fromMs: from, toMs: to };
}

interface TotalsRow {
  readonly asset_id: number;
  readonly orders: number;
  readonly open: number;
  readonly won: number;
  readonly lost: number;
  readonly staked: string;
  readonly result: string;
}

export async function orderTotals({ db, assets }: Parts, filter: OrderFilter): Promise<OrderTotals> {
  const { name, where, values } = matching(filter);
  const { rows } = await db.query<TotalsRow>({
    name: `totals-${name}`,
    text: `select asset_id, count(*)::int as orders, (count(*) - count(result))::int as open,
        (count(*) filter (where result = 1))::int as won, (count(*) filter (where result = -1))::int as lost,
        sum(stake)::text as staked, coalesce(sum(credited - stake), 0)::text as result
      from (select o.* from orders_and_results o where ${where} order by o.id desc limit $${values.length + 1}) mine
      group by asset_id order by asset_id`,
    values: [...values, MOST_ORDERS],
  });
  return {
    items: rows.map(({ asset_id, orders, open, won, lost, staked, result }) => {
      const { code: asset, scale } = assets.byId(asset_id);
      const none = orders - open - won - lost;
      const amounts = {
        staked: formatDecimal(BigInt(staked), scale),
        result: formatDecimal(BigInt(result), scale),
      };
      return { asset, orders, open, won, lost, none, ...amounts };
    }),
    isPartial: rows.reduce((sum, { orders }) => sum + orders, 0) >= MOST_ORDERS,
  };
}

/**
 * The orders that match, as CSV.
 * @param filter null: there are none
 * @throws RefusalError when there are too many orders for one file
 */
export async function exportOrders(
  parts: Parts,
  filter: OrderFilter | null,
  { zone, language }: { readonly zone: string; readonly language: Language },
): Promise<AnsweredFile> {
  if (filter !== null && (await orderTotals(parts, filter)).isPartial)
    throw refusalOf('EXPORT_TOO_LONG', null, { count: String(MOST_ORDERS) });
  return {
    type: 'text/csv; charset=utf-8',
    bytes: csvFile(parts, filter, { zone, language }),
    name: `fairtick-orders-${timeIn(Date.now(), zone).time.slice(0, 10)}.csv`,
  };
}

async function* csvFile(
  parts: Parts,
  filter: OrderFilter | null,
  { zone, language }: { readonly zone: string; readonly language: Language },
): AsyncGenerator<Uint8Array> {
  const names = Object.values(COLUMNS).map((words) => words[language]);
  yield Buffer.from(csvOf(names, []));
  for (let afterId = '0', left = MOST_ORDERS; filter !== null && left > 0; left -= ROWS_AT_ONCE) {
    const rows = await readRows(parts, filter, afterId);
    const last = rows.at(-1);
    if (!last) return;
    const lines = rows.map((row) => lineOf(parts, row, { zone, language }));
    yield Buffer.from(csvOf(Object.keys(COLUMNS), lines, { hasHead: false }));
    if (rows.length < ROWS_AT_ONCE) return;
    afterId = last.id;
  }
}

interface ExportRow {
  readonly id: string;
  readonly accepted_at_ms: string;
  readonly opens_at_ms: string;
  readonly settles_at_ms: string;
  readonly stake: string;
  readonly payout_rate_bps: number;
  readonly product_id: number;
  readonly asset_id: number;
  readonly minutes: number;
  readonly direction: number;
  readonly result: number | null;
  readonly credited: string | null;
  readonly void_reason: string | null;
  readonly open_price: string | null;
  readonly settle_price: string | null;
}

async function readRows({ db }: Parts, filter: OrderFilter, afterId: string): Promise<readonly ExportRow[]> {
  const { name, where, values } = matching(filter);
  const { rows } = await db.query<ExportRow>({
    name: `export-${name}`,
    text: `select o.id, o.accepted_at_ms, o.opens_at_ms, o.settles_at_ms, o.stake, o.payout_rate_bps, o.product_id, o.asset_id,
        o.minutes, o.direction, o.result, o.credited, o.void_reason, o.open_price, o.settle_price
      from orders_and_results o where ${where} and o.id > $${values.length + 1}
      order by o.id limit $${values.length + 2}`,
    values: [...values, afterId, ROWS_AT_ONCE],
  });
  return rows;
}

const COLUMNS = {
  id: localised('订单号', '訂單號', 'Order'),
  time: localised('下单时间', '下單時間', 'Placed'),
  zone: localised('时区', '時區', 'Time zone'),
  exact: localised('下单时间（UTC）', '下單時間（UTC）', 'Placed (UTC)'),
  product: localised('产品', '產品', 'Product'),
  direction: localised('方向', '方向', 'Direction'),
  minutes: localised('结算周期（分钟）', '結算週期（分鐘）', 'Cycle (minutes)'),
  asset: localised('资产', '資產', 'Asset'),
  stake: localised('投入', '投入', 'Stake'),
  rate: localised('赔付率', '賠付率', 'Payout rate'),
  opens: localised('开仓时间', '開倉時間', 'Opens'),
  openPrice: localised('买入价', '買入價', 'Buy price'),
  settles: localised('结算时间', '結算時間', 'Settles'),
  settlePrice: localised('结算价', '結算價', 'Settlement price'),
  result: localised('结果', '結果', 'Result'),
  profit: localised('盈利', '獲利', 'Profit'),
  loss: localised('亏损', '虧損', 'Loss'),
  returned: localised('返还', '返還', 'Returned'),
} satisfies Readonly<Record<string, Localised>>;

const WAYS = { up: localised('买涨', '買漲', 'Buy up'), down: localised('买跌', '買跌', 'Buy down') };
const STATES = {
  open: localised('未结算', '未結算', 'Unsettled'),
  void: localised('作废', '作廢', 'Void'),
  none: localised('不亏不盈', '不虧不盈', 'No loss'),
  profit: COLUMNS.profit,
  loss: COLUMNS.loss,
};

/** Profit and loss have columns of their own that can be added up: spreadsheets would read a negative amount as a text. */
function lineOf(
  { assets, products }: Parts,
  row: ExportRow,
  { zone, language }: { readonly zone: string; readonly language: Language },
): Record<keyof typeof COLUMNS, string> {
  const asset = assets.byId(row.asset_id);
  const product = products.byId(row.product_id);
  const amount = (units: bigint) => allDigits(formatDecimal(units, asset.scale));
  const price = (points: string | null) =>
    points === null ? '' : formatDecimal(BigInt(points), product.decimals);
  const back = row.credited === null ? null : BigInt(row.credited);
  const gain = back === null ? null : back - BigInt(row.stake);
  const state = row.void_reason === null ? (RESULTS.get(row.result) ?? 'open') : 'void';
  return {
    id: allDigits(row.id),
    ...timeIn(Number(row.accepted_at_ms), zone),
    product: product.symbol,
    direction: WAYS[row.direction === 1 ? 'up' : 'down'][language],
    minutes: String(row.minutes),
    asset: asset.code,
    stake: amount(BigInt(row.stake)),
    rate: formatRate(row.payout_rate_bps),
    opens: timeIn(Number(row.opens_at_ms), zone).time,
    openPrice: price(row.open_price),
    settles: timeIn(Number(row.settles_at_ms), zone).time,
    settlePrice: price(row.settle_price),
    result: STATES[state][language],
    profit: gain === null || gain < 0n ? '' : amount(gain),
    loss: gain === null || gain >= 0n ? '' : amount(-gain),
    returned: back === null ? '' : amount(back),
  };
}
