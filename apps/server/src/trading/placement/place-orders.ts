import { formatDecimal } from '@fairtick/money';
import { hashAsked } from '@fairtick/proof';
import {
  type AcceptedTerms,
  balanceKey,
  decidePlacements,
  type PlacementDecision,
  type PlacementRefusal,
} from '@fairtick/trading';
import { nativeSha256 } from '../../market/log/native-sha256.ts';
import type { LoggedRules } from '../../market/rule-book.ts';
import { byteaArray, int2Array, int8Array } from '../../platform/db/binary-arrays.ts';
import { type Client, failureOf, transaction } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import {
  acceptanceText,
  ORDERS_PER_BATCH,
  orderIdOf,
  readHex,
  type SignedBatch,
  signBatch,
} from '../order-terms.ts';
import { type OpenBatch, openBatch, readFacts } from './placement-facts.ts';
import type { OrderRequest, PlacementAnswer, PlacementParts } from './placement-parts.ts';
import { repeatedOrders } from './repeated-orders.ts';

/** No request of the batch is to be decided: the transaction rolls back and releases the held stakes. */
class NoneFreshError extends Error {}

/**
 * The only code path that places orders. Takes a batch of at most ORDERS_PER_BATCH requests, at most one of each customer, and answers each:
 * holds the stakes, reads the clock and the log's head, decides, signs, writes, commits.
 * @throws DatabaseError for a failure that no single request explains; UnknownOutcomeError when the commit's answer was lost
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
    if (error instanceof NoneFreshError) return answers;
    if (failureOf(error) !== 'BATCH_LATE') throw error;
    // The transaction rolled back: the orders of this batch are late. Requests whose keys were used before keep their answers.
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
  for (const [place, session] of open.sessions.entries()) {
    if (session === null) answers[place] = { kind: 'refused', code: 'REAUTH_REQUIRED' };
  }
  for (const [place, answer] of repeatedOrders(open, requests)) answers[place] = answer;
  const fresh = requests.map((request, place) => ({ request, place })).filter(({ place }) => !answers[place]);
  if (fresh.length === 0) throw new NoneFreshError();

  const { facts, rulesByProduct } = await readFacts(parts, client, open);
  const levels = new Map(open.levels);
  const decisions = decidePlacements(
    fresh.map(({ request }) => ({
      ...request,
      opensAtMs: request.named?.opensAtMs ?? null,
      level: levels.get(request.customerId) ?? 'bronze',
    })),
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
    const orderId = orderIdOf(open.batch, accepted.length);
    accepted.push({ place, orderId, request, rules, terms: decision, asked: askedOf(parts, request, rules) });
  }
  const texts = accepted.map((row) => textOf(parts, open, row));
  const signed = texts.length === 0 ? null : signBatch(texts, parts.signer);
  await closeBatch(client, open, {
    accepted,
    letGo: heldInVain(requests, answers, facts.available),
    available: facts.available,
    refusals: fresh.flatMap(({ request }, at) => {
      const decision = decisions[at] as PlacementDecision;
      return decision.kind === 'refused' ? [{ request, code: decision.code }] : [];
    }),
    signed,
  });
  for (const [at, { request, terms, rules, place, orderId }] of accepted.entries()) {
    const acceptance = { text: texts[at] as string, place: at, batch: signed as SignedBatch };
    answers[place] = {
      kind: 'accepted',
      orderId,
      placed: { ...request, ...terms, id: orderId, rulesId: rules.id, acceptance },
    };
  }
}

interface Placed {
  readonly request: OrderRequest;
  /** Index of the request in its batch. */
  readonly place: number;
}

interface AcceptedRow extends Placed {
  readonly terms: AcceptedTerms;
  readonly rules: LoggedRules;
  readonly orderId: number;
  /** The hash of what the customer asked for; null where no opening time was named. */
  readonly asked: Uint8Array | null;
}

/** Requests whose stakes were held when the batch was opened, but that become no order. */
function heldInVain(
  requests: readonly OrderRequest[],
  answers: readonly PlacementAnswer[],
  available: ReadonlyMap<string, bigint>,
): Placed[] {
  return requests
    .map((request, place) => ({ request, place }))
    .filter(({ request, place }) => {
      const before = available.get(balanceKey(request.customerId, request.assetId)) ?? 0n;
      return answers[place] !== undefined && before >= request.stake;
    });
}

function askedOf(parts: PlacementParts, request: OrderRequest, { rules }: LoggedRules): Uint8Array | null {
  if (request.named === null) return null;
  const { code, scale } = parts.assets.byId(request.assetId);
  const { direction, minutes, named } = request;
  const amount = formatDecimal(request.stake, scale);
  const order = { symbol: rules.symbol, direction, minutes, asset: code, amount };
  return hashAsked({ ...order, opensAt: named.opensAtMs, nonce: named.nonce }, nativeSha256);
}

function textOf(
  parts: PlacementParts,
  open: OpenBatch,
  { request, terms, rules, orderId, asked }: AcceptedRow,
): string {
  return acceptanceText({
    id: orderId,
    asked,
    symbol: rules.rules.symbol,
    direction: request.direction,
    minutes: request.minutes,
    asset: parts.assets.byId(request.assetId),
    stake: request.stake,
    payoutRateBps: terms.payoutRateBps,
    rulesHash: rules.hash,
    acceptedAtMs: terms.acceptedAtMs,
    opensAtMs: terms.opensAtMs,
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
    /** Requests whose stakes were held and that become no order. */
    letGo: readonly Placed[];
    /** Balances before the stakes were held, by {@link balanceKey}. */
    available: ReadonlyMap<string, bigint>;
    refusals: readonly { readonly request: OrderRequest; readonly code: PlacementRefusal }[];
    /** Null where none is accepted. */
    signed: SignedBatch | null;
  },
): Promise<void> {
  const { accepted, letGo, signed } = batch;
  // Customer and asset of each refusal, by reason: published counts are split by whether the customer had won or lost before.
  const refusals: Record<string, [customerId: number, assetId: number][]> = {};
  for (const { request, code } of batch.refusals) {
    refusals[code] ??= [];
    refusals[code].push([Number(request.customerId), request.assetId]);
  }
  const left = ({ request }: Placed) =>
    (batch.available.get(balanceKey(request.customerId, request.assetId)) as bigint) - request.stake;
  const sessionOf = ({ place }: Placed) => open.sessions[place] as number;
  const int8 = (read: (row: AcceptedRow) => number | bigint | null) => int8Array(accepted.map(read));
  const int2 = (read: (row: AcceptedRow) => number) => int2Array(accepted.map(read));
  const bytea = (read: (row: AcceptedRow) => Uint8Array | null) => byteaArray(accepted.map(read));
  await client.query(
    CLOSE.with({
      refusals: JSON.stringify(refusals),
      root: signed?.tree.root ?? null,
      leaves: signed ? Buffer.concat(signed.leaves) : null,
      signed: signed?.signed ?? null,
      customers: int8(({ request }) => Number(request.customerId)),
      sessions: int8(sessionOf),
      keys: bytea(({ request }) => request.keyHash),
      inputs: bytea(({ request }) => request.inputHash),
      products: int2(({ request }) => request.productId),
      assets: int2(({ request }) => request.assetId),
      minutes: int2(({ request }) => request.minutes),
      opens: int8(({ terms }) => terms.opensAtMs),
      directions: int2(({ request }) => (request.direction === 'up' ? 1 : -1)),
      stakes: int8(({ request }) => request.stake),
      left: int8(left),
      rules: int8(({ rules }) => rules.id),
      seenSizes: int8(({ request }) => request.seen?.size ?? null),
      seenRoots: bytea(({ request }) => request.seen && readHex(request.seen.root)),
      asked: bytea(({ asked }) => asked),
      letGoCustomers: int8Array(letGo.map(({ request }) => Number(request.customerId))),
      letGoSessions: int8Array(letGo.map(sessionOf)),
      letGoAssets: int2Array(letGo.map(({ request }) => request.assetId)),
      letGoStakes: int8Array(letGo.map(({ request }) => request.stake)),
      letGoLeft: int8Array(letGo.map(left)),
    }),
  );
}

const CLOSE = new NamedCall('orders_close_batch', {
  refusals: 'jsonb',
  root: 'bytea',
  leaves: 'bytea',
  signed: 'text',
  customers: 'bigint[]',
  sessions: 'bigint[]',
  keys: 'bytea[]',
  inputs: 'bytea[]',
  products: 'smallint[]',
  assets: 'smallint[]',
  minutes: 'smallint[]',
  opens: 'bigint[]',
  directions: 'smallint[]',
  stakes: 'bigint[]',
  left: 'bigint[]',
  rules: 'bigint[]',
  seenSizes: 'bigint[]',
  seenRoots: 'bytea[]',
  asked: 'bytea[]',
  letGoCustomers: 'bigint[]',
  letGoSessions: 'bigint[]',
  letGoAssets: 'smallint[]',
  letGoStakes: 'bigint[]',
  letGoLeft: 'bigint[]',
});
