import type pg from 'pg';

/**
 * Products that lack a tick at a grid time (`docs/receipt-format.md`: four times a second) while they have an open order, from the
 * order's first possible opening to its settlement; one line each, at most twenty. An empty list means that there is no hole.
 */
export async function holesOfOrders(db: pg.Pool): Promise<string[]> {
  const { rows } = await db.query<{ fault: string }>(
    `select p.symbol || ' lacks ' || count(*) || ' ticks, first at ' || min(time_ms) as fault from (
       select distinct o.product_id, time_ms from orders o, generate_series(o.opens_at_ms, o.settles_at_ms, ${STEP_MS}) time_ms
       except select product_id, time_ms from log_entries where kind = log_kind('tick')
     ) missing join products p on p.id = product_id group by p.symbol order by p.symbol limit 20`,
  );
  return rows.map(({ fault }) => fault);
}

const STEP_MS = 250;
