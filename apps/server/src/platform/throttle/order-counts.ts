import type { Pool } from '../db/database.ts';

interface Waiting {
  readonly customerId: string;
  readonly resolve: (count: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Counts each customer's orders per second over all processes. Orders that arrive while a statement runs share the next one. */
export class OrderCounts {
  readonly #pool: Pool;
  #waiting: Waiting[] = [];
  #isCounting = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @returns the order's number within the current second, from 1 */
  add(customerId: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ customerId, resolve, reject });
      if (!this.#isCounting) void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    this.#isCounting = true;
    while (this.#waiting.length > 0) {
      const batch = Map.groupBy(this.#waiting, ({ customerId }) => customerId);
      this.#waiting = [];
      try {
        await this.#count(batch);
      } catch (error) {
        for (const waiting of [...batch.values()].flat()) waiting.reject(error);
      }
    }
    this.#isCounting = false;
  }

  async #count(batch: ReadonlyMap<string, readonly Waiting[]>): Promise<void> {
    const { rows } = await this.#pool.query<{ customer_id: string; orders: number }>({
      name: 'order-counts',
      text: COUNT,
      values: [[...batch.keys()], [...batch.values()].map((waiting) => waiting.length)],
    });
    for (const { customer_id: customerId, orders } of rows) {
      const waiting = batch.get(customerId) ?? [];
      const before = orders - waiting.length;
      for (const [place, { resolve }] of waiting.entries()) resolve(before + place + 1);
    }
  }
}

/** Rows are locked by customer id, so that two processes can't deadlock; then the clock is read. A second that began in the future counts as over. */
const COUNT = `
  insert into order_counts as c (customer_id, orders, since)
  select customer_id, orders, clock_timestamp() from unnest($1::bigint[], $2::int[]) as n (customer_id, orders)
  order by customer_id
  on conflict (customer_id) do update set (orders, since) = (
    select case when is_over then excluded.orders else c.orders + excluded.orders end, case when is_over then now else c.since end
    from (select clock_timestamp() as now) t
    cross join lateral (select now < c.since or now >= c.since + interval '1 s' as is_over) o)
  returning customer_id, orders`;
