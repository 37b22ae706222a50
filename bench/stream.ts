import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd } from '@fairtick/kit/load/crowd.ts';
import { points } from '@fairtick/money';
import { GRID_MS } from '@fairtick/trading';
import { pino } from 'pino';
import { WebSocket, WebSocketServer } from 'ws';
import { Sessions } from '../apps/server/src/customers/identity/sessions.ts';
import { readLogHead } from '../apps/server/src/market/log/log-head.ts';
import { LogReader } from '../apps/server/src/market/log/log-reader.ts';
import { MarketView } from '../apps/server/src/market/market-view.ts';
import { Products } from '../apps/server/src/market/products.ts';
import { RuleBook } from '../apps/server/src/market/rule-book.ts';
import { WatchedProducts } from '../apps/server/src/market/watched-products.ts';
import { Assets } from '../apps/server/src/platform/assets.ts';
import { Listener } from '../apps/server/src/platform/bus/listener.ts';
import { PostgresWire } from '../apps/server/src/platform/bus/postgres-wire.ts';
import { LoopTurns } from '../apps/server/src/platform/fairness/loop-turns.ts';
import { StreamHub } from '../apps/server/src/stream/hub.ts';
import { BatchBook } from '../apps/server/src/trading/placement/batch-book.ts';
import { openInstallation } from './kit/installation.ts';
import { inTurn, median, printTable } from './kit/measure.ts';
import { NO_CHATS } from './kit/no-chats.ts';
import { sized } from './kit/size.ts';

/**
 * Fan-out: CPU of the sender for each message and reader, the product's stream hub against a plain broadcast that calls `send` of
 * `ws` for each reader with the same bytes. Readers run in a separate process.
 *   npm run bench -- stream
 */
const ROUNDS = sized(7, 1);
const MESSAGES = sized(100, 5);
/** How many readers; the command line can set others. */
const READERS = process.argv.length > 2 ? process.argv.slice(2).map(Number) : sized([300, 1_000], [10]);
const SYMBOL = 'EUR/USD';
const TOPICS = { quote: [`quote:${SYMBOL}`], 'quote and candle': [`quote:${SYMBOL}`, `candle:${SYMBOL}:1m`] };

const installation = await openInstallation();
const log = pino({ level: 'silent' });
const db = installation.server;
const products = await Products.load(db);
const rules = new RuleBook(db);
const market = new MarketView(db, products, rules);
await market.load();
const assets = await Assets.load(db);
const head = await readLogHead(db);
/** The product's last price. */
const state = { productId: products.bySymbol(SYMBOL)?.id ?? 0, n: 0, timeMs: Date.UTC(2026, 5, 1, 12) };

try {
  const rows: string[][] = [];
  for (const [name, topics] of Object.entries(TOPICS)) {
    for (const readers of READERS) rows.push([name, String(readers), ...(await compare(readers, topics))]);
  }
  printTable(
    ['topics', 'readers', 'ws, text µs', 'ws, Buffer µs', 'hub µs', 'hub × ws text', 'hub × ws Buffer'],
    rows,
  );
} finally {
  await installation.close();
}

/** Adds one price of the product, as the log's follower delivers it. */
function tick(hub: StreamHub): void {
  state.n += 1;
  state.timeMs += GRID_MS;
  const price = points(108_000n + BigInt(state.n % 1_000));
  const entry = {
    kind: 'tick' as const,
    index: state.n,
    productId: state.productId,
    rulesId: 1,
    n: state.n,
    timeMs: state.timeMs,
    price,
    sourcesNow: 0,
    heardMs: null,
  };
  hub.publishNews({ entries: [entry], head, quotes: null }, market.apply([entry]));
}

async function compare(readers: number, topics: readonly string[]): Promise<string[]> {
  const hub = new StreamHub({
    db,
    pool: db,
    assets,
    products,
    rules,
    reader: new LogReader(db, products, rules),
    market,
    batches: new BatchBook(db),
    sessions: new Sessions(db, new Listener(new PostgresWire(installation.address.server, log), log)),
    log,
    readers: db,
    watched: new WatchedProducts(db, log),
    past: null,
    turns: new LoopTurns(),
    shares: { readers: 1e6, topics: 1e9, messages: 1e9 },
    chats: NO_CHATS,
    feed: 'simulated',
  });
  const plain: WebSocket[] = [];
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const http = createServer();
  http.on('upgrade', (request, socket, first) =>
    sockets.handleUpgrade(request, socket, first, (reader) => {
      if (request.url === '/plain') plain.push(reader);
      else hub.accept(reader, socket, { language: 'en', address: null });
    }),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const joining = setInterval(() => tick(hub), 1);
  const crowds = [
    await Crowd.join({ port, path: '/plain', readers, topics: [] }),
    await Crowd.join({ port, path: '/hub', readers, topics: [topics] }),
  ];
  await crowds[1]?.subscribe();
  const messages = await listen(port, topics);
  clearInterval(joining);

  const measured = (send: () => void) =>
    costOf(send, () => plain.every((reader) => reader.bufferedAmount === 0));
  const results = await inTurn(ROUNDS, {
    text: () =>
      measured(() => {
        for (const message of messages) {
          const text = JSON.stringify(message);
          for (const reader of plain) reader.send(text);
        }
      }),
    buffer: () =>
      measured(() => {
        for (const message of messages) {
          const bytes = Buffer.from(JSON.stringify(message));
          for (const reader of plain) reader.send(bytes, { binary: false });
        }
      }),
    hub: () => measured(() => tick(hub)),
  });
  hub.stop();
  sockets.close();
  for (const each of crowds) await each.leave();
  http.close();
  const middle = (name: string) => median(results[name] ?? []) / readers / topics.length;
  const [text, buffer, own] = [middle('text'), middle('buffer'), middle('hub')];
  return [text, buffer, own, text / own, buffer / own].map((value) => value.toFixed(2));
}

/** CPU of this process for one sending, in microseconds. */
async function costOf(send: () => void, isSent: () => boolean): Promise<number> {
  const before = process.cpuUsage();
  for (let message = 0; message < MESSAGES; message += 1) {
    send();
    // As in the product, a message is sent before the next one comes.
    await new Promise((resolve) => setImmediate(resolve));
  }
  while (!isSent()) await sleep(5);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / MESSAGES;
}

/** Returns one message of each topic as a reader gets it: the plain broadcast sends these. */
async function listen(port: number, topics: readonly string[]): Promise<unknown[]> {
  const reader = new WebSocket(`ws://127.0.0.1:${port}/hub`);
  const newest = new Map<string, unknown>();
  reader.on('message', (data) => {
    const message = JSON.parse(String(data)) as { topic: string; type: string };
    if (message.type === 'change') newest.set(message.topic, message);
  });
  await once(reader, 'open');
  for (const topic of topics) reader.send(JSON.stringify({ op: 'sub', topic }));
  while (newest.size < topics.length) await sleep(20);
  reader.terminate();
  return [...newest.values()];
}
