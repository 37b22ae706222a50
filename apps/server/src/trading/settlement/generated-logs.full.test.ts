import { Random } from '@fairtick/kit/hostile/random.ts';
import { HandLog } from '@fairtick/kit/installation/hand-log.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import { naiveOutcome } from '@fairtick/kit/judges/naive-settlement.ts';
import { judged, receiptOf } from '@fairtick/kit/people/receipts.ts';
import { GRID_MS, VOID_REASONS } from '@fairtick/trading';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit } from '../../transparency/audit/audit-checks.ts';
import { REPLAY_CHECK } from '../../transparency/audit/audit-replay-check.ts';
import { advanceSettlementHead, settleDueOrders, voidUnopenedOrders } from './settle-orders.ts';

/** Orders on a log with holes, gaps, late batches and old quotes at random times. */
const ORDERS_MS = 40_000;
const FROZEN_MS = 15_000;
/** The third source stands still for longer than this, twice: while orders open, and while they settle. */
const STALE_MS = 12_000;
const STILL = [
  [15_000, 36_000],
  [70_000, 95_000],
] as const;
const random = new Random(20_261_125);
let log: HandLog;
let startMs: number;
/** Of the last quotes of the three sources; a source's times never fall. */
let quotedMs: number[];
const orders: { readonly customer: string; readonly orderId: number }[] = [];

const parts = () => ({ pool: log.db.server, reader: log.reader, rules: log.rules });

async function settle(): Promise<void> {
  await voidUnopenedOrders(parts());
  await settleDueOrders(parts());
  await advanceSettlementHead(log.db.server);
}

/** Something happens at a grid time, in most cases a tick. */
async function writeGridTime(timeMs: number, isBatchWaiting: boolean): Promise<boolean> {
  const isLogged = isBatchWaiting && random.isLikely(0.6);
  if (isLogged) await log.orders(timeMs);
  // For some seconds every source repeats its last quote, so that no tick opens an order.
  const sinceMs = timeMs - startMs - FROZEN_MS;
  if (sinceMs > 0 && sinceMs <= 9_000) {
    quotedMs = quotedMs.map((before) => Math.max(before, startMs + FROZEN_MS));
    await log.tick(timeMs, '1.08412', { quotedMs });
    return isLogged;
  }
  if (random.isLikely(0.03)) return isLogged;
  if (random.isLikely(0.02)) {
    await log.gap(timeMs, random.of(['restart', 'clock']));
    return isLogged;
  }
  const age = random.of([0, 100, 400, 4_000]);
  const isStill = STILL.some(([from, to]) => timeMs - startMs > from && timeMs - startMs <= to);
  quotedMs = quotedMs.map((before, place) =>
    place === 2 && isStill ? before : Math.max(before, timeMs - random.whole(0, age)),
  );
  await log.tick(timeMs, '', { quotedMs, prices: quotedMs.map(() => `1.084${random.whole(10, 14)}`) });
  return isLogged;
}

beforeAll(async () => {
  log = await HandLog.open({ staleMs: STALE_MS, freshMs: 1_000 });
  startMs = log.nowMs;
  quotedMs = [startMs, startMs, startMs];
  const customers = await log.customers(40);
  let isWaiting = false;
  for (let timeMs = startMs + GRID_MS; timeMs <= startMs + ORDERS_MS + 75_000; timeMs += GRID_MS) {
    if (await writeGridTime(timeMs, isWaiting)) isWaiting = false;
    // No batch is accepted in the last part, so that all are due in the end.
    if (timeMs > startMs + ORDERS_MS) {
      if (random.isLikely(0.02)) await settle();
      continue;
    }
    if (random.isLikely(0.4)) await log.passTo(timeMs + random.whole(0, GRID_MS - 1));
    const buyers = customers.filter(() => random.isLikely(0.06));
    const requests = buyers.map((customer) =>
      log.request(customer, { amount: '10', direction: random.of(['up', 'down']) }),
    );
    const answers = requests.length > 0 ? await log.place(requests) : [];
    for (const [at, answer] of answers.entries())
      if (answer.kind === 'accepted')
        orders.push({ customer: buyers[at] as string, orderId: answer.orderId });
    isWaiting ||= answers.some(({ kind }) => kind === 'accepted');
  }
  if (isWaiting) await log.orders(log.nowMs + GRID_MS);
  await log.passTo(log.nowMs + 5_000);
  await settle();
}, 120_000);
afterAll(() => log.close());

test('each order comes to what its acceptance and the log’s lines say', async () => {
  const texts = await readTexts(log);
  const { rows } = await log.db.owner.query(
    'select id, result, void_reason, credited, open_price, settle_price from orders order by id',
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

test('some orders opened and some settled at the best quote of a tick in which a source did not count', async () => {
  const { rows } = await log.db.owner.query(
    `select count(*) filter (where e.index = o.open_index)::int as opened, count(*) filter (where e.index = o.settle_index)::int as settled
     from orders o join log_entries e on e.index in (o.open_index, o.settle_index) and e.low < e.high`,
  );
  expect(rows[0].opened).toBeGreaterThan(3);
  expect(rows[0].settled).toBeGreaterThan(3);
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
