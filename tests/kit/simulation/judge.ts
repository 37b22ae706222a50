import { MarketView } from '../../../apps/server/src/market/market-view.ts';
import { findOrders } from '../../../apps/server/src/trading/orders/order-queries.ts';
import { BatchBook } from '../../../apps/server/src/trading/placement/batch-book.ts';
import { audit } from '../../../apps/server/src/transparency/audit/audit-checks.ts';
import { readTexts } from '../installation/writers.ts';
import { naiveOutcome } from '../judges/naive-settlement.ts';
import type { Journalled, World } from './world.ts';

type OrderRow = {
  id: string;
  customer_id: string;
  key_hash: Buffer;
  stake: string;
  result: number | null;
  credited: string | null;
  void_reason: string | null;
  open_price: string | null;
  settle_price: string | null;
};

/**
 * Compares the customers' own records, the signed acceptances, the log and the database.
 * @param owed each customer's starting balance
 * @returns each order's outcome
 * @throws Error that describes a difference
 */
export async function judge(world: World, owed: Map<string, bigint>): Promise<string[]> {
  const { house, journal } = world;
  const { rows } = await house.db.owner.query<OrderRow>('select * from orders_and_results order by id');
  judgeJournal(journal, rows);
  const log = await readTexts(house);
  const acceptances = await readAcceptances(world, rows);
  const kinds = rows.map((row) => {
    const { kind, credited } = judgeOutcome(row, log, acceptances.get(row.id) as string);
    owed.set(row.customer_id, (owed.get(row.customer_id) as bigint) - BigInt(row.stake) + credited);
    return kind;
  });
  for (const [customer, available] of owed) {
    const balance = await house.balance(customer);
    if (balance.available !== available || balance.held !== 0n) {
      throw new Error(
        `customer ${customer} has ${balance.available} and ${balance.held} held, not ${available}`,
      );
    }
  }
  await judgeBooks(world);
  return kinds;
}

/** Every promised order must exist, and no other. */
function judgeJournal(journal: readonly Journalled[], rows: readonly OrderRow[]): void {
  const promised = new Map<string, Journalled>();
  for (const entry of journal) {
    if (entry.state === 'unknown') throw new Error('a request is still unknown');
    if (entry.state === 'accepted') promised.set(String(entry.orderId), entry);
  }
  for (const row of rows) {
    const entry = promised.get(row.id);
    if (!entry || !row.key_hash.equals(Buffer.from(entry.request.keyHash).subarray(0, 8))) {
      throw new Error(`nobody was told of order ${row.id}`);
    }
    promised.delete(row.id);
  }
  if (promised.size > 0) throw new Error(`promised and not there: ${[...promised.keys()]}`);
}

/** An order's outcome must equal the one computed from the log line by line. */
function judgeOutcome(
  row: OrderRow,
  log: readonly string[],
  acceptance: string,
): { kind: string; credited: bigint } {
  const expected = naiveOutcome(log, acceptance, { decimals: 6 });
  const points = (price: string | null) => (price === null ? null : String(BigInt(price.replace('.', ''))));
  const result = row.result === null ? null : (['loss', 'none', 'profit'] as const)[row.result + 1];
  const is = [result, row.void_reason, row.credited, row.open_price, row.settle_price];
  const should = [
    expected.result,
    expected.reason,
    String(expected.credited),
    points(expected.openPrice),
    points(expected.settlePrice),
  ];
  if (JSON.stringify(is) !== JSON.stringify(should)) {
    throw new Error(`order ${row.id} came to ${is}, and should have come to ${should}\n${acceptance}`);
  }
  const kind = expected.reason ?? (expected.settlePrice === null ? 'unpriced' : expected.result);
  return { kind, credited: expected.credited };
}

/** Each order's signed text, as shown to its customer. */
async function readAcceptances(
  { house }: World,
  rows: readonly OrderRow[],
): Promise<ReadonlyMap<string, string>> {
  const { db, assets, products, rules, reader } = house;
  const market = new MarketView(db.server, products, rules);
  await market.load();
  const batches = new BatchBook(db.server);
  const parts = { db: db.server, assets, products, rules, reader, market, batches };
  const owned = rows.map((row) => ({ customerId: row.customer_id, orderId: Number(row.id) }));
  const orders = await findOrders(parts, owned);
  return new Map(orders.map((order) => [order.id, order.acceptance.text]));
}

/** Everything that `npm run admin -- audit` checks. */
async function judgeBooks({ house }: World): Promise<void> {
  const client = await house.db.owner.connect();
  try {
    const wrong = (await audit(client)).filter(({ count }) => count > 0);
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
  } finally {
    client.release();
  }
}
