import { createHash } from 'node:crypto';
import { type Minor, minor, type Points, points } from '@fairtick/money';
import {
  creditedAmount,
  type Direction,
  decideSettlement,
  type Result,
  type Verdict,
  type VoidReason,
  voidVerdict,
} from '@fairtick/trading';
import { type Client, type Pool, transaction } from '../db/database.ts';
import type { LogReader } from '../market-data/log/log-reader.ts';
import type { RuleBook } from '../market-data/rule-book.ts';
import { groupKey, type IndexedOpening, type OpeningGroup, readOpenings } from './openings.ts';
import { batchOf, ORDERS_PER_BATCH } from './order-terms.ts';

/** How many orders one transaction settles: locks are then held for less than a tenth of a second. */
export const SETTLE_CHUNK = 2_000;
/** An opening is looked for this long after acceptance, when most have opened and the window is nearly over. */
const LOOK_FOR_OPENING_MS = 5_000;
/** How many batches are judged in one transaction, and how often that is repeated before orders that are due have their turn. */
const OPENING_BATCHES = 16;
const OPENING_ROUNDS = 64;

export interface SettlementParts {
  readonly pool: Pool;
  readonly reader: LogReader;
  readonly rules: RuleBook;
}

interface LockedOrder extends OpeningGroup {
  readonly id: number;
  readonly direction: Direction;
  readonly stake: Minor;
  readonly income: Minor;
}

interface Ticked {
  readonly index: number;
  readonly timeMs: number;
  readonly price: Points;
}

/** What is written of one order. */
interface SettledOrder {
  readonly id: number;
  readonly result: Result;
  readonly credited: Minor;
  readonly voidReason: VoidReason | null;
  readonly open: Ticked | null;
  readonly settle: Ticked | null;
}

const ORDER_COLUMNS = `id, product_id, rules_id, accepted_at_ms, settles_at_ms, direction, stake, income`;
type OrderRow = {
  id: string;
  product_id: number;
  rules_id: string;
  accepted_at_ms: string;
  settles_at_ms: string;
  direction: number;
  stake: string;
  income: string;
};

/**
 * Settles one chunk of the orders that are due: those whose settlement time the log has passed, so that no tick at or
 * before it can still come. All in one transaction; what another process has locked is left to it.
 * @returns how many were settled; fewer than the limit when none are left
 */
export async function settleDueOrders(parts: SettlementParts, limit = SETTLE_CHUNK): Promise<number> {
  return transaction(parts.pool, async (client) => {
    const { rows } = await client.query<OrderRow & { log_time_ms: string }>({
      name: 'due-orders',
      text: `select ${ORDER_COLUMNS}, h.time_ms as log_time_ms
        from log_head h, settlement_head s, orders o
        where o.settles_at_ms >= s.settled_before_ms and o.settles_at_ms < h.time_ms and o.settled_at_ms is null
        order by o.settles_at_ms, o.product_id limit $1 for update of o skip locked`,
      values: [limit],
    });
    if (rows.length === 0) return 0;
    const logTimeMs = Number(rows[0]?.log_time_ms);
    const orders = rows.map(readOrder);
    const openings = await readOpenings({ ...parts, db: client }, groupsOf(orders), logTimeMs);
    const settleTicks = await readSettleTicks(client, orders, openings);
    const book = await parts.rules.getMany(orders.map((order) => order.rulesId));
    const verdicts = new Map<string, Decided>();
    const settled = orders.map((order) => {
      const key = groupKey(order);
      let decided = verdicts.get(key);
      if (!decided) {
        const settleBoundMs = book.get(order.rulesId)?.rules.settleBoundMs ?? 0;
        decided = decide(order, openings.get(key), settleTicks.get(key), settleBoundMs);
        verdicts.set(key, decided);
      }
      return outcomeOf(order, decided);
    });
    await writeSettlements(client, settled, logTimeMs);
    return settled.length;
  });
}

/**
 * Ends orders that can no longer open, without waiting for their settlement time: goes through the batches in order and
 * stops at the first whose opening is not decided yet.
 * @returns how many orders were void
 */
export async function voidUnopenedOrders(parts: SettlementParts): Promise<number> {
  let voided = 0;
  for (let round = 0; round < OPENING_ROUNDS; round += 1) {
    const judged = await judgeOpenings(parts);
    voided += judged.voided;
    if (!judged.isMore) break;
  }
  return voided;
}

/** Judges the next batches. More may follow when all of these are decided and they were as many as one look takes. */
async function judgeOpenings(parts: SettlementParts): Promise<{ voided: number; isMore: boolean }> {
  return transaction(parts.pool, async (client) => {
    const { rows } = await client.query<GroupRow & { log_time_ms: string }>({
      name: 'unopened-groups',
      text: `select b.number, b.accepted_at_ms, o.product_id, o.rules_id, o.settles_at_ms, o.unsettled, h.time_ms as log_time_ms
        from log_head h, settlement_head s, lateral (
          select number, accepted_at_ms from order_batches
          where number > s.opened_batch and accepted_at_ms + $1 < h.time_ms order by number limit $2
        ) b
        left join lateral (
          select product_id, rules_id, settles_at_ms, count(*) as unsettled from orders
          where id >= b.number * ${ORDERS_PER_BATCH} and id < (b.number + 1) * ${ORDERS_PER_BATCH} and settled_at_ms is null
          group by product_id, rules_id, settles_at_ms
        ) o on true
        order by b.number`,
      values: [LOOK_FOR_OPENING_MS, OPENING_BATCHES],
    });
    if (rows.length === 0) return { voided: 0, isMore: false };
    const logTimeMs = Number(rows[0]?.log_time_ms);
    const groups = rows.filter((row) => row.product_id !== null).map(readGroup);
    const openings = await readOpenings({ ...parts, db: client }, groups, logTimeMs);
    const undecided = groups.find((group) => openings.get(groupKey(group))?.state === 'pending');
    const isDone = (batch: number) => !undecided || batch < undecided.batch;
    const voided = await lockVoidOrders(client, groups, openings, isDone);
    if (voided.length > 0) await writeSettlements(client, voided, logTimeMs);
    const batches = [...new Set(rows.map((row) => Number(row.number)))];
    const last = batches.findLast(isDone);
    // Another engine may have come further meanwhile.
    if (last !== undefined)
      await client.query('update settlement_head set opened_batch = greatest(opened_batch, $1)', [last]);
    return { voided: voided.length, isMore: !undecided && batches.length === OPENING_BATCHES };
  });
}

/** Moves the mark below which everything is settled, so that the next look starts there. */
export async function advanceSettlementHead(pool: Pool): Promise<void> {
  await pool.query({ name: 'advance-settlement', text: 'select orders_advance_settlement()' });
}

interface Decided {
  readonly verdict: Verdict;
  readonly open: Ticked | null;
  readonly settle: Ticked | null;
}

function decide(
  order: OpeningGroup,
  opening: IndexedOpening | undefined,
  settleTick: Ticked | undefined,
  settleBoundMs: number,
): Decided {
  if (!opening || opening.state === 'pending')
    throw new Error(`an order of batch ${order.batch} is due but not decided`);
  if (opening.state === 'void') return { verdict: voidVerdict(opening.reason), open: null, settle: null };
  if (!settleTick) throw new Error(`an order of batch ${order.batch} opened but has no settlement tick`);
  const open = { index: opening.index as number, timeMs: opening.tick.timeMs, price: opening.tick.price };
  const verdict = decideSettlement({
    openPrice: open.price,
    settleTick,
    settlesAtMs: order.settlesAtMs,
    settleBoundMs,
  });
  return { verdict, open, settle: settleTick };
}

function outcomeOf(order: LockedOrder, { verdict, open, settle }: Decided): SettledOrder {
  const { result, voidReason } = verdict[order.direction];
  return { id: order.id, result, credited: creditedAmount(result, order), voidReason, open, settle };
}

function groupsOf(orders: readonly OpeningGroup[]): OpeningGroup[] {
  return [...new Map(orders.map((order) => [groupKey(order), order])).values()];
}

/** The product's last tick at or before the settlement time, for each group that opened; by {@link groupKey}. */
async function readSettleTicks(
  client: Client,
  orders: readonly OpeningGroup[],
  openings: ReadonlyMap<string, IndexedOpening>,
): Promise<ReadonlyMap<string, Ticked>> {
  const opened = groupsOf(orders).filter((group) => openings.get(groupKey(group))?.state === 'open');
  // Groups of one product and second share the tick, whatever they opened at.
  const seconds = new Map<string, { productId: number; settlesAtMs: number; fromIndex: number }>();
  for (const group of opened) {
    const key = `${group.productId}:${group.settlesAtMs}`;
    const fromIndex = openings.get(groupKey(group))?.index as number;
    const known = seconds.get(key);
    if (!known || fromIndex < known.fromIndex) seconds.set(key, { ...group, fromIndex });
  }
  const wanted = [...seconds.values()];
  const { rows } = await client.query<{ place: string; index: string; time_ms: string; price: string }>({
    name: 'settle-ticks',
    text: `select w.place, t.* from unnest($1::smallint[], $2::bigint[], $3::bigint[]) with ordinality
        as w (product_id, settles_at_ms, from_index, place)
      cross join lateral (
        select index, time_ms, price from log_entries l
        where l.product_id = w.product_id and l.kind <= 3 and l.kind <> 3 and l.time_ms <= w.settles_at_ms
          and l.index >= w.from_index
        order by l.time_ms desc limit 1
      ) t`,
    values: [
      wanted.map((row) => row.productId),
      wanted.map((row) => row.settlesAtMs),
      wanted.map((row) => row.fromIndex),
    ],
  });
  const bySecond = new Map<string, Ticked>();
  for (const row of rows) {
    const { productId, settlesAtMs } = wanted[Number(row.place) - 1] as (typeof wanted)[number];
    const tick = { index: Number(row.index), timeMs: Number(row.time_ms), price: points(BigInt(row.price)) };
    bySecond.set(`${productId}:${settlesAtMs}`, tick);
  }
  const ticks = new Map<string, Ticked>();
  for (const group of opened) {
    const tick = bySecond.get(`${group.productId}:${group.settlesAtMs}`);
    if (tick) ticks.set(groupKey(group), tick);
  }
  return ticks;
}

type GroupRow = {
  number: string;
  accepted_at_ms: string;
  product_id: number | null;
  rules_id: string | null;
  settles_at_ms: string | null;
};

function readGroup(row: GroupRow): OpeningGroup {
  return {
    batch: Number(row.number),
    productId: row.product_id as number,
    rulesId: Number(row.rules_id),
    acceptedAtMs: Number(row.accepted_at_ms),
    settlesAtMs: Number(row.settles_at_ms),
  };
}

async function lockVoidOrders(
  client: Client,
  groups: readonly OpeningGroup[],
  openings: ReadonlyMap<string, IndexedOpening>,
  isDone: (batch: number) => boolean,
): Promise<SettledOrder[]> {
  const dead = groups.filter(
    (group) => isDone(group.batch) && openings.get(groupKey(group))?.state === 'void',
  );
  if (dead.length === 0) return [];
  const { rows } = await client.query<OrderRow>(
    `select ${ORDER_COLUMNS} from orders o
     join unnest($1::bigint[], $2::smallint[], $3::bigint[]) as d (batch, dead_product, dead_settles)
       on o.id >= d.batch * ${ORDERS_PER_BATCH} and o.id < (d.batch + 1) * ${ORDERS_PER_BATCH}
       and o.product_id = d.dead_product and o.settles_at_ms = d.dead_settles
     where o.settled_at_ms is null for update of o`,
    [
      dead.map((group) => group.batch),
      dead.map((group) => group.productId),
      dead.map((group) => group.settlesAtMs),
    ],
  );
  return rows.map((row) => {
    const order = readOrder(row);
    return outcomeOf(order, decide(order, openings.get(groupKey(order)), undefined, 0));
  });
}

function readOrder(row: OrderRow): LockedOrder {
  const id = Number(row.id);
  return {
    id,
    batch: batchOf(id),
    productId: row.product_id,
    rulesId: Number(row.rules_id),
    acceptedAtMs: Number(row.accepted_at_ms),
    settlesAtMs: Number(row.settles_at_ms),
    direction: row.direction === 1 ? 'up' : 'down',
    stake: minor(BigInt(row.stake)),
    income: minor(BigInt(row.income)),
  };
}

const RESULT_CODE: Readonly<Record<Result, number>> = { profit: 1, loss: -1, none: 0 };

async function writeSettlements(
  client: Client,
  settled: readonly SettledOrder[],
  logTimeMs: number,
): Promise<void> {
  const ids = settled.map((order) => order.id);
  const hash = createHash('sha256')
    .update(JSON.stringify(settled.map((order) => [order.id, order.result, String(order.credited)])))
    .digest();
  await client.query({
    name: 'orders-settle',
    text: `select orders_settle($1, $2::bytea, $3::bigint, $4::bigint[], $5::smallint[], $6::bigint[], $7::text[],
      $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[])`,
    values: [
      `settle:${ids[0]}:${hash.toString('hex')}`,
      hash,
      logTimeMs,
      ids,
      settled.map((order) => RESULT_CODE[order.result]),
      settled.map((order) => order.credited),
      settled.map((order) => order.voidReason),
      settled.map((order) => order.open?.index ?? null),
      settled.map((order) => order.open?.timeMs ?? null),
      settled.map((order) => order.open?.price ?? null),
      settled.map((order) => order.settle?.index ?? null),
      settled.map((order) => order.settle?.timeMs ?? null),
      settled.map((order) => order.settle?.price ?? null),
    ],
  });
}
