import type { Minor } from '@fairtick/money';
import type { NoteSigner } from '@fairtick/proof';
import {
  type AcceptedTerms,
  type AssetFacts,
  balanceKey,
  type Direction,
  decidePlacements,
  type Exposure,
  exposureKey,
  LATE_AFTER_MS,
  type Level,
  type PlacementDecision,
  type PlacementFacts,
  type PlacementRefusal,
  type ProductFacts,
} from '@fairtick/trading';
import type { Assets } from '../assets.ts';
import { array, type Client, type Pool, sqlState, transaction } from '../db/database.ts';
import type { LoggedRules, RuleBook } from '../market-data/rule-book.ts';
import type { SessionClock } from '../market-data/session-clock.ts';
import {
  acceptanceText,
  ORDERS_PER_BATCH,
  orderIdOf,
  type PlacedOrder,
  readHex,
  type SignedBatch,
  signBatch,
} from './order-terms.ts';

/** One customer's wish, checked for form. Ids are of our tables; the amount is in smallest units. */
export interface OrderRequest {
  readonly customerId: string;
  /** SHA-256 of the Idempotency-Key and of the request's fields. */
  readonly keyHash: Uint8Array;
  readonly inputHash: Uint8Array;
  readonly productId: number;
  readonly assetId: number;
  readonly direction: Direction;
  readonly minutes: number;
  readonly stake: Minor;
  readonly notAfterMs: number | null;
  /** The log as the customer saw it; already compared with ours. */
  readonly seen: { readonly size: number; readonly root: string } | null;
}

export type PlacementAnswer =
  | { readonly kind: 'accepted'; readonly orderId: number; readonly placed: PlacedOrder }
  /** The key was used before; by the same request or by another one (then `orderId` may be 0: it was no order). */
  | { readonly kind: 'known'; readonly orderId: number; readonly isSame: boolean }
  | { readonly kind: 'refused'; readonly code: PlacementRefusal | 'LATE'; readonly bound?: Minor };

export interface PlacementParts {
  readonly pool: Pool;
  readonly assets: Assets;
  readonly rules: RuleBook;
  readonly sessions: SessionClock;
  readonly signer: NoteSigner;
}

/** The log counts as dead when its time is this far behind: an acceptance could not be logged within 2 s. */
const LOG_SILENCE_MS = 1_500;

/** What orders_open_batch answers: all of it read after the locks, by statements of their own. */
interface OpenBatch extends BatchFacts {
  /** `owner:asset:available` of each balance, with commas between; null where there is none. */
  readonly balances: string | null;
  /** Place of the request, order and hash of its input; null where no key was used before. */
  readonly known: readonly [number, number, string][] | null;
  /** Customers above the lowest level; null where there are none. */
  readonly levels: readonly [string, Level][] | null;
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
  readonly exposures: readonly [number, string, number, string, string, string, string][];
}

/**
 * The one door to new orders. Takes a batch of at most 1024 requests, at most one of each customer, and answers each:
 * locks the balances, reads the clock and the log's head, decides, signs, writes, commits.
 * @throws DatabaseError for what no request of the batch explains; UnknownOutcomeError when the commit's answer was lost
 */
export async function placeOrders(
  parts: PlacementParts,
  requests: readonly OrderRequest[],
): Promise<PlacementAnswer[]> {
  if (requests.length > ORDERS_PER_BATCH) throw new Error('a batch is too large');
  const answers: PlacementAnswer[] = new Array(requests.length);
  try {
    await transaction(parts.pool, (client) => placeLocked(parts, client, requests, answers));
    return answers;
  } catch (error) {
    if (sqlState(error) !== 'FT010') throw error;
    // What had been accepted before was so in time: only this batch's own orders came to nothing.
    return requests.map((_request, place) => {
      const answer = answers[place];
      return answer?.kind === 'known' ? answer : { kind: 'refused', code: 'LATE' };
    });
  }
}

/** Fills in `answers`, one for each request. */
async function placeLocked(
  parts: PlacementParts,
  client: Client,
  requests: readonly OrderRequest[],
  answers: PlacementAnswer[],
): Promise<void> {
  const open = await openBatch(client, requests);
  for (const [place, orderId, inputHash] of open.known ?? []) {
    const isSame = Buffer.from((requests[place] as OrderRequest).inputHash).equals(
      Buffer.from(inputHash, 'hex'),
    );
    answers[place] = { kind: 'known', orderId, isSame };
  }
  const fresh = requests.map((request, place) => ({ request, place })).filter(({ place }) => !answers[place]);
  if (fresh.length === 0) return;

  const { facts, rulesByProduct } = await readFacts(parts, client, open);
  const levels = new Map(open.levels);
  const { decisions, exposures } = decidePlacements(
    fresh.map(({ request }) => ({ ...request, level: levels.get(request.customerId) ?? 'bronze' })),
    facts,
  );
  const accepted: AcceptedRow[] = [];
  for (const [at, { request, place }] of fresh.entries()) {
    const decision = decisions[at] as PlacementDecision;
    if (decision.kind === 'refused') {
      answers[place] = decision;
      continue;
    }
    const rules = rulesByProduct.get(request.productId) as LoggedRules;
    accepted.push({
      request,
      terms: decision,
      rules,
      place,
      orderId: orderIdOf(open.batch, accepted.length),
    });
  }
  const texts = accepted.map((row) => textOf(parts, open, row));
  const signed = signBatch(texts, parts.signer);
  await closeBatch(client, open, { accepted, decisions, signed, exposures });
  for (const [at, { request, terms, rules, place, orderId }] of accepted.entries()) {
    const acceptance = { text: texts[at] as string, place: at, batch: signed };
    answers[place] = {
      kind: 'accepted',
      orderId,
      placed: { ...request, ...terms, id: orderId, rulesId: rules.id, acceptance },
    };
  }
}

interface AcceptedRow {
  readonly request: OrderRequest;
  readonly terms: AcceptedTerms;
  readonly rules: LoggedRules;
  readonly orderId: number;
  /** Of the request in its batch. */
  readonly place: number;
}

async function openBatch(client: Client, requests: readonly OrderRequest[]): Promise<OpenBatch> {
  type OpenRow = Pick<OpenBatch, 'balances' | 'known' | 'levels'> & { facts: BatchFacts };
  const { rows } = await client.query<OpenRow>({
    name: 'orders-open',
    text: `select * from orders_open_batch($1::bigint[], $2::smallint[], $3::bytea, $4::smallint[], $5::smallint[])`,
    values: [
      array(requests.map((request) => request.customerId)),
      array(requests.map((request) => request.assetId)),
      Buffer.concat(requests.map((request) => request.keyHash)),
      array(requests.map((request) => request.productId)),
      array(requests.map((request) => request.minutes)),
    ],
  });
  if (!rows[0]) throw new Error('no batch was opened');
  const { facts, ...locked } = rows[0];
  return { ...locked, ...facts };
}

/** The answer of the database as the facts that the pure decision takes. */
async function readFacts(
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
    const session = parts.sessions.sessionAt(logged.rules.schedule, open.now);
    products.set(productId, { rules: logged.rules, session, ordersFromMs, group });
  }
  const assets = new Map<number, AssetFacts>();
  for (const [assetId, room, productLimit, groupLimit] of open.assets) {
    const { code, scale } = parts.assets.byId(assetId);
    assets.set(assetId, {
      code,
      scale,
      payoutRoom: BigInt(room),
      productLimit: BigInt(productLimit),
      groupLimit: BigInt(groupLimit),
    });
  }
  const facts: PlacementFacts = {
    nowMs: open.now,
    isHalted: open.halted,
    isLogAlive: open.now - open.logTime <= LOG_SILENCE_MS,
    products,
    assets,
    available: readBalances(open.balances),
    exposures: new Map(
      open.exposures.map(([asset, scope, minuteMs, upStake, upIncome, downStake, downIncome]) => [
        exposureKey(asset, scope, minuteMs),
        {
          upStake: BigInt(upStake),
          upIncome: BigInt(upIncome),
          downStake: BigInt(downStake),
          downIncome: BigInt(downIncome),
        },
      ]),
    ),
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

function textOf(
  parts: PlacementParts,
  open: OpenBatch,
  { request, terms, rules, orderId }: AcceptedRow,
): string {
  return acceptanceText({
    id: orderId,
    keyHash: request.keyHash,
    symbol: rules.rules.symbol,
    direction: request.direction,
    minutes: request.minutes,
    asset: parts.assets.byId(request.assetId),
    stake: request.stake,
    payoutRateBps: terms.payoutRateBps,
    rulesHash: rules.hash,
    acceptedAtMs: terms.acceptedAtMs,
    settlesAtMs: terms.settlesAtMs,
    logSize: open.logSize,
    logRoot: open.logRoot,
    seen: request.seen,
  });
}

async function closeBatch(
  client: Client,
  open: OpenBatch,
  batch: {
    accepted: readonly AcceptedRow[];
    decisions: readonly PlacementDecision[];
    signed: SignedBatch;
    exposures: ReadonlyMap<string, Exposure>;
  },
): Promise<void> {
  const { accepted, signed } = batch;
  const refusals: Record<string, number> = {};
  for (const decision of batch.decisions) {
    if (decision.kind === 'refused') refusals[decision.code] = (refusals[decision.code] ?? 0) + 1;
  }
  const scopes = [...batch.exposures].map(([key, exposure]) => ({ key: key.split(':'), exposure }));
  const column = (read: (row: AcceptedRow) => number | bigint | string) => array(accepted.map(read));
  await client.query({
    name: 'orders-close',
    text: CLOSE,
    values: [
      open.batch,
      open.now,
      open.logSize,
      readHex(open.logRoot),
      batch.decisions.length - accepted.length,
      JSON.stringify(refusals),
      signed.tree.root,
      Buffer.concat(signed.leaves),
      signed.signed,
      LATE_AFTER_MS,
      column(({ request }) => request.customerId),
      hashesOf(accepted),
      column(({ request }) => request.productId),
      column(({ request }) => request.assetId),
      column(({ request }) => request.minutes),
      column(({ request }) => (request.direction === 'up' ? 1 : -1)),
      column(({ request }) => request.stake),
      column(({ terms }) => terms.income),
      column(({ terms }) => terms.payoutRateBps),
      column(({ rules }) => rules.id),
      column(({ terms }) => terms.settlesAtMs),
      column(({ request }) => request.seen?.size ?? 'NULL'),
      array(scopes.map(({ key }) => key[0] as string)),
      scopes.map(({ key }) => key[1]),
      array(scopes.map(({ key }) => key[2] as string)),
      array(scopes.map(({ exposure }) => exposure.upStake)),
      array(scopes.map(({ exposure }) => exposure.upIncome)),
      array(scopes.map(({ exposure }) => exposure.downStake)),
      array(scopes.map(({ exposure }) => exposure.downIncome)),
    ],
  });
}

const HASH_BYTES = 32;

/** Of each order the hashes of its key and input and the root that the customer saw, zeros where none: 96 bytes. */
function hashesOf(accepted: readonly AcceptedRow[]): Buffer {
  const bytes = Buffer.alloc(accepted.length * 3 * HASH_BYTES);
  for (const [at, { request }] of accepted.entries()) {
    const start = at * 3 * HASH_BYTES;
    bytes.set(request.keyHash, start);
    bytes.set(request.inputHash, start + HASH_BYTES);
    if (request.seen) bytes.set(readHex(request.seen.root), start + 2 * HASH_BYTES);
  }
  return bytes;
}

const CLOSE_TYPES = [
  'bigint,bigint,bigint,bytea,int,jsonb,bytea,bytea,text,bigint',
  'bigint[],bytea,smallint[],smallint[],smallint[],smallint[],bigint[],bigint[],int[],bigint[],bigint[],bigint[]',
  'smallint[],text[],bigint[],bigint[],bigint[],bigint[],bigint[]',
]
  .join(',')
  .split(',');
const CLOSE = `select orders_close_batch(${CLOSE_TYPES.map((type, place) => `$${place + 1}::${type}`).join(', ')})`;
