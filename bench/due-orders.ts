import { setTimeout as sleep } from 'node:timers/promises';
import { MIN_DELAY_MS } from '@fairtick/trading';
import { type BenchHouse, DEMO } from './house.ts';

const BATCH = 1024;
const CYCLE_MS = 60_000;

/**
 * Inserts `count` orders that are all due in one second of the near past: batches of 1 024, accepted within one second a minute
 * earlier, carried by entries of the real log, spread over all customers and open products, with their stakes held and posted.
 * The rows are those of placement, written by one statement per table.
 */
export async function makeDueOrders(house: BenchHouse, count: number): Promise<void> {
  const settlesAtMs = await aSecondLongLogged(house);
  const client = await house.owner.connect();
  try {
    await client.query('begin');
    await client.query('lock table log_head, placement_head in exclusive mode');
    const { rows } = await client.query<{ first: string }>('select next_batch as first from placement_head');
    const first = Number(rows[0]?.first);
    const batches = Math.ceil(count / BATCH);
    for (const [text, values] of statements({ first, batches, count, settlesAtMs }))
      await client.query(text, values);
    await client.query('commit');
  } finally {
    client.release();
  }
  await house.owner.query('vacuum analyze orders, ledger.balances, ledger.postings, order_batches');
}

/** Waits until the log covers the last minute and a few seconds, and returns a second that has passed. */
async function aSecondLongLogged(house: BenchHouse): Promise<number> {
  for (;;) {
    const { rows } = await house.owner.query<{ first_ms: string; time_ms: string }>(
      `select (select max(orders_from_ms) from product_states where gap_reason is null) as first_ms, time_ms from log_head`,
    );
    const settlesAtMs = Math.floor((Number(rows[0]?.time_ms) - 2_000) / 1000) * 1000;
    if (settlesAtMs - CYCLE_MS > Number(rows[0]?.first_ms)) return settlesAtMs;
    await sleep(500);
  }
}

type Statement = readonly [string, unknown[]];

function statements(fill: {
  first: number;
  batches: number;
  count: number;
  settlesAtMs: number;
}): Statement[] {
  const { first, batches, count, settlesAtMs } = fill;
  const acceptedMs = settlesAtMs - CYCLE_MS - MIN_DELAY_MS - 999;
  return [
    [
      `insert into order_batches (number, accepted_at_ms, log_size, log_root, accepted, root, leaves, signed)
       select $1::bigint + i, $2::bigint + i * 999 / $3::int, 0, sha256(''), $4::int, sha256(i::text::bytea),
         decode(repeat('00', $4::int * 32), 'hex'), '' from generate_series(0, $3::int - 1) i`,
      [first, acceptedMs, batches, BATCH],
    ],
    [
      `insert into logged_batches (first_batch, last_batch, entry_index, time_ms)
       select b.number, b.number, l.index, l.time_ms from order_batches b cross join lateral (
         select index, time_ms from log_entries where time_ms >= b.accepted_at_ms order by index limit 1
       ) l where b.number >= $1`,
      [first],
    ],
    [
      `insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, stake, income, rules_id,
         payout_rate_bps, product_id, asset_id, minutes, direction)
       select b.number * ${BATCH} + i, 1000 + floor(random() * c.customers), sha256((b.number * ${BATCH} + i)::text::bytea),
         sha256(''), b.accepted_at_ms, $2::bigint - ${CYCLE_MS}, $2::bigint, 10000000, 8000000, p.rules_id, 8000, p.product_id, ${DEMO}, 1,
         case when random() < 0.5 then 1 else -1 end
       from order_batches b cross join generate_series(0, ${BATCH} - 1) i
       cross join (select count(*) as customers from customers) c
       cross join lateral (select (b.number * 31 + i * 17) % count(*) as pick from product_states where gap_reason is null and orders_from_ms is not null) o
       join (select product_id, rules_id, row_number() over () - 1 as place from product_states
             where gap_reason is null and orders_from_ms is not null) p on p.place = o.pick
       where b.number >= $1 and (b.number - $1) * ${BATCH} + i < $3`,
      [first, settlesAtMs, count],
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
    ['update promised_income set amount = amount + $1::bigint * 8000000 where asset_id = $2', [count, DEMO]],
    ['update placement_head set next_batch = $1', [first + batches]],
    ['update log_head set last_batch = $1', [first + batches - 1]],
  ];
}
