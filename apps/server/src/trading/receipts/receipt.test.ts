import { START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { judged, receiptOf } from '@fairtick/kit/people/receipts.ts';
import type { Receipt } from '@fairtick/proof';
import type { ProductRules } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';
import { LogArchive } from '../../market/log/log-archive.ts';

let still: StillHouse;
let customer: string;
let orderId: number;
let acceptedAtMs: number;
afterEach(async () => {
  expect(await still.house.violations()).toEqual([]);
  await still.close();
});

/** EUR/USD is at 1.08400 and a customer has just staked 100 on its rise; the log is 750 ms old. */
async function buy(rules: Partial<ProductRules> = {}, size = 1, feed = new ManualFeed(rules)): Promise<void> {
  still = await StillHouse.open(rules, START_MS, feed);
  await still.stepBy(750);
  await still.tick('EUR/USD', '1.08400');
  customer = await still.house.customer();
  for (let count = 1; count < size; count += 1) {
    await still.buy(await still.house.customer(), { symbol: 'EUR/USD', amount: '10' });
  }
  orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '100' });
  acceptedAtMs = still.nowMs;
}

const settlesAtMs = () => acceptedAtMs + 60_000;

/** Continues the log, with other products' entries, until a checkpoint has been signed. */
async function goOn(ms = 2_000): Promise<void> {
  for (let past = 0; past < ms; past += 500) {
    still.quote('GBP/USD', `1.27${String(100 + past / 500)}`, still.nowMs + 1);
    await still.stepBy(500);
  }
}

/** Returns the receipt, the verifier's story and its limits; checks that the ledger has the same outcome. */
async function check(): Promise<{ receipt: Receipt; story: string; limits: readonly string[] }> {
  const receipt = await receiptOf(still.house, { customer, orderId });
  if (!receipt) throw new Error('there is no receipt');
  const report = judged(still.house, receipt);
  expect(report.steps.filter(({ fault }) => fault !== null)).toEqual([]);
  expect(report.isValid).toBe(true);
  const { result, credited, voidReason } = await still.order(orderId);
  expect(receipt.outcome).toMatchObject({ result, voidReason });
  expect(BigInt(receipt.outcome.payout.replace('.', ''))).toBe(credited);
  const roles = receipt.entries.map(({ role }) => role);
  return { receipt, limits: report.limits, story: [report.shown?.form, ...roles].join(' ') };
}

const USUAL = ['witnesses', 'uniqueness', 'quotes', 'clicks', 'solvency'];

describe('the receipt of an order that opened', () => {
  test.each([
    ['1.08428', 'profit', '180.000000'],
    ['1.08426', 'loss', '0.000000'],
    ['1.08427', 'none', '100.000000'],
  ])('at 1.08427 and settled at %s proves %s', async (price, result, payout) => {
    await buy({}, 3);
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(settlesAtMs() - 250);
    await still.tick('EUR/USD', price);
    await still.stepBy(250);
    await still.settle();
    expect(await receiptOf(still.house, { customer, orderId })).toBeNull();
    await still.tick('EUR/USD', '1.08500');
    await goOn();
    const { receipt, story, limits } = await check();
    expect(receipt.outcome).toEqual({
      openPrice: '1.08427',
      settlePrice: price,
      result,
      payout,
      voidReason: null,
    });
    expect(story).toBe(
      'opened rules beforeAccept orders beforeOpen open beforeSettle beforeSettle settle afterSettle',
    );
    expect(limits).toEqual(USUAL);
  });

  test('shows every tick that came too early to open the order', async () => {
    await buy({ delayMs: 1_000 });
    for (const price of ['1.08410', '1.08420', '1.08430']) await still.tick('EUR/USD', price);
    still.quote('EUR/USD', '1.08440', acceptedAtMs + 1_000);
    await still.stepBy(250);
    await still.stepTo(settlesAtMs() - 250);
    await still.tick('EUR/USD', '1.08450');
    await still.tick('EUR/USD', '1.08460');
    await still.settle();
    await goOn();
    const { story } = await check();
    expect(story.match(/beforeOpen/g)).toHaveLength(4);
  });

  test('proves a settlement by a restated price', async () => {
    await buy();
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(settlesAtMs() - 4_000);
    await still.tick('EUR/USD', '1.08426');
    await still.runTo(settlesAtMs() + 250);
    await still.settle();
    await still.tick('EUR/USD', '1.08500');
    await goOn();
    const { receipt } = await check();
    expect(receipt.entries.find(({ role }) => role === 'settle')?.entry).toContain('|1.08426|same|');
  });

  test('shows both prices if the order is void because its last price was too old', async () => {
    await buy();
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(settlesAtMs() - 2_500);
    await still.tick('EUR/USD', '1.08426');
    await still.stepTo(settlesAtMs() + 250);
    await still.tick('EUR/USD', '1.08500');
    await still.settle();
    await goOn();
    const { receipt } = await check();
    expect(receipt.outcome).toMatchObject({ settlePrice: '1.08426', result: 'none', voidReason: 'stale' });
  });

  test('names the silence of prices as a limit until prices are back', async () => {
    await buy();
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(settlesAtMs() - 8_000);
    await still.tick('EUR/USD', '1.08428');
    await still.runTo(settlesAtMs() + 1_000);
    await still.settle();
    await goOn();
    const silent = await check();
    expect(silent.receipt.outcome).toMatchObject({ result: 'profit' });
    expect(silent.story).toMatch(/settle afterSettle head$/);
    expect(silent.limits).toEqual(['silence', ...USUAL]);
    await still.tick('EUR/USD', '1.08500');
    await goOn();
    const whole = await check();
    expect(whole.story).toMatch(/settle afterSettle afterSettle$/);
    expect(whole.limits).toEqual(USUAL);
  });

  test('proves that the log extends the one that its customer had seen', async () => {
    await buy();
    await still.tick('EUR/USD', '1.08427');
    const seen = { size: 10, root: Buffer.from(await still.house.reader.rootAt(10)).toString('hex') };
    const request = still.house.request(customer, { symbol: 'EUR/USD', amount: '100' });
    const [answer] = await still.place([{ ...request, seen }]);
    orderId = answer?.kind === 'accepted' ? answer.orderId : 0;
    acceptedAtMs = (await still.order(orderId)).settlesAtMs - 60_000;
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(settlesAtMs() - 250);
    await still.tick('EUR/USD', '1.08428');
    await still.tick('EUR/USD', '1.08429');
    await still.settle();
    await goOn();
    const { receipt } = await check();
    expect(receipt.seen?.fromSize).toBe(10);
  });

  test('is the same after its part of the log has gone into the archive', async () => {
    // Log the rules of all products, so that the log has bundles to archive.
    await buy({}, 1, new ManualFeed({}, 'manual', null));
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(settlesAtMs() - 250);
    await still.tick('EUR/USD', '1.08428');
    await still.tick('EUR/USD', '1.08429');
    await still.settle();
    for (let round = 0; round < 95; round += 1) await goOn(2_000);
    const fresh = await check();
    const { house } = still;
    const { rows } = await house.db.server.query<{ size: string }>('select size from log_head');
    const size = Number(rows[0]?.size);
    expect(size).toBeGreaterThan(512);
    await new LogArchive(house.db.server, house.products).work(size);
    await house.db.owner.query('delete from log_entries where index < 512');
    expect(await check()).toEqual(fresh);
  });
});

describe('the receipt of a void order', () => {
  test('shows the late price if no price came in time', async () => {
    await buy({ staleMs: 60_000 });
    await still.stepBy(250);
    await still.stepTo(acceptedAtMs + 5_250);
    await still.settle();
    await goOn();
    expect(await receiptOf(still.house, { customer, orderId })).toBeNull();
    await still.tick('EUR/USD', '1.08500');
    await goOn();
    const { receipt, story, limits } = await check();
    expect(receipt.outcome).toEqual({
      openPrice: null,
      settlePrice: null,
      result: 'none',
      payout: '100.000000',
      voidReason: 'no_open',
    });
    expect(story).toBe('unopened rules beforeAccept orders beforeOpen open');
    expect(limits).toEqual(USUAL);
  });

  test('shows the gap if prices stopped', async () => {
    await buy({ staleMs: 1_000 });
    await still.runTo(acceptedAtMs + 5_250);
    await still.settle();
    await goOn();
    const { receipt } = await check();
    expect(receipt.outcome.voidReason).toBe('gap');
    expect(receipt.entries.find(({ role }) => role === 'open')?.entry).toMatch(/^gap\|1\|EUR\/USD\|/);
  });

  test('shows the late entry if the order was logged too late', async () => {
    await buy({ staleMs: 60_000 });
    await still.stepTo(acceptedAtMs + 2_250);
    await still.stepTo(acceptedAtMs + 5_250);
    await still.settle();
    await goOn();
    const { receipt, story, limits } = await check();
    expect(receipt.outcome.voidReason).toBe('not_logged');
    expect(story).toBe('late rules beforeAccept orders');
    expect(limits).toEqual(USUAL);
  });

  test('names as a limit that the log never carried the order', async () => {
    await buy({ staleMs: 60_000 });
    await still.stepBy(250);
    // Simulates a writer that skipped the batch: no row says where it is logged.
    await still.house.db.owner.query('delete from logged_batches');
    await still.stepTo(acceptedAtMs + 5_250);
    await still.settle();
    await goOn();
    const { receipt, story, limits } = await check();
    expect(receipt.batch).toBeNull();
    expect(story).toBe('unlogged rules beforeAccept head');
    expect(limits).toEqual(['unlogged', ...USUAL]);
  });
});

describe('no receipt', () => {
  test('exists for an open order or for a customer who does not own the order', async () => {
    await buy();
    await still.tick('EUR/USD', '1.08427');
    expect(await receiptOf(still.house, { customer, orderId })).toBeNull();
    await still.stepTo(settlesAtMs() - 250);
    await still.tick('EUR/USD', '1.08428');
    await still.tick('EUR/USD', '1.08429');
    await still.settle();
    await goOn();
    expect(await receiptOf(still.house, { customer, orderId })).not.toBeNull();
    const other = await still.house.customer();
    expect(await receiptOf(still.house, { customer: other, orderId })).toBeNull();
  });
});
