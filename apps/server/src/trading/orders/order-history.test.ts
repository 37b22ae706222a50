import { get, register } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { TradingFloor } from '@fairtick/kit/installation/trading-floor.ts';
import type { Order } from '@fairtick/protocol';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';

const floor = forFile(() => TradingFloor.open());
const ann = forFile(() => register(floor.origin));
beforeAll(async () => {
  await floor.tick({ 'EUR/USD': '1.08400' });
  const order = async (fields: Record<string, string>) =>
    expect((await floor.order(ann.token, fields)).body.error).toBeUndefined();
  // Two win, one loses, and one stays open.
  await order({ amount: '100' });
  await order({ amount: '60' });
  await order({ amount: '40', direction: 'down' });
  await floor.openAt('EUR/USD', '1.08500');
  await floor.settleAt('EUR/USD', '1.08600');
  await order({ amount: '70', minutes: '5' });
});

const ask = async (path: string, fields: Record<string, string>, { token } = ann) =>
  (await get(floor.origin, path, fields, { token })).body;
const stakes = async (fields: Record<string, string>) =>
  (await ask('order/list', fields)).data.items.map(({ amount }: Order) => Number(amount));

describe('a customer’s history of orders', () => {
  test('the list is filtered by result and by time, with both ends of the time included', async () => {
    const { items } = (await ask('order/list', {})).data as { items: Order[] };
    expect(items.map(({ amount }) => Number(amount))).toEqual([70, 40, 60, 100]);
    expect(await stakes({ result: 'profit' })).toEqual([60, 100]);
    expect(await stakes({ result: 'loss' })).toEqual([40]);
    expect(await stakes({ result: 'none' })).toEqual([]);
    const times = items.map(({ createdAt }) => createdAt);
    const [newest = 0, oldest = 0] = [Math.max(...times), Math.min(...times)];
    expect(await stakes({ from: String(newest) })).toEqual([70]);
    expect(await stakes({ to: String(newest - 1), status: 'settled' })).toEqual([40, 60, 100]);
    expect(await stakes({ from: String(oldest), to: String(newest), symbol: 'EUR/USD' })).toEqual([
      70, 40, 60, 100,
    ]);
    expect(await stakes({ symbol: 'USD/JPY' })).toEqual([]);
    expect(await stakes({ to: String(oldest - 1) })).toEqual([]);
    expect((await ask('order/list', { result: 'win' })).error).toBe('INVALID_VALUE');
  });

  test('the totals of a filter are those of its list', async () => {
    expect((await ask('order/totals', {})).data).toEqual({
      items: [
        {
          ...{ asset: 'DEMO', orders: 4, open: 1, won: 2, lost: 1, none: 0 },
          ...{ staked: '270.000000', result: expect.stringMatching(/^\d/) },
        },
      ],
      isPartial: false,
    });
    const profits = ((await ask('order/list', {})).data.items as Order[]).map(({ profit }) =>
      Number(profit ?? 0),
    );
    const [{ result }] = (await ask('order/totals', {})).data.items;
    expect(Number(result)).toBeCloseTo(profits.reduce((sum, profit) => sum + profit, 0));
    expect((await ask('order/totals', { result: 'loss' })).data.items).toMatchObject([
      { orders: 1, lost: 1, staked: '40.000000', result: '-40.000000' },
    ]);
    expect((await ask('order/totals', { symbol: 'NO/SUCH' })).data.items).toEqual([]);
    expect((await ask('order/totals', {}, await register(floor.origin))).data.items).toEqual([]);
  });

  test('the file has the orders that match, oldest first, in the customer’s language and zone', async () => {
    const file = async (fields: Record<string, string>) => {
      const query = new URLSearchParams({ zone: 'Asia/Shanghai', ...fields });
      const answer = await fetch(`${floor.origin}/api/order/export?${query}`, {
        headers: { token: ann.token },
      });
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toMatch(/fairtick-orders-\d{4}-\d\d-\d\d\.csv/);
      return parse(Buffer.from(await answer.arrayBuffer()), { bom: true, columns: true }) as Record<
        string,
        string
      >[];
    };
    const rows = await file({ lang: 'en' });
    expect(rows.map((row) => [row.Stake, row.Result, row.Loss, row.Returned])).toEqual([
      ['100.000000', 'Profit', '', expect.stringMatching(/^1\d\d\./)],
      ['60.000000', 'Profit', '', expect.stringMatching(/^1\d\d\./)],
      ['40.000000', 'Loss', '40.000000', '0.000000'],
      ['70.000000', 'Unsettled', '', ''],
    ]);
    expect(rows[0]).toMatchObject({
      ...{ Product: 'EUR/USD', Direction: 'Buy up', Asset: 'DEMO', 'Cycle (minutes)': '1' },
      ...{ 'Buy price': '1.08500', 'Settlement price': '1.08600', 'Time zone': 'UTC+08:00' },
    });
    expect((await file({ lang: 'tw', result: 'loss' }))[0]).toMatchObject({ 方向: '買跌', 結果: '虧損' });
    expect(await file({ lang: 'zh', symbol: 'NO/SUCH' })).toEqual([]);
  });
});
