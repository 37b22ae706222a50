import { get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { LiveHouse } from '@fairtick/kit/installation/live-house.ts';
import { keysOf, readTexts } from '@fairtick/kit/installation/writers.ts';
import { trustedKeys } from '@fairtick/kit/people/receipts.ts';
import { FRAMES } from '@fairtick/kit/venues/frames.ts';
import { VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import type { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import { beginJudging, EntryJudge, verifyReceipt } from '@fairtick/proof';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { LiveFeed } from '../../apps/server/src/market/feeds/live/live-feed.ts';
import { readSourcesFile } from '../../apps/server/src/market/feeds/live/sources-file.ts';
import { LogReader } from '../../apps/server/src/market/log/log-reader.ts';
import { RuleBook } from '../../apps/server/src/market/rule-book.ts';

/** Exchanges on loopback, of which one is lost for long and one that guards disagrees: orders, receipts and the log. */
const AWAY_AFTER_MS = 10_000;
const ORDER = { symbol: 'BTC/USDT', direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' };
/** Within this an order is refused after the sources disagree. */
const CLOSED_WITHIN_MS = 1_500;

const market = forFile(() => VenueMarket.open());
const house = forFile(
  () =>
    LiveHouse.open({}, (db, products) =>
      LiveFeed.start({
        pool: db.server,
        products,
        file: readSourcesFile(market.file),
        mode: 'demo',
        log: pino({ level: 'silent' }),
        awayAfterMs: AWAY_AFTER_MS,
      }),
    ),
  closeAudited,
);

const create = (token: string, key: string) => post(house.origin(0), 'order/create', ORDER, { token, key });
const lastPrice = () => Number(market.records.get('binance')?.trades().at(-1)?.price);

async function texts(): Promise<string[]> {
  const { server } = house.db;
  return readTexts({
    db: house.db,
    reader: new LogReader(server, house.products, new RuleBook(server)),
  });
}

/** The entries of a kind and symbol, oldest first. */
const linesOf = async (begin: string) => (await texts()).filter((text) => text.startsWith(begin));

/** The exchange's stream and its history are out of reach. */
function lose(source: 'okx'): void {
  const record = market.records.get(source);
  if (record) record.change = () => ({ body: '', status: 503 });
  market.break(source);
}

function find(source: 'okx'): void {
  const record = market.records.get(source);
  if (record) record.change = (trades) => trades;
  market.heal();
}

async function receiptOf(token: string, id: number): Promise<object | null> {
  const { body } = await get(house.origin(0), 'order/receipt', { id: String(id) }, { token });
  return body.code === 1 ? body.data : null;
}

function expectValid(receipt: object): void {
  expect(verifyReceipt(JSON.parse(JSON.stringify(receipt)), { keys: trustedKeys(house) }).isValid).toBe(true);
}

test('an exchange that is lost for long is left out of fixes until it answers, and orders settle with receipts that hold', async () => {
  const { token } = await register(house.origin(0));
  const placed = await seen(
    async () => {
      const { body } = await create(token, `first-${Date.now()}`);
      return body.code === 1 && body.data;
    },
    { everyMs: 500, withinMs: 90_000, what: 'an order' },
  );
  lose('okx');
  await until(async () => (await linesOf('away|')).length > 0, 60_000);
  const [opening] = await linesOf('fix|4|BTC/USDT|');
  expect(opening).toMatch(/;okx,[^;]*,open$/);
  expect((await linesOf('away|'))[0]).toMatch(/^away\|4\|1\|\d+\|okx\|on$/);
  const receipt = await seen(() => receiptOf(token, placed.id), {
    everyMs: 1_000,
    withinMs: 120_000,
    what: 'the receipt',
  });
  expect((await linesOf('fix|4|BTC/USDT|'))[1]).toMatch(/;okx,away$/);
  expectValid(receipt);
  find('okx');
  await until(async () => (await linesOf('close|')).length > 0, 90_000);
  expect((await linesOf('away|'))[1]).toMatch(/^away\|4\|2\|\d+\|okx\|off$/);
  // The fix of before is what the exchange's own record says.
  const fixMs = Number(opening?.split('|')[5]);
  const trades = market.records.get('okx')?.trades() ?? [];
  const last = trades.findLast(({ timeMs }) => timeMs <= fixMs);
  expect((await linesOf('close|'))[0]).toContain(`;okx,${last?.number},${last?.timeMs},`);
  expectValid(
    await seen(() => receiptOf(token, placed.id), { everyMs: 1_000, withinMs: 30_000, what: 'the receipt' }),
  );
  const { checkpoints, acceptances } = keysOf(house).verifierKeys;
  const judge = new EntryJudge(beginJudging(0, [checkpoints, acceptances]));
  for (const text of await texts()) expect([text, judge.take(text)]).toEqual([text, null]);
}, 400_000);

test('a product whose guard disagrees takes no orders at once, and takes them again when both agree', async () => {
  const { token } = await register(house.origin(0));
  const isTaken = async () => (await create(token, `guard-${Date.now()}`)).body.code === 1;
  await until(isTaken, 60_000);
  market.mute('bybit');
  let factor = 1.02;
  let order = 10_000_000;
  const says = setInterval(() => {
    order += 1;
    const price = (lastPrice() * factor).toFixed(2);
    const frame = FRAMES.bybit?.price({ bid: price, ask: price, atMs: Date.now(), order }) ?? '';
    (market.venues.get('bybit') as VenueServer).say(frame);
  }, 100);
  try {
    const apartMs = Date.now();
    const answer = await seen(
      async () => {
        const { body } = await create(token, `guard-${Date.now()}`);
        return body.code !== 1 && body;
      },
      { everyMs: 50, withinMs: 10_000, what: 'a refusal' },
    );
    expect(answer.error).toBe('PRICE_UNAVAILABLE');
    const gap = (await linesOf('gap|4|BTC/USDT|')).find((text) => text.includes('|halt|'));
    expect(gap).toBeDefined();
    expect(Number(gap?.split('|')[4]) - apartMs).toBeLessThan(CLOSED_WITHIN_MS);
    await until(async () => {
      const { body } = await get(house.origin(1), 'product/list', {});
      const product = body.data.find(({ symbol }: { symbol: string }) => symbol === ORDER.symbol);
      return !product.isOpen && product.closed.because === 'disagreement';
    });
    factor = 1;
    await until(isTaken, 60_000);
  } finally {
    clearInterval(says);
  }
}, 200_000);
