import { createHash } from 'node:crypto';
import { type Direction, type Result, VOID_REASONS } from '@fairtick/trading';
import { array, type Client, type Pool, transaction } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { traced } from '../../platform/tracing.ts';
import {
  decideGroup,
  type LoggedFacts,
  type OrderGroup,
  type Outcome,
  openingOf,
  readFacts,
} from './logged-facts.ts';

/** How many orders one transaction settles: it holds its locks for less than a tenth of a second. */
export const SETTLE_CHUNK = 2_000;
/** Openings are looked up this long after acceptance, when most orders have opened. */
const LOOK_FOR_OPENING_MS = 5_000;
/** Batches judged in one transaction, and rounds of that before the orders that are due are settled. */
const OPENING_BATCHES = 16;
/** An opening that is undecided this long after the acceptance is left to the settlement: it holds up no others. */
const LEAVE_AFTER_MS = 80_000;
const OPENING_ROUNDS = 64;

/** Orders to settle, grouped by outcome. */
interface Chunk {
  /** PostgreSQL arrays of equal length: the orders' ids, and the 1-based index of each one's group. */
  readonly ids: string;
  readonly places: string;
  readonly groups: readonly OrderGroup[];
  readonly logTimeMs: number;
}

/** Every `count`th customer's orders, beginning with customer `number`: two lanes never lock the same balance. */
export interface Lane {
  readonly number: number;
  readonly count: number;
}

/** The end of a chunk: the next one starts from this settlement time and product. */
export interface SettlementPlace {
  readonly settlesAtMs: number;
  readonly productId: number;
}

export const FROM_THE_MARK: SettlementPlace = { settlesAtMs: 0, productId: 0 };

/**
 * Settles one chunk of the orders that are due (orders_due), all in one transaction; none while another transaction settles the lane.
 * @returns how many were settled (fewer than the limit when none are left), and where the next chunk starts
 */
export async function settleDueOrders(
  pool: Pool,
  options: { limit?: number; lane?: Lane; from?: SettlementPlace } = {},
): Promise<{ settled: number; next: SettlementPlace }> {
  const { limit = SETTLE_CHUNK, lane = { number: 0, count: 1 }, from = FROM_THE_MARK } = options;
  return traced('settle orders', { lane: lane.number }, () =>
    transaction(pool, async (client) => {
      const { rows } = await client.query<DueRow>(
        DUE.with({
          limit,
          lane: lane.number,
          lanes: lane.count,
          fromMs: from.settlesAtMs,
          fromProduct: from.productId,
        }),
      );
      const row = rows[0];
      if (!row?.groups) return { settled: 0, next: FROM_THE_MARK };
      await settleGroups(client, {
        ids: row.ids,
        places: row.places,
        groups: row.groups.map(readGroup),
        logTimeMs: Number(row.log_time_ms),
      });
      const settled = row.ids.split(',').length;
      return { settled, next: { settlesAtMs: Number(row.next_ms), productId: row.next_product } };
    }),
  );
}

const DUE = new NamedCall('orders_due', {
  limit: 'int',
  lane: 'int',
  lanes: 'int',
  fromMs: 'bigint',
  fromProduct: 'smallint',
});

type DueRow = {
  log_time_ms: string;
  ids: string;
  places: string;
  /** Batch, product, opening time, settlement time; null when no order is due. */
  groups: [number, number, number, number][] | null;
  next_ms: string;
  next_product: number;
};

const readGroup = ([batch, productId, opensAtMs, settlesAtMs]: [
  number,
  number,
  number,
  number,
]): OrderGroup => ({ batch, productId, opensAtMs, settlesAtMs });

/**
 * Voids orders that can no longer open, without waiting for their settlement time: goes through the batches in order and stops at
 * the first that has an undecided opening. It waits for no opening longer than {@link LEAVE_AFTER_MS}.
 * @param onRound runs between two rounds, so that the lease is renewed during a long catch-up
 * @returns how many orders were void
 */
export async function voidUnopenedOrders(
  pool: Pool,
  onRound: () => Promise<unknown> = async () => {},
): Promise<number> {
  let voided = 0;
  for (let round = 0; round < OPENING_ROUNDS; round += 1) {
    const judged = await judgeOpenings(pool);
    voided += judged.voided;
    if (!judged.isMore) break;
    await onRound();
  }
  return voided;
}

/** Judges the next batches. `isMore` when all of them are decided and their number is the limit of one look. */
async function judgeOpenings(pool: Pool): Promise<{ voided: number; isMore: boolean }> {
  return transaction(pool, async (client) => {
    await client.query('select settlement_lanes_lock()');
    const { rows } = await client.query<GroupRow & { log_time_ms: string }>({
      name: 'unopened-groups',
      text: `select b.number, b.accepted_at_ms, o.product_id, o.opens_at_ms, o.settles_at_ms, h.time_ms as log_time_ms
        from log_head h, settlement_head s, lateral (
          select number, accepted_at_ms from order_batches
          where number > s.opened_batch and accepted_at_ms + $1 < h.time_ms order by number limit $2
        ) b
        left join lateral (
          select product_id, opens_at_ms, settles_at_ms from orders_and_results
          where id >= first_order(b.number) and id < first_order(b.number + 1) and settled_at_ms is null
          group by product_id, opens_at_ms, settles_at_ms
        ) o on true
        order by b.number`,
      values: [LOOK_FOR_OPENING_MS, OPENING_BATCHES],
    });
    if (rows.length === 0) return { voided: 0, isMore: false };
    const logTimeMs = Number(rows[0]?.log_time_ms);
    const unopened = rows.filter((row) => row.product_id !== null);
    const groups = unopened.map(readUnopenedGroup);
    const facts = await readFacts(client, groups);
    const openings = groups.map((group, at) => openingOf(facts[at] as LoggedFacts, group));
    const undecided = unopened.findIndex(
      (row, at) =>
        openings[at]?.state === 'pending' && logTimeMs < Number(row.accepted_at_ms) + LEAVE_AFTER_MS,
    );
    const endsAt = groups[undecided]?.batch ?? Number.POSITIVE_INFINITY;
    const dead = groups.filter((group, at) => group.batch < endsAt && openings[at]?.state === 'void');
    const voided = await voidGroups(client, dead, logTimeMs);
    const batches = [...new Set(rows.map((row) => Number(row.number)))];
    const last = batches.findLast((batch) => batch < endsAt);
    if (last !== undefined) await client.query('select orders_opened($1)', [last]);
    return { voided, isMore: undecided < 0 && batches.length === OPENING_BATCHES };
  });
}

/**
 * Pays customers what the closes of fixes add to their orders.
 * @returns how many orders were corrected
 */
export async function correctOrders(
  pool: Pool,
  onChunk: () => Promise<unknown> = async () => {},
): Promise<number> {
  let corrected = 0;
  for (;;) {
    const { rows } = await pool.query<{ orders: number | null }>({
      name: 'correct-orders',
      text: 'select orders_correct($1) as orders',
      values: [SETTLE_CHUNK],
    });
    const orders = rows[0]?.orders ?? null;
    if (orders === null) return corrected;
    corrected += orders;
    await onChunk();
  }
}

/** Moves the mark below which all orders are settled; the next look starts there. */
export async function advanceSettlementHead(pool: Pool): Promise<void> {
  await pool.query({ name: 'advance-settlement', text: 'select orders_advance_settlement()' });
}

type GroupRow = {
  number: string;
  accepted_at_ms: string;
  product_id: number | null;
  opens_at_ms: string | null;
  settles_at_ms: string | null;
};

function readUnopenedGroup(row: GroupRow): OrderGroup {
  return {
    batch: Number(row.number),
    productId: row.product_id as number,
    opensAtMs: Number(row.opens_at_ms),
    settlesAtMs: Number(row.settles_at_ms),
  };
}

/** Voids the orders of these groups. */
async function voidGroups(client: Client, groups: readonly OrderGroup[], logTimeMs: number): Promise<number> {
  if (groups.length === 0) return 0;
  const { rows } = await client.query<{ id: string; place: number }>(
    `select o.id, d.place::int from orders_and_results o
     join unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[]) with ordinality
         as d (batch, dead_product, dead_opens, dead_settles, place)
       on o.id >= first_order(d.batch) and o.id < first_order(d.batch + 1)
       and o.product_id = d.dead_product and o.opens_at_ms = d.dead_opens and o.settles_at_ms = d.dead_settles
     where o.settled_at_ms is null`,
    [
      groups.map((group) => group.batch),
      groups.map((group) => group.productId),
      groups.map((group) => group.opensAtMs),
      groups.map((group) => group.settlesAtMs),
    ],
  );
  if (rows.length === 0) return 0;
  const ids = array(rows.map((row) => row.id));
  const places = array(rows.map((row) => row.place));
  await settleGroups(client, { ids, places, groups, logTimeMs });
  return rows.length;
}

const RESULT_CODE: Readonly<Record<Result, number>> = { profit: 1, loss: -1, none: 0 };

async function settleGroups(client: Client, { ids, places, groups, logTimeMs }: Chunk): Promise<void> {
  const facts = await readFacts(client, groups);
  const decided = groups.map((group, at) => {
    const outcome = decideGroup(facts[at] as LoggedFacts, group, logTimeMs);
    if (!outcome) throw new Error(`an order of batch ${group.batch} is due but not decided`);
    return outcome;
  });
  // Down before up, the order that orders_settle expects.
  const each = (read: (outcome: Outcome, direction: Direction) => number | bigint): string =>
    array(decided.flatMap((outcome) => [read(outcome, 'down'), read(outcome, 'up')]));
  const outcomes = {
    results: each(({ verdict }, direction) => RESULT_CODE[verdict[direction].result]),
    voids: each(({ verdict }, direction) => {
      const { voidReason } = verdict[direction];
      return voidReason === null ? 0 : VOID_REASONS.indexOf(voidReason) + 1;
    }),
    openIndexes: each(({ prices }, direction) => prices[direction]?.open.index ?? -1),
    openPrices: each(({ prices }, direction) => prices[direction]?.open.price ?? -1),
    settleIndexes: each(({ prices }, direction) => prices[direction]?.settle.index ?? -1),
    settlePrices: each(({ prices }, direction) => prices[direction]?.settle.price ?? -1),
  };
  const hash = createHash('sha256')
    .update([ids, places, ...Object.values(outcomes)].join(' '))
    .digest();
  await client.query(SETTLE.with({ hash, nowMs: logTimeMs, ids, places, ...outcomes }));
}

const SETTLE = new NamedCall('orders_settle', {
  hash: 'bytea',
  nowMs: 'bigint',
  ids: 'bigint[]',
  places: 'int[]',
  results: 'smallint[]',
  voids: 'smallint[]',
  openIndexes: 'bigint[]',
  openPrices: 'bigint[]',
  settleIndexes: 'bigint[]',
  settlePrices: 'bigint[]',
});
