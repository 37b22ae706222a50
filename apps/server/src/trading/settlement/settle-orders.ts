import { createHash } from 'node:crypto';
import { points } from '@fairtick/money';
import {
  boundsOf,
  decideSettlement,
  openingWorth,
  type Result,
  settlementWorth,
  type Verdict,
  VOID_REASONS,
  voidVerdict,
  type Worth,
} from '@fairtick/trading';
import type { LogReader } from '../../market/log/log-reader.ts';
import type { RuleBook } from '../../market/rule-book.ts';
import { array, type Client, type Pool, transaction } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { groupKey, type IndexedOpening, type OpeningGroup, readOpenings } from './openings.ts';

/** How many orders one transaction settles: it holds its locks for less than a tenth of a second. */
export const SETTLE_CHUNK = 2_000;
/** Openings are looked up this long after acceptance, when most orders have opened. */
const LOOK_FOR_OPENING_MS = 5_000;
/** Batches judged in one transaction, and rounds of that before the orders that are due are settled. */
const OPENING_BATCHES = 16;
/** An opening that is undecided this long after the acceptance, later than any window, is left to the settlement: it holds up no others. */
const LEAVE_AFTER_MS = 80_000;
const OPENING_ROUNDS = 64;

export interface SettlementParts {
  readonly pool: Pool;
  readonly reader: LogReader;
  readonly rules: RuleBook;
}

/** A tick that decides, and the price that each direction gets of it. */
interface Ticked {
  readonly index: number;
  readonly timeMs: number;
  readonly worth: Worth;
}

/** Orders to settle, grouped by verdict. */
interface Chunk {
  /** PostgreSQL arrays of equal length: the orders' ids, and the 1-based index of each one's group. */
  readonly ids: string;
  readonly places: string;
  readonly groups: readonly OpeningGroup[];
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
 * Settles one chunk of the orders that are due: those whose batch is logged and whose product has an entry at or after the settlement
 * time, so that no earlier one can follow. All in one transaction; rows that another process has locked are skipped.
 * @returns how many were settled (fewer than the limit when none are left), and where the next chunk starts
 */
export async function settleDueOrders(
  parts: SettlementParts,
  options: { limit?: number; lane?: Lane; from?: SettlementPlace } = {},
): Promise<{ settled: number; next: SettlementPlace }> {
  const { limit = SETTLE_CHUNK, lane = { number: 0, count: 1 }, from = FROM_THE_MARK } = options;
  return transaction(parts.pool, async (client) => {
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
    const chunk = {
      ids: row.ids,
      places: row.places,
      groups: row.groups.map(readGroup),
      logTimeMs: Number(row.log_time_ms),
    };
    const openings = await readOpenings({ ...parts, db: client }, chunk.groups);
    const settleTicks = await readSettleTicks(client, chunk.groups, openings);
    const decided = chunk.groups.map((group) =>
      decide(group, openings.get(groupKey(group)), settleTicks.get(groupKey(group))),
    );
    await writeSettlements(client, chunk, decided);
    const settled = row.ids.split(',').length;
    return { settled, next: { settlesAtMs: Number(row.next_ms), productId: row.next_product } };
  });
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
  /** Batch, product, rules, opening time, settlement time; null when no order is due. */
  groups: [number, number, number, number, number][] | null;
  next_ms: string;
  next_product: number;
};

function readGroup([batch, productId, rulesId, opensAtMs, settlesAtMs]: [
  number,
  number,
  number,
  number,
  number,
]): OpeningGroup {
  return { batch, productId, rulesId, opensAtMs, settlesAtMs };
}

/**
 * Voids orders that can no longer open, without waiting for their settlement time: goes through the batches in order and stops at
 * the first that has an undecided opening. It waits for no opening longer than {@link LEAVE_AFTER_MS}.
 * @param onRound runs between two rounds, so that the lease is renewed during a long catch-up
 * @returns how many orders were void
 */
export async function voidUnopenedOrders(
  parts: SettlementParts,
  onRound: () => Promise<unknown> = async () => {},
): Promise<number> {
  let voided = 0;
  for (let round = 0; round < OPENING_ROUNDS; round += 1) {
    const judged = await judgeOpenings(parts);
    voided += judged.voided;
    if (!judged.isMore) break;
    await onRound();
  }
  return voided;
}

/** Judges the next batches. `isMore` when all of them are decided and their number is the limit of one look. */
async function judgeOpenings(parts: SettlementParts): Promise<{ voided: number; isMore: boolean }> {
  return transaction(parts.pool, async (client) => {
    const { rows } = await client.query<GroupRow & { log_time_ms: string }>({
      name: 'unopened-groups',
      text: `select b.number, b.accepted_at_ms, o.product_id, o.rules_id, o.opens_at_ms, o.settles_at_ms, h.time_ms as log_time_ms
        from log_head h, settlement_head s, lateral (
          select number, accepted_at_ms from order_batches
          where number > s.opened_batch and accepted_at_ms + $1 < h.time_ms order by number limit $2
        ) b
        left join lateral (
          select product_id, rules_id, opens_at_ms, settles_at_ms from orders
          where id >= first_order(b.number) and id < first_order(b.number + 1) and settled_at_ms is null
          group by product_id, rules_id, opens_at_ms, settles_at_ms
        ) o on true
        order by b.number`,
      values: [LOOK_FOR_OPENING_MS, OPENING_BATCHES],
    });
    if (rows.length === 0) return { voided: 0, isMore: false };
    const logTimeMs = Number(rows[0]?.log_time_ms);
    const groups = rows.filter((row) => row.product_id !== null).map(readUnopenedGroup);
    const openings = await readOpenings({ ...parts, db: client }, groups);
    const accepted = new Map(rows.map((row) => [Number(row.number), Number(row.accepted_at_ms)]));
    const acceptedMs = (batch: number) => accepted.get(batch) as number;
    const undecided = groups.find(
      (group) =>
        openings.get(groupKey(group))?.state === 'pending' &&
        logTimeMs < acceptedMs(group.batch) + LEAVE_AFTER_MS,
    );
    const isDone = (batch: number) => !undecided || batch < undecided.batch;
    const dead = groups.filter(
      (group) => isDone(group.batch) && openings.get(groupKey(group))?.state === 'void',
    );
    const voided = await voidGroups(client, dead, openings, logTimeMs);
    const batches = [...new Set(rows.map((row) => Number(row.number)))];
    const last = batches.findLast(isDone);
    // `greatest`, because another engine may have moved the mark further meanwhile.
    if (last !== undefined)
      await client.query('update settlement_head set opened_batch = greatest(opened_batch, $1)', [last]);
    return { voided, isMore: !undecided && batches.length === OPENING_BATCHES };
  });
}

/** Moves the mark below which all orders are settled; the next look starts there. */
export async function advanceSettlementHead(pool: Pool): Promise<void> {
  await pool.query({ name: 'advance-settlement', text: 'select orders_advance_settlement()' });
}

interface Decided {
  readonly verdict: Verdict;
  readonly open: Ticked | null;
  readonly settle: Ticked | null;
}

function decide(
  group: OpeningGroup,
  opening: IndexedOpening | undefined,
  settleTick: Ticked | undefined,
): Decided {
  if (!opening || opening.state === 'pending')
    throw new Error(`an order of batch ${group.batch} is due but not decided`);
  if (opening.state === 'void') return { verdict: voidVerdict(opening.reason), open: null, settle: null };
  const { index, tick } = opening;
  const open = { index: index as number, timeMs: tick.timeMs, worth: openingWorth(boundsOf(tick)) };
  const settle = settleTick ?? null;
  const verdict = decideSettlement({ open: open.worth, settle: settle?.worth ?? null });
  return { verdict, open, settle };
}

/** The product's current tick of exactly the settlement time, for each group that opened and has one; by {@link groupKey}. */
async function readSettleTicks(
  client: Client,
  groups: readonly OpeningGroup[],
  openings: ReadonlyMap<string, IndexedOpening>,
): Promise<ReadonlyMap<string, Ticked>> {
  const opened = groups.filter((group) => openings.get(groupKey(group))?.state === 'open');
  // Groups of one product and settlement time share the tick, wherever they opened.
  const seconds = new Map<string, { productId: number; settlesAtMs: number; fromIndex: number }>();
  for (const group of opened) {
    const key = `${group.productId}:${group.settlesAtMs}`;
    const fromIndex = openings.get(groupKey(group))?.index as number;
    const known = seconds.get(key);
    if (!known || fromIndex < known.fromIndex) seconds.set(key, { ...group, fromIndex });
  }
  const wanted = [...seconds.values()];
  const { rows } = await client.query<{ place: string; index: string; low: string; high: string }>({
    name: 'settle-ticks',
    text: `select w.place, t.* from unnest($1::smallint[], $2::bigint[], $3::bigint[]) with ordinality
        as w (product_id, settles_at_ms, from_index, place)
      cross join lateral (
        select index, coalesce(low, price) as low, coalesce(high, price) as high from log_entries l
        where l.product_id = w.product_id and l.kind = log_kind('tick') and l.time_ms = w.settles_at_ms and l.is_current
          and l.index >= w.from_index
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
    const worth = settlementWorth({ low: points(BigInt(row.low)), high: points(BigInt(row.high)) });
    const tick = { index: Number(row.index), timeMs: settlesAtMs, worth };
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
  opens_at_ms: string | null;
  settles_at_ms: string | null;
};

function readUnopenedGroup(row: GroupRow): OpeningGroup {
  return {
    batch: Number(row.number),
    productId: row.product_id as number,
    rulesId: Number(row.rules_id),
    opensAtMs: Number(row.opens_at_ms),
    settlesAtMs: Number(row.settles_at_ms),
  };
}

/** Voids the orders of these groups; their rows are locked before they are counted. */
async function voidGroups(
  client: Client,
  groups: readonly OpeningGroup[],
  openings: ReadonlyMap<string, IndexedOpening>,
  logTimeMs: number,
): Promise<number> {
  if (groups.length === 0) return 0;
  const { rows } = await client.query<{ id: string; place: number }>(
    `select o.id, d.place::int from orders o
     join unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[]) with ordinality
         as d (batch, dead_product, dead_opens, dead_settles, place)
       on o.id >= first_order(d.batch) and o.id < first_order(d.batch + 1)
       and o.product_id = d.dead_product and o.opens_at_ms = d.dead_opens and o.settles_at_ms = d.dead_settles
     where o.settled_at_ms is null for update of o`,
    [
      groups.map((group) => group.batch),
      groups.map((group) => group.productId),
      groups.map((group) => group.opensAtMs),
      groups.map((group) => group.settlesAtMs),
    ],
  );
  if (rows.length === 0) return 0;
  const chunk = {
    ids: array(rows.map((row) => row.id)),
    places: array(rows.map((row) => row.place)),
    groups,
    logTimeMs,
  };
  const decided = groups.map((group) => decide(group, openings.get(groupKey(group)), undefined));
  await writeSettlements(client, chunk, decided);
  return rows.length;
}

const RESULT_CODE: Readonly<Record<Result, number>> = { profit: 1, loss: -1, none: 0 };

/** Down before up, the order that orders_settle expects. */
const directions = <T>({ verdict }: Decided, read: (outcome: Verdict['up']) => T): T[] => [
  read(verdict.down),
  read(verdict.up),
];

const pricesOf = (tick: Ticked | null): (bigint | -1)[] => [tick?.worth.down ?? -1, tick?.worth.up ?? -1];

async function writeSettlements(client: Client, chunk: Chunk, decided: readonly Decided[]): Promise<void> {
  const { ids, places } = chunk;
  const outcomes = {
    results: array(decided.flatMap((each) => directions(each, ({ result }) => RESULT_CODE[result]))),
    voids: array(
      decided.flatMap((each) =>
        directions(each, ({ voidReason }) =>
          voidReason === null ? 0 : VOID_REASONS.indexOf(voidReason) + 1,
        ),
      ),
    ),
    openIndexes: array(decided.map(({ open }) => open?.index ?? -1)),
    openTimes: array(decided.map(({ open }) => open?.timeMs ?? -1)),
    openPrices: array(decided.flatMap(({ open }) => pricesOf(open))),
    settleIndexes: array(decided.map(({ settle }) => settle?.index ?? -1)),
    settleTimes: array(decided.map(({ settle }) => settle?.timeMs ?? -1)),
    settlePrices: array(decided.flatMap(({ settle }) => pricesOf(settle))),
  };
  const hash = createHash('sha256')
    .update([ids, places, ...Object.values(outcomes)].join(' '))
    .digest();
  await client.query(SETTLE.with({ hash, nowMs: chunk.logTimeMs, ids, places, ...outcomes }));
}

const SETTLE = new NamedCall('orders_settle', {
  hash: 'bytea',
  nowMs: 'bigint',
  ids: 'bigint[]',
  places: 'int[]',
  results: 'smallint[]',
  voids: 'smallint[]',
  openIndexes: 'bigint[]',
  openTimes: 'bigint[]',
  openPrices: 'bigint[]',
  settleIndexes: 'bigint[]',
  settleTimes: 'bigint[]',
  settlePrices: 'bigint[]',
});
