import { setTimeout as sleep } from 'node:timers/promises';
import { MIN_DELAY_MS } from '@fairtick/trading';
import { type BenchHouse, DEMO } from './house.ts';

const BATCH = 1024;
const CYCLE_MS = 60_000;
/** Batches are accepted within this time, so that all of their orders, of one cycle, settle in one second. */
const ACCEPTED_WITHIN_MS = 999;

/** Ids of orders that were inserted together: from the first one on, and below `endId`. */
export interface DueOrders {
  readonly firstId: number;
  readonly endId: number;
  readonly count: number;
}

/**
 * Inserts `count` orders that are all due in one second of the near past: batches of 1 024, accepted within one second a minute
 * earlier, with the earliest opening times that the rules allow, carried by entries of the real log, spread over all customers and
 * the products that had prices all the time, with their stakes held and posted. The rows are those of placement, written by one
 * statement per table.
 */
export async function makeDueOrders(house: BenchHouse, count: number): Promise<DueOrders> {
  const settlesAtMs = await aSecondLongLogged(house);
  const batches = Math.ceil(count / BATCH);
  let first = 0;
  // The writer remembers the last batch that it logged, and a batch is logged by the feed or by this, never by both.
  await house.withoutFeed(async () => {
    const client = await house.owner.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query<{ first: string }>(
        'select next_batch as first from placement_head for update',
      );
      first = Number(rows[0]?.first);
      for (const [text, values] of statements({ first, batches, count, settlesAtMs }))
        await client.query(text, values);
      await client.query('commit');
    } finally {
      client.release();
    }
    await house.owner.query('vacuum analyze orders, ledger.balances, ledger.postings, order_batches');
  });
  // The feed writes the prices of their seconds.
  for (;;) {
    const { rows } = await house.owner.query('select from fixes_due limit 1');
    if (rows.length === 0) break;
    await sleep(250);
  }
  return { firstId: first * BATCH, endId: (first + batches) * BATCH, count };
}

/**
 * Waits until the log covers a whole cycle of ten products above the mark of settlement and carries all batches, and returns the
 * second in which the cycle ended.
 */
async function aSecondLongLogged(house: BenchHouse): Promise<number> {
  for (;;) {
    const { rows } = await house.owner.query<{ settles_at_ms: string; products: number }>(
      `select settles_at_ms, (select count(*)::int from product_states
         where gap_reason is null and orders_from_ms <= settles_at_ms - $1::bigint) as products
       from log_head h, settlement_head s, placement_head p, lateral (select (h.time_ms - 2000) / 1000 * 1000 as settles_at_ms) t
       where settles_at_ms >= s.settled_before_ms and h.last_batch = p.next_batch - 1`,
      [CYCLE_MS + MIN_DELAY_MS + ACCEPTED_WITHIN_MS],
    );
    const [row] = rows;
    if (row && row.products >= 10) return Number(row.settles_at_ms);
    await sleep(500);
  }
}

/** Entries of the log around the time of acceptance. */
const NEAR = `select index, time_ms from log_entries where time_ms between $2::bigint - 5000 and $2::bigint + 5000`;

type Statement = readonly [string, unknown[]];

function statements(fill: {
  first: number;
  batches: number;
  count: number;
  settlesAtMs: number;
}): Statement[] {
  const { first, batches, count, settlesAtMs } = fill;
  const acceptedMs = settlesAtMs - CYCLE_MS - MIN_DELAY_MS - ACCEPTED_WITHIN_MS;
  const acceptedOf = (batch: string) => `least(${BATCH}, $4::int - (${batch}) * ${BATCH})`;
  return [
    [
      `insert into order_batches (number, accepted_at_ms, log_size, log_root, accepted, root, leaves, signed)
       with near as materialized (${NEAR})
       select $1::bigint + i, a.at_ms, l.index + 1, sha256(''), ${acceptedOf('i')}, sha256(i::text::bytea),
         decode(repeat('00', ${acceptedOf('i')} * 32), 'hex'), ''
       from generate_series(0, $3::int - 1) i
       cross join lateral (select $2::bigint + i * ${ACCEPTED_WITHIN_MS} / $3::int as at_ms) a
       cross join lateral (select index from near where time_ms <= a.at_ms order by index desc limit 1) l`,
      [first, acceptedMs, batches, count],
    ],
    [
      `insert into logged_batches (first_batch, last_batch, entry_index, time_ms)
       with near as materialized (${NEAR})
       select b.number, b.number, l.index, l.time_ms from order_batches b cross join lateral (
         select index, time_ms from near where index >= b.log_size and time_ms >= b.accepted_at_ms order by index limit 1
       ) l where b.number >= $1`,
      [first, acceptedMs],
    ],
    [
      `insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, stake, income, rules_id,
         payout_rate_bps, product_id, asset_id, minutes, direction)
       with open as materialized (
         select product_id, rules_id, row_number() over (order by product_id) - 1 as place from product_states
         where gap_reason is null and orders_from_ms <= $2::bigint
       )
       select b.number * ${BATCH} + i, 1000 + floor(random() * c.customers), int8send(b.number * ${BATCH} + i),
         int8send(0), b.accepted_at_ms, o.opens_at_ms, o.opens_at_ms + 60000, 10000000, 8000000, p.rules_id, 8000,
         p.product_id, ${DEMO}, 1, case when random() < 0.5 then 1 else -1 end
       from order_batches b cross join generate_series(0, ${BATCH} - 1) i
       cross join (select count(*) as customers from customers) c
       cross join lateral (select (b.accepted_at_ms + ${MIN_DELAY_MS} + 999) / 1000 * 1000 as opens_at_ms) o
       join open p on p.place = (b.number * 31 + i * 17) % (select count(*) from open)
       where b.number >= $1 and i < b.accepted`,
      [first, acceptedMs],
    ],
    [
      `with held as (
         insert into ledger.transfers (idempotency_key, input_hash, kind) values ('held ' || $1, sha256(''), 'reserve') returning id
       )
       insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
       select held.id, o.customer_id, o.asset_id, o.customer_id * 4, o.customer_id * 4 + 1, o.stake,
         b.available - sum(o.stake) over (partition by o.customer_id order by o.id), o.id
       from held, orders o join ledger.balances b on b.owner_id = o.customer_id and b.asset_id = o.asset_id
       where o.id >= $1::bigint * ${BATCH}`,
      [first],
    ],
    [
      `update ledger.balances b set available = available - o.stake, held = held + o.stake
       from (select customer_id, sum(stake)::bigint as stake from orders where id >= $1::bigint * ${BATCH} group by 1) o
       where b.owner_id = o.customer_id and b.asset_id = ${DEMO}`,
      [first],
    ],
    [
      `insert into fixes_due (product_id, fix_ms)
       select distinct product_id, unnest(array[opens_at_ms, settles_at_ms]) from orders where id >= $1::bigint * ${BATCH}`,
      [first],
    ],
    ['update promised_income set amount = amount + $1::bigint * 8000000 where asset_id = $2', [count, DEMO]],
    ['update placement_head set next_batch = $1', [first + batches]],
    ['update log_head set last_batch = $1', [first + batches - 1]],
  ];
}
