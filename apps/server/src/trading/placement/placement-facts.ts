import { minor } from '@fairtick/money';
import {
  type AssetFacts,
  balanceKey,
  type Level,
  MIN_DELAY_MS,
  type OwnLimit,
  type PlacementFacts,
  type ProductFacts,
} from '@fairtick/trading';
import type { LoggedRules } from '../../market/rule-book.ts';
import { int2Array, int8Array } from '../../platform/db/binary-arrays.ts';
import type { Client } from '../../platform/db/database.ts';
import type { OrderRequest, PlacementParts } from './placement-parts.ts';

/** The log counts as stopped when its time is this far behind: an acceptance would hardly be logged before its D has passed. */
const LOG_SILENCE_MS = MIN_DELAY_MS;

/** The result of orders_open_batch. Its own statements read all of it after the locks are taken. */
export interface OpenBatch extends BatchFacts {
  /** `owner:asset:available` of each balance before its stake was held, separated by commas; null where there is none. */
  readonly balances: string | null;
  /**
   * One entry for each request whose key was used before: the request's index, and the earlier use's order id (0 if it made none) and
   * input hash in hexadecimal. Null: there are none.
   */
  readonly known: readonly [number, number, string][] | null;
  /** Customers above the lowest level; null where there are none. */
  readonly levels: readonly [string, Level][] | null;
  /** Customers with limits or breaks of their own: see customer_limits_for; null where there are none. */
  readonly limits:
    | readonly [string, number, OwnLimit['closed'], 'stake' | 'loss' | null, string | null][]
    | null;
  /** Asset and the house's equity, rolled up before the batch was opened; it bounds each customer's share. */
  readonly equities: readonly [number, string][] | null;
}

interface BatchFacts {
  readonly batch: number;
  readonly halted: boolean;
  readonly now: number;
  readonly logTime: number;
  readonly logSize: number;
  readonly logRoot: string;
  readonly products: readonly [number, number | null, number | null, string][];
  readonly assets: readonly [number, string, string, string][];
}

/** Opens the batch in this transaction. */
export async function openBatch(client: Client, requests: readonly OrderRequest[]): Promise<OpenBatch> {
  type OpenRow = Omit<OpenBatch, keyof BatchFacts> & { facts: BatchFacts };
  const { rows } = await client.query<OpenRow>({
    name: 'orders-open',
    text: `select o.*, (
        select json_agg(json_build_array(asset_id, balance::text)) from ledger.house_balances
        where account = ledger.trading_account()
      ) as equities
      from orders_open_batch($1::bigint[], $2::smallint[], $3::bigint[], $4::bytea, $5::smallint[]) o`,
    values: [
      int8Array(requests.map((request) => Number(request.customerId))),
      int2Array(requests.map((request) => request.assetId)),
      int8Array(requests.map((request) => request.stake)),
      Buffer.concat(requests.map((request) => request.keyHash)),
      int2Array(requests.map((request) => request.productId)),
    ],
  });
  if (!rows[0]) throw new Error('no batch was opened');
  const { facts, ...locked } = rows[0];
  return { ...locked, ...facts };
}

/** Converts the database's answer to the facts that the pure decision takes. */
export async function readFacts(
  parts: PlacementParts,
  client: Client,
  open: OpenBatch,
): Promise<{ facts: PlacementFacts; rulesByProduct: ReadonlyMap<number, LoggedRules> }> {
  const inForce = open.products.filter((row) => row[1] !== null);
  const book = await parts.rules.getMany(
    inForce.map((row) => row[1] as number),
    client,
  );
  const products = new Map<number, ProductFacts>();
  const rulesByProduct = new Map<number, LoggedRules>();
  for (const [productId, rulesId, ordersFromMs, group] of inForce) {
    const logged = book.get(rulesId as number) as LoggedRules;
    rulesByProduct.set(productId, logged);
    const session = parts.calendar.tradingPeriodAt(logged.rules.schedule, open.now);
    products.set(productId, { rules: logged.rules, session, ordersFromMs, group });
  }
  const equities = new Map(open.equities);
  const assets = new Map<number, AssetFacts>();
  for (const [assetId, room, productLimit, groupLimit] of open.assets) {
    const { code, scale } = parts.assets.byId(assetId);
    assets.set(assetId, {
      code,
      scale,
      payoutRoom: BigInt(room),
      productLimit: BigInt(productLimit),
      groupLimit: BigInt(groupLimit),
      // An asset without capital has no equity.
      equity: BigInt(equities.get(assetId) ?? 0),
    });
  }
  const facts: PlacementFacts = {
    nowMs: open.now,
    isHalted: open.halted,
    isLogAlive: open.now - open.logTime <= LOG_SILENCE_MS,
    products,
    assets,
    available: readBalances(open.balances),
    ownLimits: new Map(
      open.limits?.map(([customer, asset, closed, kind, left]) => [
        balanceKey(customer, asset),
        { closed, most: kind === null || left === null ? null : { kind, left: minor(BigInt(left)) } },
      ]),
    ),
    taken: await parts.exposures.before(client, open.batch, open.now),
  };
  return { facts, rulesByProduct };
}

/** By {@link balanceKey}. */
function readBalances(text: string | null): Map<string, bigint> {
  const available = new Map<string, bigint>();
  for (const entry of text?.split(',') ?? []) {
    const [customer, asset, value] = entry.split(':') as [string, string, string];
    available.set(balanceKey(customer, Number(asset)), BigInt(value));
  }
  return available;
}
