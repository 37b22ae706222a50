import { Api, newKey, register } from '@fairtick/kit/clients/api.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import { type NoteVerifier, nobleVerifier, verifyReceipt, wordsOf } from '@fairtick/proof';
import { tradingPeriodAt } from '@fairtick/trading';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveSchedule } from '../../apps/server/src/market/catalogue/schedules.ts';
import { readKey } from '../second-verifier/reading.ts';
import { verify } from '../second-verifier/verify.ts';

/** A product whose prices three vendors give, one of them signed: its receipts show what was signed. */
const SYMBOL = 'EUR/USD';
const installation = new Installation();
let market: VenueMarket;
let api: Api;

beforeAll(async () => {
  market = await VenueMarket.open({ vendors: ['oanda', 'pyth', 'tiingo'] });
  const { origin } = await installation.start({ FEED: 'live', SOURCES_FILE: market.file });
  api = await seen(() => Api.open(origin).catch(() => null), { withinMs: 110_000, what: 'the API' });
}, 300_000);
afterAll(async () => {
  await installation.close();
  await market.close();
});

/** Currencies have no prices at the weekend, and this test needs three minutes of them. */
const period = tradingPeriodAt(liveSchedule('currency-dealers'), Date.now());
const isClosed = period === null || (period.endMs ?? Number.POSITIVE_INFINITY) < Date.now() + 180_000;

test('the receipt of an order shows who signed the price of Pyth; at the weekend the product is closed by its hours', async () => {
  const product = async () => {
    const { body } = await api.get('product/list', {});
    return body.data.find((one: { symbol: string }) => one.symbol === SYMBOL);
  };
  if (isClosed) return expect(await product()).toMatchObject({ isOpen: false, closed: { because: 'hours' } });
  await until(async () => {
    const { price, isOpen } = await product();
    return price !== null && isOpen;
  });
  const customer = await register(api);
  const order = { symbol: SYMBOL, direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
  const placed = await seen(
    async () => {
      const { body } = await api.post('order/create', order, { token: customer.token, key: newKey() });
      return body.code === 1 && body.data;
    },
    { everyMs: 500, what: 'an order' },
  );
  const receipt = await seen(
    async () => {
      const { body } = await api.get('order/receipt', { id: placed.id }, { token: customer.token });
      return body.code === 1 && body.data.updates?.length === 2 && body.data.updates[1].next && body.data;
    },
    { withinMs: 120_000, everyMs: 500, what: 'the receipt with both updates' },
  );
  const { checkpoints, acceptances } = (await api.get('transparency/key')).body.data;
  const second = verify(JSON.stringify(receipt), {
    log: readKey(checkpoints),
    acceptances: readKey(acceptances),
  });
  expect(second).toMatchObject({ valid: true, outcome: { voidReason: null } });
  expect(second).not.toMatchObject({ limits: expect.arrayContaining(['updates']) });

  const keys = {
    log: [nobleVerifier(checkpoints) as NoteVerifier],
    acceptances: [nobleVerifier(acceptances) as NoteVerifier],
    witnesses: [],
  };
  const report = verifyReceipt(receipt, { keys });
  expect(report.isValid).toBe(true);
  // The test's routers are named in the rules of the product, and are not Pyth's.
  expect(wordsOf(report).join('\n')).toContain("is signed by 3 of 5 keys that the rules name as Pyth's.");
  const [first] = receipt.updates;
  const moved = { ...receipt, updates: [{ ...first, update: receipt.updates[1].update }] };
  expect(verifyReceipt(moved, { keys }).steps.find(({ state }) => state === 'refuted')?.id).toBe('updates');
}, 240_000);
