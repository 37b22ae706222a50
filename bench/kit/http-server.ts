import { endpoints } from '@fairtick/protocol';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { readConfig } from '../../apps/server/src/config/config.ts';
import { Sessions } from '../../apps/server/src/customers/identity/sessions.ts';
import { startServer } from '../../apps/server/src/main.ts';
import { loadSigningKeys } from '../../apps/server/src/market/keys/signing-keys.ts';
import { LogReader } from '../../apps/server/src/market/log/log-reader.ts';
import { MarketView } from '../../apps/server/src/market/market-view.ts';
import { Products } from '../../apps/server/src/market/products.ts';
import { RuleBook } from '../../apps/server/src/market/rule-book.ts';
import { WatchedProducts } from '../../apps/server/src/market/watched-products.ts';
import { Assets } from '../../apps/server/src/platform/assets.ts';
import { Listener } from '../../apps/server/src/platform/bus/listener.ts';
import { PostgresWire } from '../../apps/server/src/platform/bus/postgres-wire.ts';
import { createPool, openDatabase } from '../../apps/server/src/platform/db/database.ts';
import { Line } from '../../apps/server/src/platform/fairness/line.ts';
import { LoopTurns } from '../../apps/server/src/platform/fairness/loop-turns.ts';
import type { Handlers } from '../../apps/server/src/platform/http/context.ts';
import { HealthProbe } from '../../apps/server/src/platform/http/health.ts';
import { ApiMetrics } from '../../apps/server/src/platform/http/metrics.ts';
import { createHttpServer } from '../../apps/server/src/processes/api/server.ts';
import { StreamHub } from '../../apps/server/src/stream/hub.ts';
import { BatchBook } from '../../apps/server/src/trading/placement/batch-book.ts';
import { NO_CHATS } from './no-chats.ts';

/**
 * The server under load, in a separate process: all roles on PORT, and on the next port the same HTTP layer with empty handlers.
 * There a POST is read, its session looked up, its fields checked, and answered. Prints `ready`.
 */
const config = readConfig(process.env);
const database = await openDatabase(config, () => {});
const server = await startServer(config, database, { appDist: null });
await startEmptyLayer(config.port + 1);
process.once('SIGINT', () => void server.stop().then(() => process.exit(0)));
console.log('ready');

async function startEmptyLayer(port: number): Promise<void> {
  const log = pino({ level: 'silent' });
  const pool = createPool(database.server, { max: 24, name: 'empty' });
  const listener = new Listener(new PostgresWire(database.server, log), log);
  const products = await Products.load(pool);
  const rules = new RuleBook(pool);
  const reader = new LogReader(pool, products, rules);
  const market = new MarketView(pool, products, rules);
  const sessions = new Sessions(pool, listener);
  const assets = await Assets.load(pool);
  const batches = new BatchBook(pool);
  const turns = new LoopTurns();
  const handlers = Object.fromEntries(Object.keys(endpoints).map((name) => [name, async () => null]));
  const app = await createHttpServer({
    isSecure: false,
    vendorHook: null,
    sessions,
    handlers: handlers as unknown as Handlers,
    log,
    db: pool,
    reader,
    readLine: new Line({ atOnce: 24, waiting: 1_000 }),
    marks: { index: () => Buffer.of(), indices: () => [] },
    keys: loadSigningKeys(config.signingKeyFile, 'bench.invalid/api/transparency'),
    hub: new StreamHub({
      db: pool,
      pool,
      assets,
      products,
      rules,
      reader,
      market,
      batches,
      sessions,
      log,
      readers: pool,
      watched: new WatchedProducts(pool, log),
      past: null,
      turns,
      shares: { readers: 1e6, topics: 1e9, messages: 1e9 },
      chats: NO_CHATS,
      feed: 'simulated',
    }),
    health: new HealthProbe(pool),
    metrics: new ApiMetrics(new Registry(), () => 0),
    turns,
    throttle: { quota: async () => {}, call: async () => {}, guesses: () => async () => false },
    door: {
      trustProxy: false,
      addressHeader: null,
      maxRequests: 50_000,
      maxConnections: 20_000,
      receiveMs: 10_000,
    },
    registerApp: null,
  });
  await listener.start();
  await app.listen({ port, host: config.host });
}
