import { HandLog } from '@fairtick/kit/installation/hand-log.ts';
import { judged, receiptOf } from '@fairtick/kit/people/receipts.ts';
import type { Receipt } from '@fairtick/proof';
import {
  GRID_MS,
  MIN_DELAY_MS,
  MOST_FIX_WAIT_MS,
  type ProductRules,
  settlementTime,
} from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';
import { LogArchive } from '../../market/log/log-archive.ts';
import { settleAllDue } from '../settlement/settle-lanes.ts';
import { correctOrders, voidUnopenedOrders } from '../settlement/settle-orders.ts';

/** Which entries a receipt shows, and that a verifier accepts it, for orders that come to every kind of end. */
let log: HandLog;
let customer: string;
let orderId: number;
let opensAtMs: number;
let settlesAtMs: number;
afterEach(() => log.close());

/** A customer has just staked 100 on the rise of EUR/USD, in a batch with others. */
async function buy(rules: Partial<ProductRules> = {}, others = 0): Promise<void> {
  log = await HandLog.open(rules, ['EUR/USD', 'GBP/USD']);
  const customers = await log.customers(1 + others);
  customer = customers[0] as string;
  const answers = await log.place(customers.map((each) => log.request(each)));
  orderId = answers[0]?.kind === 'accepted' ? answers[0].orderId : 0;
  setTimes();
}

/** The times of an order that is accepted now. */
function setTimes(): void {
  opensAtMs = Math.ceil((log.nowMs + MIN_DELAY_MS) / 1_000) * 1_000;
  settlesAtMs = settlementTime(opensAtMs, 1);
}

/** The batch is logged, and the order opens at 1.08427. */
async function open(options: Parameters<HandLog['fix']>[2] = {}): Promise<void> {
  await log.orders(opensAtMs - 1_000);
  await log.fix(opensAtMs, '1.08427', options);
}

/** Another product's entry, and the checkpoint of the next second. */
const goOn = async (ms = 1_000) => {
  await log.tick(log.nowMs + ms - (log.nowMs % GRID_MS), '1.27000', { symbol: 'GBP/USD' });
};

async function settle(): Promise<void> {
  await voidUnopenedOrders(log.db.server);
  await settleAllDue(log.db.server);
  await correctOrders(log.db.server);
}

const made = () => receiptOf(log, { customer, orderId });

/** The receipt with the verifier's story of it and its limits; checks that the verifier accepts it. */
async function check(): Promise<{ receipt: Receipt; story: string; limits: readonly string[] }> {
  const receipt = await made();
  if (!receipt) throw new Error('there is no receipt');
  const report = judged(log, receipt);
  expect(report.steps.filter(({ fault }) => fault !== null)).toEqual([]);
  expect(report.isValid).toBe(true);
  const roles = receipt.entries.map(({ role }) => role);
  return { receipt, limits: report.limits, story: [report.shown?.form, ...roles].join(' ') };
}

const USUAL = ['instant', 'witnesses', 'rules', 'uniqueness', 'records', 'clicks', 'solvency'];

describe('the receipt of an order that opened', () => {
  test.each([
    ['1.08428', 'profit', '180.000000'],
    ['1.08426', 'loss', '0.000000'],
    ['1.08427', 'none', '100.000000'],
  ])('at 1.08427 and settled at %s proves %s with the two fixes', async (price, result, payout) => {
    await buy({}, 3);
    await open();
    await log.fix(settlesAtMs, price);
    await log.passTo(settlesAtMs + 250);
    await settle();
    const { receipt, story, limits } = await check();
    expect(receipt.outcome).toEqual({
      openPrice: '1.08427',
      settlePrice: price,
      result,
      payout,
      voidReason: null,
    });
    expect(story).toBe('opened rules beforeAccept orders opening settling');
    expect(limits).toEqual(USUAL);
  });

  test('shows the closes of both fixes, and the prices that are best for it', async () => {
    await buy();
    await open({ open: 1 });
    await log.fix(settlesAtMs, '1.08426', { open: 1 });
    await goOn();
    await settle();
    const before = await check();
    expect(before.story).toBe('opened rules beforeAccept orders opening settling');
    expect(before.receipt.outcome).toMatchObject({ result: 'loss', payout: '0.000000' });
    expect(before.limits).toContain('open');
    const close = (fixMs: number, prices: string[]) =>
      log.fix(fixMs, '', { prices, open: 1, kind: 'close', timeMs: log.nowMs + 250 });
    await close(settlesAtMs, ['1.08426', '1.08426', '1.08428']);
    await close(opensAtMs, ['1.08427', '1.08427', '1.08420']);
    await goOn();
    await settle();
    expect((await check()).receipt.outcome).toMatchObject({ result: 'loss', payout: '0.000000' });
    expect((await check()).story).toBe('opened rules beforeAccept orders opening opening settling settling');
  });

  test('has what a close added, and is not made before the order has it', async () => {
    await buy();
    await open({ open: 1, prices: ['1.08420', '1.08430', '1.08430'] });
    await log.fix(settlesAtMs, '1.08425');
    await goOn();
    await settle();
    expect((await check()).receipt.outcome).toMatchObject({ openPrice: '1.08430', result: 'loss' });
    await log.fix(opensAtMs, '', {
      prices: ['1.08420', '1.08430', '1.08421'],
      open: 1,
      kind: 'close',
      timeMs: log.nowMs + 250,
    });
    await goOn();
    expect(await made()).toBeNull();
    await settle();
    expect((await check()).receipt.outcome).toEqual({
      openPrice: '1.08421',
      settlePrice: '1.08425',
      result: 'profit',
      payout: '180.000000',
      voidReason: null,
    });
  });

  test.each(['opening', 'settlement'])(
    'and won for want of the fix of its %s shows what is there',
    async (missing) => {
      await buy();
      if (missing === 'settlement') await open();
      else await log.orders(opensAtMs - 1_000);
      await log.passTo((missing === 'opening' ? opensAtMs : settlesAtMs) + MOST_FIX_WAIT_MS);
      await goOn();
      await settle();
      await goOn();
      const { receipt, story, limits } = await check();
      expect(receipt.outcome).toMatchObject({
        openPrice: null,
        settlePrice: null,
        result: 'profit',
        payout: '180.000000',
        voidReason: null,
      });
      const shown = missing === 'opening' ? 'waited' : 'opening waited';
      expect(story).toBe(`unfixed rules beforeAccept orders ${shown}`);
      expect(limits).toEqual(USUAL);
    },
  );

  test('proves that the log extends the one that its customer had seen', async () => {
    await buy();
    await open();
    const seen = { size: 5, root: Buffer.from(await log.reader.rootAt(5)).toString('hex') };
    await log.ticks(log.nowMs + 250, log.nowMs + 500, '1.08400');
    setTimes();
    const [answer] = await log.place([{ ...log.request(customer), seen }]);
    orderId = answer?.kind === 'accepted' ? answer.orderId : 0;
    await open();
    await log.fix(settlesAtMs, '1.08428');
    await goOn();
    await settle();
    expect((await check()).receipt.seen?.fromSize).toBe(5);
  });

  test('of one minute and three sources has at most 30 kB, in a log of 10 000 entries', async () => {
    await buy({}, 63);
    for (let round = 0; round < 10; round += 1)
      await log.ticks(log.nowMs + 250, log.nowMs + 250_000, '1.27000', { symbol: 'GBP/USD' });
    await log.ticks(log.nowMs + 250, log.nowMs + 500, '1.08400');
    const [answer] = await log.place([log.request(customer)]);
    orderId = answer?.kind === 'accepted' ? answer.orderId : 0;
    setTimes();
    await open();
    await log.fix(settlesAtMs, '1.08428');
    await goOn();
    await settle();
    const { receipt } = await check();
    expect(receipt.entries.at(-1)?.index).toBeGreaterThan(10_000);
    expect(JSON.stringify(receipt).length).toBeLessThan(30_000);
  });
});

describe('the receipt of an order that did not open', () => {
  test('shows the thin fix of its opening time', async () => {
    await buy({ quietMs: 500 });
    await open({ quotedMs: [opensAtMs, opensAtMs - 501, opensAtMs - 501] });
    await goOn(6_000);
    await settle();
    await goOn();
    const { receipt, story, limits } = await check();
    expect(receipt.outcome).toEqual({
      openPrice: null,
      settlePrice: null,
      result: 'none',
      payout: '100.000000',
      voidReason: 'no_price',
    });
    expect(story).toBe('unopened rules beforeAccept orders opening');
    expect(limits).toEqual(USUAL);
  });

  test('shows the late entry if its batch was logged too late', async () => {
    await buy();
    await log.fix(opensAtMs, '1.08427');
    await log.orders(opensAtMs);
    await goOn(6_000);
    await settle();
    const { receipt, story, limits } = await check();
    expect(receipt.outcome).toMatchObject({ voidReason: 'not_logged', payout: '110.000000' });
    expect(story).toBe('late rules beforeAccept orders');
    expect(limits).toEqual(USUAL);
  });
});

test('a receipt is the same after its part of the log has gone into the archive', async () => {
  await buy();
  await open();
  await log.ticks(log.nowMs + 250, settlesAtMs - 250, '1.27000', { symbol: 'GBP/USD' });
  await log.fix(settlesAtMs, '1.08428');
  await log.ticks(settlesAtMs + 250, settlesAtMs + 90_000, '1.27000', { symbol: 'GBP/USD' });
  await goOn();
  await settle();
  await log.ticks(log.nowMs + 250, log.nowMs + 150_000, '1.27000', { symbol: 'GBP/USD' });
  await goOn();
  const fresh = await check();
  const { rows } = await log.db.server.query<{ size: string }>('select size from log_head');
  await new LogArchive(log.db.server, log.products).work(Number(rows[0]?.size));
  await log.db.owner.query('delete from log_entries where index < 768');
  expect(await check()).toEqual(fresh);
});

test('there is no receipt of an open order, none for another customer, and none before a checkpoint covers it', async () => {
  await buy();
  await open();
  expect(await made()).toBeNull();
  await log.fix(settlesAtMs, '1.08428');
  await log.passTo(settlesAtMs + 250);
  await settle();
  expect(await made()).not.toBeNull();
  const [other] = (await log.customers(1)) as [string];
  expect(await receiptOf(log, { customer: other, orderId })).toBeNull();
});
