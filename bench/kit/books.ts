import { setTimeout as sleep } from 'node:timers/promises';
import { voidUnopenedOrders } from '../../apps/server/src/trading/settlement/settle-orders.ts';
import type { DueOrders } from './due-orders.ts';
import type { BenchHouse } from './house.ts';

/** @throws Error if the ledger breaks one of its invariants */
export async function expectRightBooks({ owner }: Pick<BenchHouse, 'owner'>): Promise<void> {
  const { rows } = await owner.query<{ rule: string; detail: string }>(
    'select * from ledger.violations() limit 5',
  );
  if (rows.length === 0) return;
  throw new Error(
    `the books are not right: ${rows.map(({ rule, detail }) => `${rule} (${detail})`).join('; ')}`,
  );
}

/**
 * Waits until it is decided of each order of the house whether it opens, and prints how many are void: a batch is logged too late
 * where the machine is too busy.
 * @throws Error if orders are void for another reason
 */
export async function expectOpened(house: BenchHouse): Promise<void> {
  for (;;) {
    await voidUnopenedOrders(house.pool);
    const { rows } = await house.owner.query<{ waiting: string }>(
      'select next_batch - 1 - opened_batch as waiting from placement_head, settlement_head',
    );
    if (rows[0]?.waiting === '0') break;
    await sleep(500);
  }
  const { rows } = await house.owner.query<{ orders: number; late: number; void: number }>(
    `select count(*)::int as orders, count(*) filter (where void_reason = 'not_logged')::int as late,
       count(void_reason)::int as void from orders_and_results`,
  );
  const { orders = 0, late = 0, void: all = 0 } = rows[0] ?? {};
  console.log(`  ${orders} orders, ${late} of them logged too late`);
  if (orders === 0 || all > late) throw new Error(`${all - late} of ${orders} orders are void`);
}

/** @throws Error unless prices decided about each of these orders, and the books are right */
export async function expectAllSettled(house: BenchHouse, due: DueOrders): Promise<void> {
  const { rows } = await house.owner.query<{ outcome: string; orders: number }>(
    `select coalesce(void_reason, case result when 1 then 'profit' when -1 then 'loss' when 0 then 'tie' else 'unsettled' end) as outcome,
       count(*)::int as orders
     from orders_and_results where id >= $1 and id < $2 group by 1 order by 1`,
    [due.firstId, due.endId],
  );
  console.log(`  outcomes: ${rows.map(({ outcome, orders }) => `${outcome} ${orders}`).join(', ')}`);
  const decided = rows.filter(({ outcome }) => DECIDED.has(outcome));
  const count = decided.reduce((sum, { orders }) => sum + orders, 0);
  if (count !== due.count) throw new Error(`prices decided about ${count} of ${due.count} orders`);
  await expectRightBooks(house);
}

const DECIDED = new Set(['profit', 'loss', 'tie']);
