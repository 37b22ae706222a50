import { minor } from '@fairtick/money';
import {
  type AssetFacts,
  balanceKey,
  type Level,
  type OwnLimit,
  type PlacementFacts,
  type ProductFacts,
  TakenOn,
} from '@fairtick/trading';
import type { LoggedRules } from '../../market/rule-book.ts';
import { byteaArray, int2Array, int8Array } from '../../platform/db/binary-arrays.ts';
import type { Client } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import type { OrderRequest, PlacementParts } from './placement-parts.ts';

/** An acceptance is at most this much later than the log's last entry, so that it can't be dated back to another head. */
const LOG_SILENCE_MS = 500;

/** The result of orders_open_batch. Its own statements read all of it after the locks are taken. */
export interface OpenBatch extends BatchFacts {
  /** The session of each request; null where its token is of no live and fresh one. */
  readonly sessions: readonly (number | null)[];
  /** `owner:asset:available` of each balance before its stake was held, separated by commas; null where there is none. */
  readonly balances: string | null;
  /**
   * One entry for each request whose key was used before: the request's index, and the earlier use's order id (0 if it made none) and
   * input hash in hexadecimal. Null: there are none.
   */
  readonly known: readonly { place: number; order: number; inputHash: string }[] | null;
  /** Customers above the lowest level; null where there are none. */
  readonly levels: readonly [string, Level][] | null;
  /** Customers with limits or breaks of their own: see customer_limits_for; null where there are none. */
  readonly limits:
    | readonly {
        customer: string;
        asset: number;
        closed: OwnLimit['closed'];
        kind: 'stake' | 'loss' | null;
        left: string | null;
      }[]
    | null;
}

interface BatchFacts {
  readonly batch: number;
  readonly halted: boolean;
  readonly now: number;
  /** Time of the log's last entry; 0 if its kind has none. */
  readonly logTime: number;
  readonly logSize: number;
  readonly logRoot: string;
  /** The rules in force, the time from which orders are taken, the newest tick if it is current, and the trading period of each product; nulls where there is none. */
  readonly products: readonly {
    product: number;
    rules: number | null;
    ordersFromMs: number | null;
    tickMs: number | null;
    startMs: number | null;
    endMs: number | null;
  }[];
  /** Room for payouts, and the limits of a product's and a group's minute. */
  readonly assets: readonly {
    asset: number;
    room: string;
    productLimit: string;
    groupLimit: string;
    equity: string;
  }[];
  /** The correlated group of each product. */
  readonly groups: Readonly<Record<number, string>>;
  /** Each settlement minute's products with their promised incomes; null: none. */
  readonly incomes:
    | readonly { asset: number; minuteMs: number; products: readonly number[]; incomes: readonly string[] }[]
    | null;
  /** Of customers who may exceed their share (orders_own_incomes), by settlement minute. */
  readonly own:
    | readonly { customer: string; asset: number; product: number; minuteMs: number; income: string }[]
    | null;
}

const OPEN = new NamedCall('orders_open_batch', {
  tokens: 'bytea[]',
  assets: 'smallint[]',
  stakes: 'bigint[]',
  keys: 'bytea[]',
  products: 'smallint[]',
  minutes: 'smallint[]',
  opens: 'bigint[]',
});

/** Opens the batch in this transaction. */
export async function openBatch(client: Client, requests: readonly OrderRequest[]): Promise<OpenBatch> {
  type OpenRow = Omit<OpenBatch, keyof BatchFacts> & { facts: BatchFacts };
  const { rows } = await client.query<OpenRow>(
    OPEN.with({
      tokens: byteaArray(requests.map((request) => request.tokenHash)),
      assets: int2Array(requests.map((request) => request.assetId)),
      stakes: int8Array(requests.map((request) => request.stake)),
      keys: byteaArray(requests.map((request) => request.keyHash)),
      products: int2Array(requests.map((request) => request.productId)),
      minutes: int2Array(requests.map((request) => request.minutes)),
      opens: int8Array(requests.map((request) => request.named?.opensAtMs ?? null)),
    }),
  );
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
  const inForce = open.products.filter(({ rules }) => rules !== null);
  const book = await parts.rules.getMany(
    inForce.map(({ rules }) => rules as number),
    client,
  );
  const products = new Map<number, ProductFacts>();
  const rulesByProduct = new Map<number, LoggedRules>();
  for (const { product: productId, rules, startMs, endMs, ...price } of inForce) {
    const logged = book.get(rules as number) as LoggedRules;
    rulesByProduct.set(productId, logged);
    const period = startMs === null ? null : { startMs, endMs };
    const { ordersFromMs, tickMs } = price;
    const group = groupOf(open, productId);
    products.set(productId, { rules: logged.rules, period, ordersFromMs, tickMs, group });
  }
  const assets = new Map<number, AssetFacts>();
  for (const { asset, room, productLimit, groupLimit, equity } of open.assets) {
    const { code, scale } = parts.assets.byId(asset);
    assets.set(asset, {
      code,
      scale,
      payoutRoom: BigInt(room),
      productLimit: BigInt(productLimit),
      groupLimit: BigInt(groupLimit),
      equity: BigInt(equity),
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
      open.limits?.map(({ customer, asset, closed, kind, left }) => [
        balanceKey(customer, asset),
        { closed, most: kind === null || left === null ? null : { kind, left: minor(BigInt(left)) } },
      ]),
    ),
    taken: takenOn(open),
  };
  return { facts, rulesByProduct };
}

const groupOf = ({ groups }: OpenBatch, productId: number): string => {
  const group = groups[productId];
  if (group === undefined) throw new Error(`product ${productId} has no group`);
  return group;
};

function takenOn(open: OpenBatch): TakenOn {
  const taken = new TakenOn();
  for (const { asset: assetId, minuteMs, products, incomes } of open.incomes ?? []) {
    for (const [place, productId] of products.entries()) {
      const income = BigInt(incomes[place] as string);
      taken.addTotal({ assetId, productId, group: groupOf(open, productId), minuteMs, income });
    }
  }
  for (const { customer, asset, product: productId, minuteMs, income } of open.own ?? []) {
    const group = groupOf(open, productId);
    taken.addOwn({
      customerId: customer,
      assetId: asset,
      productId,
      group,
      minuteMs,
      income: BigInt(income),
    });
  }
  return taken;
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
