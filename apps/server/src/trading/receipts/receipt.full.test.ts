import { HandLog } from '@fairtick/kit/installation/hand-log.ts';
import { judged, receiptOf } from '@fairtick/kit/people/receipts.ts';
import type { Receipt } from '@fairtick/proof';
import { GRID_MS, gridFrom, MIN_DELAY_MS, type ProductRules, settlementTime } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';
import { LogArchive } from '../../market/log/log-archive.ts';
import { settleDueOrders, voidUnopenedOrders } from '../settlement/settle-orders.ts';

/** Which entries a receipt shows, and that a verifier accepts it, for orders that come to every kind of end. */
let log: HandLog;
let customer: string;
let orderId: number;
let acceptedAtMs: number;
/** The opening time, the last grid time before it, and the settlement time. */
let fromMs: number;
let gridMs: number;
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
  acceptedAtMs = log.nowMs;
  fromMs = gridFrom(acceptedAtMs + MIN_DELAY_MS);
  gridMs = fromMs - GRID_MS;
  settlesAtMs = settlementTime(fromMs, 1);
}

/** The batch is logged, and the order opens at 1.08427. */
async function open(): Promise<void> {
  await log.orders(acceptedAtMs + 250);
  await log.ticks(gridMs, fromMs, '1.08427');
}

/** Another product's entry, and the checkpoint of the next second. */
const goOn = async (ms = 1_000) => {
  await log.tick(log.nowMs + ms - (log.nowMs % GRID_MS), '1.27000', { symbol: 'GBP/USD' });
};

async function settle(): Promise<void> {
  const parts = { pool: log.db.server, reader: log.reader, rules: log.rules };
  await voidUnopenedOrders(parts);
  await settleDueOrders(parts);
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

const USUAL = ['instant', 'witnesses', 'uniqueness', 'quotes', 'clicks', 'solvency'];

describe('the receipt of an order that opened', () => {
  test.each([
    ['1.08428', 'profit', '180.000000'],
    ['1.08426', 'loss', '0.000000'],
    ['1.08427', 'none', '100.000000'],
  ])(
    'at 1.08427 and settled at %s proves %s with the tick of its settlement time alone',
    async (price, result, payout) => {
      await buy({}, 3);
      await open();
      await log.tick(settlesAtMs, price);
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
      expect(story).toBe('opened rules beforeAccept orders opening opening settling');
      expect(limits).toEqual(USUAL);
    },
  );

  test('shows every tick that could not open the order', async () => {
    await buy();
    await log.orders(acceptedAtMs + 250);
    const before = acceptedAtMs - 1;
    await log.ticks(gridMs, fromMs + 750, '1.08420', { quotedMs: [before, before, before] });
    await log.tick(fromMs + 1_000, '1.08430');
    await log.tick(settlesAtMs, '1.08431');
    await goOn();
    await settle();
    const { story } = await check();
    expect(story.match(/opening/g)).toHaveLength(6);
  });

  test.each([
    [
      'its two neighbours',
      'settling settling',
      (at: number) => log.tick(at - 250, '1.08426').then(() => log.tick(at + 250, '1.08500')),
    ],
    ['the opening tick and a gap', 'settling settling', (at: number) => log.gap(at + 500)],
    ['a gap of that time', 'settling', (at: number) => log.gap(at)],
    [
      'a tick that is not current',
      'settling',
      (at: number) => log.tick(at, '1.08426', { quotedMs: [at - 1_001, at - 1_001, at] }),
    ],
  ])('and won for want of a current tick at its settlement time shows %s', async (_case, shown, write) => {
    await buy({ freshMs: 1_000 });
    await open();
    await write(settlesAtMs);
    await goOn();
    await settle();
    const { receipt, story, limits } = await check();
    expect(receipt.outcome).toMatchObject({
      settlePrice: null,
      result: 'profit',
      payout: '180.000000',
      voidReason: null,
    });
    expect(story).toBe(`opened rules beforeAccept orders opening opening ${shown}`);
    expect(limits).toEqual(USUAL);
  });

  test('has the quotes that are best for the order where a source is missing', async () => {
    await buy({ staleMs: 200 });
    await log.orders(acceptedAtMs + 250);
    await log.tick(gridMs, '1.08427');
    const at = (timeMs: number) => [timeMs, timeMs, gridMs];
    await log.tick(fromMs, '', { quotedMs: at(fromMs), prices: ['1.08425', '1.08429', '1.08427'] });
    await log.tick(settlesAtMs, '', { quotedMs: at(settlesAtMs), prices: ['1.08420', '1.08426', '1.08427'] });
    await goOn();
    await settle();
    expect((await check()).receipt.outcome).toMatchObject({
      openPrice: '1.08425',
      settlePrice: '1.08426',
      result: 'profit',
    });
  });

  test('proves that the log extends the one that its customer had seen', async () => {
    await buy();
    await open();
    const seen = { size: 5, root: Buffer.from(await log.reader.rootAt(5)).toString('hex') };
    setTimes();
    const [answer] = await log.place([{ ...log.request(customer), seen }]);
    orderId = answer?.kind === 'accepted' ? answer.orderId : 0;
    await open();
    await log.tick(settlesAtMs, '1.08428');
    await goOn();
    await settle();
    expect((await check()).receipt.seen?.fromSize).toBe(5);
  });

  test('of one minute and three sources has at most 30 kB, in a log of 10 000 entries', async () => {
    await buy({}, 63);
    for (let round = 0; round < 10; round += 1)
      await log.ticks(log.nowMs + 250, log.nowMs + 250_000, '1.27000', { symbol: 'GBP/USD' });
    const [answer] = await log.place([log.request(customer)]);
    orderId = answer?.kind === 'accepted' ? answer.orderId : 0;
    setTimes();
    await open();
    await log.tick(settlesAtMs, '1.08428');
    await goOn();
    await settle();
    const { receipt } = await check();
    expect(receipt.entries.at(-1)?.index).toBeGreaterThan(10_000);
    expect(JSON.stringify(receipt).length).toBeLessThan(30_000);
  });
});

describe('the receipt of an order that did not open', () => {
  test.each([
    ['hole', 'opening opening', async () => log.ticks(fromMs, fromMs + 250, '1.08420')],
    ['hole', 'opening opening', async () => log.passTo(fromMs)],
    [
      'hole',
      'opening opening',
      async () => log.tick(gridMs, '1.08410').then(() => log.tick(fromMs + 500, '1.08420')),
    ],
    ['hole', 'opening opening', async () => log.tick(gridMs, '1.08410')],
    ['gap', 'opening opening', async () => log.gap(gridMs)],
    ['gap', 'opening opening', async () => log.gap(gridMs).then(() => log.tick(fromMs, '1.08420'))],
    ['gap', 'opening opening', async () => log.tick(gridMs, '1.08410').then(() => log.gap(fromMs))],
    [
      'no_open',
      Array.from({ length: 22 }, () => 'opening').join(' '),
      async () => {
        const quotedMs = [acceptedAtMs - 1, acceptedAtMs - 1, acceptedAtMs - 1];
        await log.ticks(gridMs, fromMs + 5_250, '1.08410', { quotedMs });
      },
    ],
  ])('%s: %s', async (reason, shown, write) => {
    await buy();
    await log.orders(acceptedAtMs + 250);
    await write();
    await goOn(6_000);
    // The product's next entry, whenever it comes.
    await log.gap(log.nowMs + 250);
    await goOn();
    await settle();
    const { receipt, story, limits } = await check();
    expect(receipt.outcome).toEqual({
      openPrice: null,
      settlePrice: null,
      result: 'none',
      payout: '110.000000',
      voidReason: reason,
    });
    expect(story).toBe(`unopened rules beforeAccept orders ${shown}`);
    expect(limits).toEqual(USUAL);
  });

  test('shows the late entry if its batch was logged too late', async () => {
    await buy();
    await log.ticks(gridMs, fromMs, '1.08427');
    await log.orders(fromMs);
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
  // Many bundles between the opening and the settlement, where the log has nothing.
  await log.ticks(log.nowMs + 250, settlesAtMs - 500, '1.27000', { symbol: 'GBP/USD' });
  await log.ticks(settlesAtMs - 250, settlesAtMs + 90_000, '1.27000', { symbol: 'GBP/USD' });
  await log.gap(log.nowMs + 250);
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
  await log.tick(settlesAtMs, '1.08428');
  await log.passTo(settlesAtMs + 250);
  await settle();
  expect(await made()).not.toBeNull();
  const [other] = (await log.customers(1)) as [string];
  expect(await receiptOf(log, { customer: other, orderId })).toBeNull();
});
