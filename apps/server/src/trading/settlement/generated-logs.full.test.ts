import { Random } from '@fairtick/kit/hostile/random.ts';
import { HandLog } from '@fairtick/kit/installation/hand-log.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import { naiveOutcome } from '@fairtick/kit/judges/naive-settlement.ts';
import { judged, receiptOf } from '@fairtick/kit/people/receipts.ts';
import { FIX_MS, GRID_MS, MOST_FIX_WAIT_MS, VOID_REASONS } from '@fairtick/trading';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit } from '../../transparency/audit/audit-checks.ts';
import { REPLAY_CHECK } from '../../transparency/audit/audit-replay-check.ts';
import { settleAllDue } from './settle-lanes.ts';
import { advanceSettlementHead, correctOrders, voidUnopenedOrders } from './settle-orders.ts';

/** Orders on a log with late batches, quiet sources, fixes that come late or never, and closes with other prices, all at random. */
const ORDERS_MS = 40_000;
const QUIET_MS = 2_000;
const random = new Random(20_261_125);
let log: HandLog;
/** The last record of each of the three sources. */
let records: { ms: number; price: string }[];
/** Fixes with an open record: what they said. */
const open: { fixMs: number; records: typeof records }[] = [];
const orders: { readonly customer: string; readonly orderId: number }[] = [];
/** Orders that a close made better after they were settled. */
let corrected = 0;

async function settle(): Promise<void> {
  await voidUnopenedOrders(log.db.server);
  await settleAllDue(log.db.server);
  corrected += await correctOrders(log.db.server);
  await advanceSettlementHead(log.db.server);
}

const anyPrice = (): string => `1.084${random.whole(10, 13)}`;
const said = (of: typeof records) => ({
  quotedMs: of.map(({ ms }) => ms),
  prices: of.map(({ price }) => price),
});

/** Most sources have a new record, and each second that is due is fixed: a few are left out, and a few have an open record. */
async function writeFix(fixMs: number): Promise<void> {
  const isSilent = random.isLikely(0.25);
  records = records.map((record, place) =>
    isSilent
      ? place > 0
        ? record
        : { ms: fixMs, price: anyPrice() }
      : random.isLikely(0.9)
        ? { ms: fixMs - random.whole(0, 300), price: anyPrice() }
        : record,
  );
  const { rowCount } = await log.db.owner.query('select from fixes_due where fix_ms = $1', [fixMs]);
  if (!rowCount || random.isLikely(0.04)) return;
  // The quorum never rests on an open record.
  const isOpen =
    records.every(({ ms }, place) => place === 2 || ms >= fixMs - QUIET_MS) && random.isLikely(0.5);
  await log.fix(fixMs, '', { ...said(records), open: isOpen ? 1 : 0 });
  if (isOpen) open.push({ fixMs, records });
}

/** The open source had a later record. */
async function writeClose(): Promise<void> {
  const [fix] = open.splice(random.whole(0, open.length - 1), 1);
  if (!fix) return;
  const closed = fix.records.map((record, place) =>
    place === 2 ? { ...record, price: anyPrice() } : record,
  );
  await log.fix(fix.fixMs, '', { ...said(closed), open: 1, kind: 'close', timeMs: log.nowMs });
}

/** Customers place a batch of orders. */
async function buy(customers: readonly string[]): Promise<boolean> {
  const buyers = customers.filter(() => random.isLikely(0.06));
  const requests = buyers.map((customer) =>
    log.request(customer, { amount: '10', direction: random.of(['up', 'down']) }),
  );
  const answers = requests.length > 0 ? await log.place(requests) : [];
  for (const [at, answer] of answers.entries())
    if (answer.kind === 'accepted') orders.push({ customer: buyers[at] as string, orderId: answer.orderId });
  return answers.some(({ kind }) => kind === 'accepted');
}

beforeAll(async () => {
  log = await HandLog.open({ quietMs: QUIET_MS });
  const startMs = log.nowMs;
  records = Array.from({ length: 3 }, () => ({ ms: startMs, price: '1.08412' }));
  const customers = await log.customers(40);
  let isWaiting = false;
  for (let timeMs = startMs + GRID_MS; timeMs <= startMs + ORDERS_MS + 75_000; timeMs += GRID_MS) {
    await log.tick(timeMs, '1.08412');
    if (isWaiting && random.isLikely(0.35)) {
      await log.orders(timeMs);
      isWaiting = false;
    }
    if (timeMs % FIX_MS === 0) await writeFix(timeMs);
    if (random.isLikely(0.1)) await writeClose();
    if (random.isLikely(0.1)) await settle();
    // No batch is accepted in the last part, so that all are due in the end.
    if (timeMs <= startMs + ORDERS_MS && (await buy(customers))) isWaiting = true;
  }
  if (isWaiting) await log.orders(log.nowMs + GRID_MS);
  await settle();
  while (open.length > 1) await writeClose();
  await settle();
  // What has no fix now never has one.
  await log.tick(log.nowMs + MOST_FIX_WAIT_MS, '1.08412');
  await settle();
  await log.passTo(log.nowMs + GRID_MS);
}, 180_000);
afterAll(() => log.close());

test('each order comes to what its acceptance and the log’s lines say', async () => {
  const texts = await readTexts(log);
  const { rows } = await log.db.owner.query(
    'select id, result, void_reason, credited, open_price, settle_price from orders_and_results order by id',
  );
  const receipts = await Promise.all(orders.map((order) => receiptOf(log, order)));
  const points = (price: string | null) => (price === null ? null : String(BigInt(price.replace('.', ''))));
  const found = new Set<string>();
  for (const [at, row] of rows.entries()) {
    const text = receipts[at]?.acceptance.text as string;
    const expected = naiveOutcome(texts, text, { decimals: 6 });
    found.add(expected.reason ?? (expected.settlePrice === null ? 'unpriced' : expected.result));
    expect({ ...row, result: ['loss', 'none', 'profit'][row.result + 1] }).toEqual({
      id: text.split('\n')[1],
      result: expected.result,
      void_reason: expected.reason,
      credited: String(expected.credited),
      open_price: points(expected.openPrice),
      settle_price: points(expected.settlePrice),
    });
  }
  expect(found).toEqual(new Set(['profit', 'loss', 'none', 'unpriced', ...VOID_REASONS]));
});

test('some orders were corrected after they were settled, and some were settled by a close', async () => {
  const { rows } = await log.db.owner.query(
    `select (select count(*) from ledger.postings p join ledger.transfers t on t.id = p.transfer_id where t.kind = 'amend')::int as amended,
       count(*) filter (where e.kind = log_kind('close'))::int as closes
     from orders_and_results o join log_entries e on e.index in (o.open_index, o.settle_index)`,
  );
  expect(corrected).toBeGreaterThan(3);
  expect(rows[0].amended).toBe(corrected);
  expect(rows[0].closes).toBeGreaterThan(corrected);
});

test('each order has a receipt that a verifier with the public keys accepts', async () => {
  for (const order of orders) {
    const receipt = await receiptOf(log, order);
    const report = receipt && judged(log, receipt);
    const fault = report?.steps.find((step) => step.state === 'refuted')?.fault ?? null;
    const reason = receipt?.outcome.voidReason;
    expect(report?.isValid, `order ${order.orderId}, ${reason}: ${fault}`).toBe(true);
  }
});

test('the audit and a replay from the log’s lines find nothing', async () => {
  const client = await log.db.owner.connect();
  try {
    const found = (await audit(client, [REPLAY_CHECK])).filter(({ count }) => count > 0);
    expect(found.map(({ name, details }) => [name, ...details].join('\n')).join('\n')).toBe('');
  } finally {
    client.release();
  }
});
