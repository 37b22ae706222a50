import type pg from 'pg';
import type { CodeCheck } from './audit-checks.ts';

/**
 * How often a customer who can't see the future wins. A little above one half, because an order gets the better of two results where the
 * close of a fix has another price.
 */
const FAIR = 0.505;
/** Of this many customers, chance lets at most one be reported on average, ever, however often the audit runs. */
const CUSTOMERS = 100_000;
const ORDERS_A_READ = 10_000;

/** A customer's orders that did not overlap, so far. */
interface Record {
  /** The settlement time of the last one, Unix ms. */
  untilMs: number;
  wins: number;
  losses: number;
  /** The natural logarithm of E. */
  evidence: number;
  /** The newest `wins of orders` at which E reached CUSTOMERS; null: it never did. */
  unlikely: string | null;
}

/**
 * Customers whose wins chance can't explain: somebody who knows prices before they are public, or places after the fact.
 *
 * Each customer's orders are read in their order. One counts if it was accepted after the last counted one had settled, because orders
 * that overlap win or lose together. Ties, voids and wins for want of a price are no wins or losses. Then, if nobody sees the future,
 * each counted order wins with a probability of at most FAIR, whatever the customer knows and chooses. After n of them, w won and l lost,
 *
 *   E = (product over n of q) / (FAIR^w * (1 - FAIR)^l),  q = (w + 1/2) / (n + 1) before a win, (l + 1/2) / (n + 1) before a loss
 *
 * is a martingale that begins at 1, so P(E >= CUSTOMERS at any time) <= 1 / CUSTOMERS (Ville 1939; q is the estimator of Krichevsky
 * and Trofimov 1981). A lower probability of winning makes such an E with more wins than FAIR less likely still. 20 of 20 are
 * reported, and 592 or more of 1 000.
 *
 * The check misses customers who win with fewer than 20 orders one after the other, spread their wins over accounts or hide them
 * behind overlapping orders that lose. It does not look at the size of stakes.
 */
export const CHANCE_CHECK: CodeCheck = {
  name: 'customers win no more often than chance explains',
  isForJudgement: true,
  run: unlikelyWinners,
};

async function unlikelyWinners(client: pg.ClientBase): Promise<string[]> {
  const customers = new Map<string, Record>();
  for (let lastId = '0'; ; ) {
    const { rows } = await client.query<OrderRow>(
      `select id, customer_id, accepted_at_ms::float8, settles_at_ms::float8, case when open_index is null then 0 else result end as result
       from orders_and_results where id > $1 order by id limit $2`,
      [lastId, ORDERS_A_READ],
    );
    for (const row of rows) addOrder(customers, row);
    if (rows.length < ORDERS_A_READ) break;
    lastId = (rows.at(-1) as OrderRow).id;
  }
  return [...customers].flatMap(([id, { unlikely }]) =>
    unlikely === null ? [] : [`customer ${id} won ${unlikely} orders that did not overlap`],
  );
}

interface OrderRow {
  readonly id: string;
  readonly customer_id: string;
  readonly accepted_at_ms: number;
  readonly settles_at_ms: number;
  /** 1: won, -1: lost, 0: neither, or not settled. */
  readonly result: number;
}

function addOrder(customers: Map<string, Record>, row: OrderRow): void {
  const record = customers.get(row.customer_id) ?? {
    untilMs: 0,
    wins: 0,
    losses: 0,
    evidence: 0,
    unlikely: null,
  };
  if (row.accepted_at_ms < record.untilMs) return;
  customers.set(row.customer_id, record);
  record.untilMs = row.settles_at_ms;
  if (row.result === 0) return;
  const isWin = row.result === 1;
  const [like, chance] = isWin ? [record.wins, FAIR] : [record.losses, 1 - FAIR];
  record.evidence += Math.log((like + 0.5) / (record.wins + record.losses + 1) / chance);
  if (isWin) record.wins += 1;
  else record.losses += 1;
  const orders = record.wins + record.losses;
  if (record.evidence >= Math.log(CUSTOMERS) && record.wins > FAIR * orders)
    record.unlikely = `${record.wins} of ${orders}`;
}
