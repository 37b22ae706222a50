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

/** @throws Error unless prices decided about each of these orders, and the books are right */
export async function expectAllSettled(house: BenchHouse, due: DueOrders): Promise<void> {
  const { rows } = await house.owner.query<{ outcome: string; orders: number }>(
    `select coalesce(void_reason, case result when 1 then 'profit' when -1 then 'loss' when 0 then 'tie' else 'unsettled' end) as outcome,
       count(*)::int as orders
     from orders where id >= $1 and id < $2 group by 1 order by 1`,
    [due.firstId, due.endId],
  );
  console.log(`  outcomes: ${rows.map(({ outcome, orders }) => `${outcome} ${orders}`).join(', ')}`);
  const decided = rows.filter(({ outcome }) => DECIDED.has(outcome));
  const count = decided.reduce((sum, { orders }) => sum + orders, 0);
  if (count !== due.count) throw new Error(`prices decided about ${count} of ${due.count} orders`);
  await expectRightBooks(house);
}

const DECIDED = new Set(['profit', 'loss', 'tie']);
