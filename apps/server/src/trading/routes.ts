import { randomBytes } from 'node:crypto';
import { formatDecimal, parseAmount, withoutTrailingZeros } from '@fairtick/money';
import type { Input, Order } from '@fairtick/protocol';
import { readLogHead } from '../market/log/log-head.ts';
import { type Handlers, RefusalError, type SessionContext } from '../platform/http/context.ts';
import { readId, readPage } from '../platform/paging.ts';
import { hashInput, hashKey } from '../platform/request-hashes.ts';
import { batchOf } from './order-terms.ts';
import { exportOrders, orderTotals, readFilter } from './orders/order-history.ts';
import {
  findOrders,
  findSettled,
  latestTrades,
  listOrders,
  type OrderQueryParts,
  presentPlaced,
  rulesOf,
} from './orders/order-queries.ts';
import type { NewestTicks } from './placement/newest-ticks.ts';
import type { OrderRequest, PlacementAnswer } from './placement/placement-parts.ts';
import type { PlacementQueue } from './placement/placement-queue.ts';
import { LoggedEvidence } from './receipts/logged-evidence.ts';
import { makeReceipt } from './receipts/receipt.ts';
import type { ReceiptParts } from './receipts/receipt-entries.ts';

const DEFAULT_LIMIT = 20;

export interface OrderRouteParts extends OrderQueryParts, Pick<ReceiptParts, 'readers'> {
  readonly queue: PlacementQueue;
  readonly newestTicks: NewestTicks;
}

export function orderHandlers(
  parts: OrderRouteParts,
): Pick<
  Handlers,
  | 'orderCreate'
  | 'orderList'
  | 'orderTotals'
  | 'orderExport'
  | 'orderDetail'
  | 'orderReceipt'
  | 'orderLogged'
  | 'latestTrades'
> {
  const evidence = new LoggedEvidence(parts);
  return {
    orderCreate: (input, context) => createOrder(parts, input, context),
    orderList: async (input, { session }) => {
      const filter = readFilter(parts, input, session);
      if (filter === null) return { items: [], nextCursor: null };
      const from = input.cursor === undefined ? {} : { beforeId: Number(input.cursor) };
      return readPage(input, (limit) => listOrders(parts, { ...filter, limit, ...from }));
    },
    orderTotals: async (input, { session }) => {
      const filter = readFilter(parts, input, session);
      return filter === null ? { items: [], isPartial: false } : orderTotals(parts, filter);
    },
    orderExport: (input, { session, language }) =>
      exportOrders(parts, readFilter(parts, input, session), { zone: input.zone ?? 'UTC', language }),
    orderDetail: async ({ id }, { session }) => {
      const orderId = readId(id);
      const [order] =
        orderId === null ? [] : await findOrders(parts, [{ customerId: session.customerId, orderId }]);
      if (!order) throw new RefusalError('ORDER_NOT_FOUND');
      return order;
    },
    orderReceipt: async ({ id }, { session }) => {
      const orderId = readId(id);
      const owned = { customerId: session.customerId, orderId: orderId ?? 0 };
      const order = orderId === null ? null : await findSettled(parts, owned);
      if (order === null) throw new RefusalError('ORDER_NOT_FOUND');
      const receipt = order === 'unsettled' ? null : await makeReceipt(parts, order);
      if (receipt === null) throw new RefusalError('RECEIPT_NOT_READY');
      return receipt;
    },
    orderLogged: async ({ id }, { session }) => {
      const orderId = readId(id);
      const rulesId =
        orderId === null ? null : await rulesOf(parts.db, { customerId: session.customerId, orderId });
      if (orderId === null || rulesId === null) throw new RefusalError('ORDER_NOT_FOUND');
      const logged = await evidence.of({ batch: batchOf(orderId), rulesId });
      if (logged === null) throw new RefusalError('LOGGED_SOON');
      return logged;
    },
    latestTrades: async ({ symbol, limit }) => {
      const product = parts.products.bySymbol(symbol);
      if (!product) throw new RefusalError('PRODUCT_NOT_FOUND', { fields: { symbol: 'PRODUCT_NOT_FOUND' } });
      return latestTrades(parts, product.id, limit ?? DEFAULT_LIMIT);
    },
  };
}

async function createOrder(
  parts: OrderRouteParts,
  input: Input<'orderCreate'>,
  context: SessionContext,
): Promise<Order> {
  const { customerId } = context.session;
  const request = await readRequest(parts, input, context);
  await parts.newestTicks.ready(request.productId);
  const answer = await parts.queue.place(request);
  if (answer.kind === 'refused') throw refusalOf(parts, request, answer);
  if (answer.kind === 'known' && !answer.isSame) throw new RefusalError('IDEMPOTENCY_MISMATCH');
  if (answer.kind === 'accepted') return presentPlaced(parts, answer.placed);
  const [order] = await findOrders(parts, [{ customerId, orderId: answer.orderId }]);
  if (!order) throw new Error(`order ${answer.orderId} was placed but is not there`);
  return order;
}

async function readRequest(
  parts: OrderRouteParts,
  input: Input<'orderCreate'>,
  context: SessionContext,
): Promise<OrderRequest> {
  const product = parts.products.bySymbol(input.symbol);
  if (!product) throw new RefusalError('PRODUCT_NOT_FOUND', { fields: { symbol: 'PRODUCT_NOT_FOUND' } });
  const asset = parts.assets.byCode(input.asset);
  if (!asset) throw new RefusalError('ASSET_NOT_ACCEPTED', { fields: { asset: 'ASSET_NOT_ACCEPTED' } });
  const stake = parseAmount(input.amount, asset.scale);
  if (stake === null) throw new RefusalError('INVALID_AMOUNT', { fields: { amount: 'INVALID_AMOUNT' } });
  return {
    customerId: context.session.customerId,
    tokenHash: context.session.tokenHash,
    // Without a key a repeated request is a new order: each request gets a random key.
    keyHash: hashKey(context.idempotencyKey ?? randomBytes(16).toString('hex')),
    inputHash: hashInput(context.path, context.fields),
    productId: product.id,
    assetId: asset.id,
    direction: input.direction,
    minutes: input.minutes,
    stake,
    notAfterMs: input.notAfter ?? null,
    named: readNamed(input),
    seen: await readSeen(parts, input),
  };
}

/** The opening time that the customer names, which comes with a nonce. */
function readNamed({ opensAt, nonce }: Input<'orderCreate'>): OrderRequest['named'] {
  if (opensAt === undefined && nonce === undefined) return null;
  if (opensAt !== undefined && nonce !== undefined) return { opensAtMs: opensAt, nonce };
  const missing = opensAt === undefined ? 'opensAt' : 'nonce';
  throw new RefusalError('FORM_INCOMPLETE', { fields: { [missing]: 'FORM_INCOMPLETE' } });
}

/** The log as the customer saw it. One that differs from the log is refused: the customer holds evidence of it, and must know. */
async function readSeen(parts: OrderRouteParts, input: Input<'orderCreate'>): Promise<OrderRequest['seen']> {
  const size = input.seenSize === '' ? undefined : input.seenSize;
  const root = input.seenRoot === '' ? undefined : input.seenRoot;
  if (size === undefined && root === undefined) return null;
  if (size === undefined || root === undefined) throw new RefusalError('SEEN_MISMATCH');
  const head = await readLogHead(parts.db);
  if (size > head.size) throw new RefusalError('SEEN_MISMATCH');
  const ours = size === head.size ? head.root : await parts.reader.rootAt(size);
  if (Buffer.from(ours).toString('hex') !== root) throw new RefusalError('SEEN_MISMATCH');
  return { size, root };
}

function refusalOf(
  parts: OrderRouteParts,
  request: OrderRequest,
  answer: Extract<PlacementAnswer, { kind: 'refused' }>,
): RefusalError {
  const asset = parts.assets.byId(request.assetId);
  const field = /^AMOUNT_|_BALANCE$|^(STAKE|LOSS|SHARE)_LIMIT$/.test(answer.code) ? 'amount' : null;
  return new RefusalError(answer.code, {
    parameters:
      answer.bound === undefined
        ? {}
        : { bound: `${withoutTrailingZeros(formatDecimal(answer.bound, asset.scale))} ${asset.code}` },
    fields: field ? { [field]: answer.code } : {},
  });
}
