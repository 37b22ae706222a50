import { setTimeout as sleep } from 'node:timers/promises';
import { Api, newKey, register } from '@fairtick/kit/clients/api.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { percentile, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * How long after its settlement second an order's result reaches its customer over the stream, on live prices. The venues are on
 * loopback, 50 to 150 ms away, and trade every 100 ms. The baseline is a frame of the furthest venue: a fix can't be known before a
 * trade after its second has arrived from there, on average half a step and the longest way after it.
 *   npm run bench -- settled-shown [SECONDS]
 */
const SECONDS = Number(process.argv[2] ?? sized(120, 3));
const WAY_MS: readonly [number, number] = [50, 150];
const STEP_MS = 100;
const BASELINE_MS = WAY_MS[1] + STEP_MS / 2;
const SYMBOL = 'BTC/USDT';

const installation = new Installation();
const market = await VenueMarket.open({ wayMs: WAY_MS });
try {
  const { origin } = await installation.start({ FEED: 'live', SOURCES_FILE: market.file });
  const api = await seen(() => Api.open(origin).catch(() => null), { withinMs: 110_000, what: 'the API' });
  const { token } = await register(api);
  const stream = await StreamClient.open(origin, token);
  await stream.sub('orders');
  const shown: number[] = [];
  const told = new Set<number>();
  stream.socket.on('message', (text) => {
    const { topic, data } = JSON.parse(String(text));
    for (const order of topic === 'orders' ? [data].flat() : []) {
      if (order?.status !== 'settled' || told.has(order.id)) continue;
      told.add(order.id);
      shown.push(Date.now() - order.settlesAt);
    }
  });
  const placed = await placeEachSecond(api, token);
  await seen(() => told.size === placed, { withinMs: 90_000, everyMs: 200, what: 'all results' });
  printTable(
    ['orders', 'p50, ms', 'p99, ms', 'baseline, ms', '× p50'],
    [[placed, percentile(shown, 0.5), percentile(shown, 0.99), BASELINE_MS, ratio(shown)]],
  );
} finally {
  await installation.close();
  await market.close();
}

/** @returns how many orders were taken */
async function placeEachSecond(api: Api, token: string): Promise<number> {
  const order = { symbol: SYMBOL, direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' };
  const place = async () => (await api.post('order/create', order, { token, key: newKey() })).body.code === 1;
  await seen(place, { withinMs: 60_000, everyMs: 500, what: 'an order' });
  let placed = 1;
  for (let second = 1; second < SECONDS; second += 1) {
    await sleep(1_000);
    if (await place()) placed += 1;
  }
  return placed;
}

function ratio(shown: readonly number[]): string {
  return (percentile(shown, 0.5) / BASELINE_MS).toFixed(1);
}
