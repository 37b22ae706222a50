import { get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { ownFloor } from '@fairtick/kit/fixtures/houses.ts';
import { trustedKeys } from '@fairtick/kit/people/receipts.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { verifyLogged } from '@fairtick/proof';
import { expect, test } from 'vitest';

/** The calls of products and orders as the app makes them, and their answers. */
const floor = ownFloor();

const read = async (path: string, fields: Record<string, string> = {}, token?: string) => {
  const { body } = await get(floor.origin, path, fields, token === undefined ? {} : { token });
  expect([path, body.error]).toEqual([path, undefined]);
  return body.data;
};

test('products are listed and shown one by one, each with what a visitor may see (S1-14, S2-44, S7-22)', async () => {
  const [all, product] = await seen(async () => {
    const list = await read('product/list');
    const found = list.find(({ symbol }: { symbol: string }) => symbol === 'EUR/USD');
    return found.price !== null && [list, found];
  });
  expect(all.length).toBeGreaterThan(100);
  expect(product).toMatchObject({
    symbol: 'EUR/USD',
    name: 'Euro / US Dollar',
    assetClass: 'forex',
    isOpen: true,
    price: '1.08400',
  });
  const detail = await read('product/detail', { symbol: 'EUR/USD' });
  expect(detail).toMatchObject({ symbol: 'EUR/USD', cycles: product.cycles, quorum: 2, schedule: {} });
  expect(detail.rulesHash).toMatch(/^[0-9a-f]{64}$/);
});

test('a product offers six cycles with bounds per cycle and asset, and no maximum for platinum customers (S1-06, S3-24, S3-25, S3-26, S5-18, S9-08)', async () => {
  const { cycles } = await read('product/detail', { symbol: 'EUR/USD' });
  const bounds = (least: string, most: string) => ({
    minBalance: least,
    minPurchase: least,
    maxPurchase: most,
  });
  expect(cycles.map(({ minutes }: { minutes: number }) => minutes)).toEqual([1, 3, 5, 15, 30, 60]);
  for (const { minutes, limits } of cycles) {
    const isShort = minutes <= 5;
    expect([minutes, limits]).toEqual([
      minutes,
      [
        { asset: 'DEMO', ...bounds('10.000000', isShort ? '5000.000000' : '10000.000000') },
        { asset: 'USDT', ...bounds('10.000000', isShort ? '5000.000000' : '10000.000000') },
        { asset: 'USD', ...bounds('10.00', isShort ? '5000.00' : '10000.00') },
        { asset: 'BTC', ...bounds('0.00020000', isShort ? '0.10000000' : '0.20000000') },
        { asset: 'ETH', ...bounds('0.00500000', isShort ? '2.00000000' : '4.00000000') },
      ],
    ]);
  }
  // A platinum customer has no maximum.
  const jo = await register(floor.origin);
  await floor.house.db.owner.query(`update customers set level = 'platinum' where id = $1`, [jo.id]);
  const own = await read('product/detail', { symbol: 'EUR/USD' }, jo.token);
  expect(own.cycles[0].limits[0].maxPurchase).toBeNull();
});

test('an order is bought, listed, looked at, seen by all without a name, settled, and proved (S1-04, S2-46, S3-08 to S3-15, S4-35, S7-22, S7-23)', async () => {
  const ann = await register(floor.origin);
  const { body } = await floor.order(ann.token, { direction: 'down', amount: '100' });
  const { id } = body.data;
  const bought = {
    id,
    symbol: 'EUR/USD',
    direction: 'down',
    minutes: 1,
    asset: 'DEMO',
    amount: '100.000000',
    expectedIncome: '80.000000',
  };
  expect(body.data).toMatchObject({ ...bought, status: 'unsettled', openPrice: null, result: null });
  await floor.openAt('EUR/USD', '1.08427');
  const open = await seen(async () => {
    const detail = await read('order/detail', { id }, ann.token);
    return detail.currentPrice === '1.08427' && detail;
  });
  expect(open).toMatchObject({
    ...bought,
    status: 'unsettled',
    openPrice: '1.08427',
    settlePrice: null,
    profit: null,
  });
  expect(await read('product/latestTrades', { symbol: 'EUR/USD' })).toEqual([
    { time: body.data.createdAt, direction: 'down', amount: '100.000000', asset: 'DEMO', minutes: 1 },
  ]);
  await floor.settleAt('EUR/USD', '1.08401');
  const settled = {
    ...bought,
    status: 'settled',
    settlePrice: '1.08401',
    result: 'profit',
    profit: '80.000000',
  };
  const { items } = await read('order/list', { status: 'settled' }, ann.token);
  expect(items).toMatchObject([settled]);
  expect(await read('order/detail', { id }, ann.token)).toMatchObject(settled);
  const receipt = await read('order/receipt', { id }, ann.token);
  expect(receipt.outcome).toMatchObject({ result: 'profit' });
  // What was evidence soon after the acceptance is what the receipt shows.
  const evidence = await read('order/logged', { id }, ann.token);
  const orders = receipt.entries.find(({ role }: { role: string }) => role === 'orders');
  expect(evidence).toMatchObject({ index: orders.index, entry: orders.entry, batch: 1 });
  expect(evidence.batchProof).toEqual(receipt.batch.proof);
});

test('an order’s place in the log is shown once a checkpoint covers it, to its own customer only, and can be checked', async () => {
  const [ann, bob] = [await register(floor.origin), await register(floor.origin)];
  const { body } = await floor.order(ann.token);
  const { id, acceptance } = body.data;
  const ask = () => get(floor.origin, 'order/logged', { id }, { token: ann.token });
  expect((await ask()).body).toMatchObject({ code: 0, error: 'LOGGED_SOON' });
  const evidence = await seen(async () => {
    await floor.tick();
    return (await ask()).body.data;
  });
  expect(Object.keys(evidence)).toEqual([
    'entry',
    'index',
    'entryProof',
    'batch',
    'batchProof',
    'beforeAccept',
    'consistency',
    'checkpoint',
    'keys',
    'rules',
  ]);
  const keys = trustedKeys(floor.house);
  const judge = (answer: unknown) => verifyLogged(acceptance, answer, { keys });
  expect(judge(evidence)).toMatchObject({ isValid: true, found: { isInTime: true } });
  const [first, ...rest] = evidence.entryProof;
  const proof = [`${first}`.replace(/^./, (digit: string) => (digit === '0' ? '1' : '0')), ...rest];
  expect(judge({ ...evidence, entryProof: proof }).isValid).toBe(false);
  expect(judge({ ...evidence, batch: evidence.batch + 1 }).isValid).toBe(false);
  for (const [token, asked] of [
    [bob.token, id],
    [ann.token, '1'],
    [ann.token, 'x'],
  ]) {
    const { body: other } = await get(floor.origin, 'order/logged', { id: asked }, { token });
    expect(other.error).toMatch(/^(ORDER_NOT_FOUND|INVALID_)/);
  }
});

test('an order is refused with another direction than up or down, or with an unknown cycle (S1-05, S1-06, S4-05)', async () => {
  const { token } = await register(floor.origin);
  for (const [field, value, error] of [
    ['direction', 'sideways', 'INVALID_VALUE'],
    ['direction', '', 'INVALID_VALUE'],
    ['direction', 'UP', 'INVALID_VALUE'],
    ['minutes', '2', 'CYCLE_NOT_OFFERED'],
    ['minutes', '0', 'CYCLE_NOT_OFFERED'],
  ] as const) {
    const { body } = await floor.order(token, { [field]: value });
    expect([field, value, body.error]).toEqual([field, value, error]);
  }
  expect((await read('order/list', {}, token)).items).toEqual([]);
});

test('an order whose batch hangs gets 503 with Retry-After within seconds, and its key finds the order later', async () => {
  const ann = await register(floor.origin);
  const order = { symbol: 'EUR/USD', direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' };
  const call = { token: ann.token, key: 'hangs' };
  const blocker = await floor.house.db.owner.connect();
  await blocker.query('begin; select * from placement_head for update');
  const startedMs = performance.now();
  const hung = await post(floor.origin, 'order/create', order, call);
  const tookMs = performance.now() - startedMs;
  await blocker.query('rollback');
  blocker.release();
  expect([hung.status, hung.body.error, hung.headers.get('retry-after')]).toEqual([503, 'NOT_READY', '1']);
  expect(tookMs).toBeGreaterThan(3_000);
  // The database ends a statement that hangs only after 15 s.
  expect(tookMs).toBeLessThan(15_000);
  const again = await seen(async () => {
    await floor.tick({ 'EUR/USD': '1.08400' });
    const { body } = await post(floor.origin, 'order/create', order, call);
    return body.code === 1 && body.data;
  });
  const { items } = await read('order/list', {}, ann.token);
  expect(items.map(({ id }: { id: string }) => id)).toEqual([again.id]);
});
