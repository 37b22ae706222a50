import { formatDecimal, minor } from '@fairtick/money';
import { hashAsked } from '@fairtick/proof';
import { type PlacementRefusal, settlementTime } from '@fairtick/trading';
import type { LoggedRules } from '../../market/rule-book.ts';
import { byteaArray, int2Array, int8Array } from '../../platform/db/binary-arrays.ts';
import { type Client, failureOf, transaction } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { traced } from '../../platform/tracing.ts';
import { acceptanceText, ORDERS_PER_BATCH, readHex, signBatch } from '../order-terms.ts';
import type { OrderRequest, PlacementAnswer, PlacementParts } from './placement-parts.ts';

/**
 * The only code path that places orders. Takes a batch of at most ORDERS_PER_BATCH requests, at most one of each customer, and
 * answers each. The database judges the requests and writes the orders (orders_place), this function writes and signs their
 * acceptances, and the database seals the batch (orders_seal).
 * @throws DatabaseError for a failure that no single request explains; UnknownOutcomeError when the commit's answer was lost
 */
export async function placeOrders(
  parts: PlacementParts,
  requests: readonly OrderRequest[],
): Promise<PlacementAnswer[]> {
  if (requests.length > ORDERS_PER_BATCH) throw new Error('a batch is too large');
  const answers: PlacementAnswer[] = [];
  try {
    await traced('place orders', { orders: requests.length }, () =>
      transaction(parts.pool, (client) => placeBatch(parts, client, requests, answers)),
    );
    return answers;
  } catch (error) {
    if (failureOf(error) !== 'BATCH_LATE') throw error;
    // The transaction rolled back: the orders of this batch are late. Requests whose keys were used before keep their answers.
    return answers.map((answer) => (answer.kind === 'known' ? answer : { kind: 'refused', code: 'LATE' }));
  }
}

/** Adds an answer for each request. */
async function placeBatch(
  parts: PlacementParts,
  client: Client,
  requests: readonly OrderRequest[],
  answers: PlacementAnswer[],
): Promise<void> {
  const asked = requests.map((request) => askedOf(parts, request));
  const judged = await judge(client, requests, asked);
  const accepted = [...requests.entries()].filter(([at]) => judged.faults[at] === null);
  const rules = await parts.rules.getMany(
    accepted.map(([at]) => judged.rules[at] as number),
    client,
  );
  const orders = accepted.map(([at, request]) => orderOf(request, judged, at));
  const texts = orders.map((order, place) =>
    acceptanceText({
      ...order,
      asked: asked[accepted[place]?.[0] as number] ?? null,
      symbol: parts.products.byId(order.productId).symbol,
      asset: parts.assets.byId(order.assetId),
      rulesHash: (rules.get(order.rulesId) as LoggedRules).hash,
      logSize: judged.logSize,
      logRoot: judged.logRoot,
    }),
  );
  const batch = texts.length > 0 ? signBatch(texts, parts.signer) : null;
  for (const [at, fault] of judged.faults.entries())
    if (fault !== null) answers[at] = answerTo(fault, judged.bounds[at] ?? null);
  if (batch === null) return;
  for (const [place, [at]] of accepted.entries()) {
    const order = orders[place] as ReturnType<typeof orderOf>;
    const acceptance = { text: texts[place] as string, place, batch };
    answers[at] = { kind: 'accepted', orderId: order.id, placed: { ...order, acceptance } };
  }
  const { tree, leaves, signed } = batch;
  await client.query({
    name: 'orders_seal',
    text: 'select orders_seal($1, $2, $3, $4)',
    values: [judged.batch, tree.root, Buffer.concat(leaves), signed],
  });
}

/** The hash of what the customer asked for; null where no opening time was named. */
function askedOf(parts: PlacementParts, request: OrderRequest): Uint8Array | null {
  const { direction, minutes, named } = request;
  if (named === null) return null;
  const { symbol } = parts.products.byId(request.productId);
  const { code, scale } = parts.assets.byId(request.assetId);
  const order = { symbol, direction, minutes, asset: code, amount: formatDecimal(request.stake, scale) };
  return hashAsked({ ...order, opensAt: named.opensAtMs, nonce: named.nonce });
}

/** The answer of orders_place, which explains it. Each list has a place for each request. */
export interface Judged {
  readonly faults: readonly (PlacementRefusal | 'REAUTH_REQUIRED' | 'KNOWN' | 'KEY_REUSED' | null)[];
  readonly bounds: readonly (string | null)[];
  readonly batch: number;
  readonly atMs: number;
  readonly logSize: number;
  /** Hex. */
  readonly logRoot: string;
  readonly ids: readonly (number | null)[];
  readonly rules: readonly (number | null)[];
  readonly rates: readonly (number | null)[];
  readonly incomes: readonly (string | null)[];
  readonly opens: readonly (number | null)[];
}

const PLACE = new NamedCall('orders_place', {
  tokens: 'bytea[]',
  keys: 'bytea[]',
  inputs: 'bytea[]',
  products: 'smallint[]',
  assets: 'smallint[]',
  minutes: 'smallint[]',
  directions: 'smallint[]',
  stakes: 'bigint[]',
  notAfter: 'bigint[]',
  opens: 'bigint[]',
  asked: 'bytea[]',
  seenSizes: 'bigint[]',
  seenRoots: 'bytea[]',
});

/** Judges the requests and writes the orders. The transaction must be sealed, or rolled back. */
export async function judge(
  client: Client,
  requests: readonly OrderRequest[],
  asked: readonly (Uint8Array | null)[],
): Promise<Judged> {
  const int8 = (read: (request: OrderRequest) => number | bigint | null) => int8Array(requests.map(read));
  const int2 = (read: (request: OrderRequest) => number) => int2Array(requests.map(read));
  const bytea = (read: (request: OrderRequest) => Uint8Array | null) => byteaArray(requests.map(read));
  const { rows } = await client.query<{ result: Judged }>(
    PLACE.with({
      tokens: bytea(({ tokenHash }) => tokenHash),
      keys: bytea(({ keyHash }) => keyHash),
      inputs: bytea(({ inputHash }) => inputHash),
      products: int2(({ productId }) => productId),
      assets: int2(({ assetId }) => assetId),
      minutes: int2(({ minutes }) => minutes),
      directions: int2(({ direction }) => (direction === 'up' ? 1 : -1)),
      stakes: int8(({ stake }) => stake),
      notAfter: int8(({ notAfterMs }) => notAfterMs),
      opens: int8(({ named }) => named?.opensAtMs ?? null),
      asked: byteaArray(asked),
      seenSizes: int8(({ seen }) => seen?.size ?? null),
      seenRoots: bytea(({ seen }) => seen && readHex(seen.root)),
    }),
  );
  if (!rows[0]) throw new Error('no batch was judged');
  return rows[0].result;
}

/** The order that the request at this place became. */
function orderOf(request: OrderRequest, judged: Judged, at: number) {
  const opensAtMs = judged.opens[at] as number;
  return {
    ...request,
    id: judged.ids[at] as number,
    rulesId: judged.rules[at] as number,
    payoutRateBps: judged.rates[at] as number,
    income: BigInt(judged.incomes[at] as string),
    acceptedAtMs: judged.atMs,
    opensAtMs,
    settlesAtMs: settlementTime(opensAtMs, request.minutes),
  };
}

function answerTo(fault: NonNullable<Judged['faults'][number]>, bound: string | null): PlacementAnswer {
  if (fault === 'KNOWN' || fault === 'KEY_REUSED')
    return { kind: 'known', orderId: Number(bound), isSame: fault === 'KNOWN' };
  if (bound === null) return { kind: 'refused', code: fault };
  return { kind: 'refused', code: fault, bound: minor(BigInt(bound)) };
}
