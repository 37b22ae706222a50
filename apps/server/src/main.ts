import { setTimeout as sleep } from 'node:timers/promises';
import type { Language } from '@fairtick/protocol';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Config } from './config/config.ts';
import { closedRegions } from './config/operator-profile.ts';
import { dataExportHandlers } from './customers/data-export/routes.ts';
import { seedDemoCustomer } from './customers/identity/demo-customer.ts';
import { Passwords } from './customers/identity/passwords.ts';
import { identityHandlers } from './customers/identity/routes.ts';
import { securityHandlers } from './customers/identity/security-routes.ts';
import { Sessions } from './customers/identity/sessions.ts';
import { keepIdentityTidy } from './customers/identity/tidy.ts';
import { customerFactors } from './customers/personal-data/factor-box.ts';
import { personalHandlers } from './customers/personal-data/routes.ts';
import { protectionHandlers } from './customers/protection/routes.ts';
import { statisticsHandlers } from './customers/statistics/routes.ts';
import { verificationHandlers } from './customers/verification/routes.ts';
import { LogFollower } from './market/log/log-follower.ts';
import { readLastCheckpoint, readLogHead } from './market/log/log-head.ts';
import { LogReader } from './market/log/log-reader.ts';
import { ProofReader } from './market/log/proof-reader.ts';
import { loadSigningKeys, type SigningKeys } from './market/log/signing-keys.ts';
import { MarketView } from './market/market-view.ts';
import { boardAnswers } from './market/product-answers.ts';
import { Products } from './market/products.ts';
import { productHandlers } from './market/routes.ts';
import { RuleBook } from './market/rule-book.ts';
import { TradingCalendar } from './market/trading-calendar.ts';
import { rechargeHandlers } from './money/deposits/routes.ts';
import { earningsHandlers } from './money/earnings/routes.ts';
import { fundHandlers } from './money/fund-log/routes.ts';
import { withdrawHandlers } from './money/withdrawals/routes.ts';
import { NewsImporter } from './news/feeds/news-importer.ts';
import { newsHandlers } from './news/routes.ts';
import { noticeHandlers } from './notices/routes.ts';
import { registerApp } from './pages/app/register-app.ts';
import { landingOf } from './pages/landing/landing.ts';
import { Assets } from './platform/assets.ts';
import { lastBackupMs } from './platform/backup/backup-folder.ts';
import { createPool, type DatabaseAddress, type Pool } from './platform/db/database.ts';
import { Listener } from './platform/db/listener.ts';
import { HealthProbe } from './platform/http/health.ts';
import { listen } from './platform/http/listen.ts';
import { Metrics } from './platform/http/metrics.ts';
import { ReadLine } from './platform/http/read-line.ts';
import { createLog } from './platform/log-lines.ts';
import { LoopDelays, watchLoop } from './platform/loop-delay.ts';
import { Throttle } from './platform/throttle/throttle.ts';
import { Turns } from './platform/turns.ts';
import { appConfig, riskTextOf } from './roles/api/app-config.ts';
import { createHttpServer } from './roles/api/server.ts';
import { startOfficePart } from './roles/office-part.ts';
import { personalParts } from './roles/personal-parts.ts';
import { SimulatedPast } from './roles/threads/simulated-past.ts';
import { startDecidingRoles } from './roles/threads/start-roles.ts';
import { StreamHub } from './stream/hub.ts';
import { tellNews } from './stream/tell-news.ts';
import { Chats } from './support/chats.ts';
import { supportHandlers } from './support/routes.ts';
import { orderHandlers } from './trading/orders/routes.ts';
import { BatchBook } from './trading/placement/batch-book.ts';
import { ExposureBook } from './trading/placement/exposure-book.ts';
import { PlacementQueue } from './trading/placement/placement-queue.ts';
import { SettlementPace } from './trading/placement/settlement-pace.ts';
import { alertHandlers } from './trading/price-alerts/routes.ts';
import { transparencyHandlers } from './transparency/public/routes.ts';

/** Wires the roles of this process together, and sets the order of their start and stop. */
export interface RunningServer {
  readonly config: Config;
  /** Origin of the office that this process serves; null: it serves none. */
  readonly officeOrigin: string | null;
  /** @param options.drain the API serves for a while longer, so that a balancer has time to stop sending */
  stop(options?: { drain: boolean }): Promise<void>;
}

/** How often rules that have come into force are looked for. */
const REFRESH_RULES_MS = 10_000;
/** Length of the queue for new TCP connections; a client that finds it full retries after 1, 3 and 7 s. */
const BACKLOG = 4_096;
/** How often files of transactions that never committed are looked for. */
const SWEEP_UPLOADS_MS = 10 * 60_000;

interface Shared {
  readonly config: Config;
  readonly log: Logger;
  readonly pool: Pool;
  readonly listener: Listener;
  readonly products: Products;
  readonly assets: Assets;
  readonly rules: RuleBook;
  readonly reader: LogReader;
  readonly keys: SigningKeys;
  readonly passwords: Passwords;
  /** Metrics of this process, served at METRICS_PORT. */
  readonly registry: Registry;
  readonly delays: LoopDelays;
}

interface Part {
  /** Announces the stop, and resolves when no further requests are expected. */
  drain?(): Promise<void>;
  stop(): Promise<void>;
}

export async function startServer(
  config: Config,
  database: DatabaseAddress,
  options: { appDist: string | null },
): Promise<RunningServer> {
  const log = createLog(config.logLevel);
  const pool = createPool(database.server, { max: 8, name: [...config.roles].join('+') });
  const listener = new Listener(database.server, log);
  const parts: Part[] = [];
  let officeOrigin: string | null = null;
  try {
    const shared = await prepare(config, { log, pool, listener });
    if (config.mode === 'demo' && config.roles.has('api')) {
      await seedDemoCustomer(shared);
    }
    const past = await startPast(shared, database);
    if (past) parts.push(past);
    await startDecidingRoles(shared, database.server, parts);
    if (config.roles.has('api')) parts.push(await startApi(shared, past, database, options.appDist));
    if (config.roles.has('api')) parts.push(NewsImporter.start(database.server, config.newsFeeds, log));
    const office = config.roles.has('api') ? await startOfficePart(shared, database, options.appDist) : null;
    if (office) {
      parts.push(office);
      officeOrigin = config.office?.origin ?? null;
    }
    await listener.start();
  } catch (error) {
    await stopAll(parts, listener, pool);
    throw error;
  }
  return {
    config,
    officeOrigin,
    stop: async (options) => {
      if (options?.drain) await Promise.all(parts.map((part) => part.drain?.()));
      await stopAll(parts, listener, pool);
    },
  };
}

/** Stops in reverse order: the API first, so that no request meets a half-stopped server, then the parts that it uses. */
async function stopAll(parts: readonly Part[], listener: Listener, pool: Pool): Promise<void> {
  for (const part of [...parts].reverse()) await part.stop();
  await listener.stop();
  await pool.end();
}

async function prepare(
  config: Config,
  { log, pool, listener }: { log: Logger; pool: Pool; listener: Listener },
): Promise<Shared> {
  const origin = `${config.publicOrigin.replace(/^https?:\/\//, '')}/api/transparency`;
  const begun = await pool.query<{ origin: string }>('select log_begin($1) as origin', [origin]);
  const keys = loadSigningKeys(
    config.signingKeyFile,
    begun.rows[0]?.origin ?? origin,
    await readLastCheckpoint(pool),
  );
  const products = await Products.load(pool);
  const rules = new RuleBook(pool);
  const registry = new Registry();
  return {
    config,
    log,
    pool,
    listener,
    products,
    assets: await Assets.load(pool),
    rules,
    reader: new LogReader(pool, products, rules),
    keys,
    passwords: new Passwords(),
    registry,
    delays: new LoopDelays(registry),
  };
}

/** Simulated prices include a simulated past for charts, which must have begun before the first tick. */
async function startPast(
  { config, log, delays }: Shared,
  database: DatabaseAddress,
): Promise<SimulatedPast | null> {
  const isNeeded = config.roles.has('feed') || config.roles.has('api');
  if (config.feed.kind !== 'simulated' || !isNeeded) return null;
  return SimulatedPast.start(database.server, { log, onDelay: delays.of('history') });
}

/** Connections for requests that anybody may make, in each of three lines. */
const READERS = 4;

/**
 * The API has connections of its own, so that customers never delay feed or engine. Requests without a session have
 * their own as well, so that a flood of logins delays no order, and a flood of readers no login.
 */
async function startApi(
  shared: Shared,
  past: SimulatedPast | null,
  database: DatabaseAddress,
  appDist: string | null,
): Promise<Part> {
  const { config, listener, log, products, assets, keys, passwords } = shared;
  const pool = createPool(database.server, { max: 24, name: 'api' });
  const publicPool = createPool(database.server, { max: 4, name: 'api public' });
  const readersPool = createPool(database.server, { max: 3 * READERS, name: 'api readers' });
  // Slow reads of one kind then delay none of another by more than a query.
  const marketLine = new ReadLine(READERS);
  const logLine = new ReadLine(READERS);
  const newsLine = new ReadLine(READERS);
  const turns = new Turns();
  const feed = config.feed.kind;
  const rules = new RuleBook(pool);
  const reader = new LogReader(pool, products, rules);
  const publicReader = new LogReader(readersPool, products, new RuleBook(readersPool));
  const market = new MarketView(pool, products, rules);
  const { size } = await readLogHead(pool);
  await market.load();
  const calendar = new TradingCalendar();
  const sessions = new Sessions(pool, listener);
  const throttle = new Throttle({ public: publicPool, orders: pool }, config.limits);
  const placement = {
    pool,
    assets,
    rules,
    calendar,
    signer: keys.acceptances,
    exposures: new ExposureBook(),
  };
  const queue = new PlacementQueue(placement, { pace: new SettlementPace(pool) });
  const batches = new BatchBook(pool);
  const queries = { db: pool, assets, products, rules, reader, market, batches };
  const personal = await personalParts(shared, pool);
  const chats = new Chats({ pool, keys: personal.keys, hours: config.support });
  const hub = new StreamHub({
    ...queries,
    pool,
    readersPool,
    sessions,
    log,
    past,
    chats,
    turns,
    shares: config.streams,
  });
  const metrics = new Metrics({
    registry: shared.registry,
    db: pool,
    readers: () => hub.size,
    lastBackupMs: () => (config.backupDir === null ? null : lastBackupMs(config.backupDir)),
  });
  const health = new HealthProbe(pool);
  const { uploads } = personal;
  const { mode, operator } = config;
  const house = { mode, restrictedRegions: closedRegions(mode, operator) };
  const riskOf = riskTextOf(mode, operator);
  const factors = customerFactors({ pool, publicPool }, personal.keys, config.publicOrigin);
  const account = {
    pool,
    publicPool,
    assets,
    passwords,
    sessions,
    throttle,
    products,
    ...house,
    ...personal,
    ...factors,
  };
  const landing = landingOf({ rows: () => market.all(), mode, feed, riskOf, operator });
  const handlers = {
    ...identityHandlers(account),
    ...securityHandlers(account),
    ...personalHandlers(account),
    ...dataExportHandlers({ pool, assets, keys: personal.keys, uploads }),
    ...verificationHandlers({
      pool,
      keys: personal.keys,
      uploads,
      ...house,
    }),
    ...productHandlers({
      db: pool,
      assets,
      products,
      market,
      calendar,
      history: past,
      feed,
      readersDb: readersPool,
      readLine: marketLine,
      turns,
    }),
    ...orderHandlers({ ...queries, queue, throttle, proofs: new ProofReader(pool, reader) }),
    ...fundHandlers({ pool, assets }),
    ...earningsHandlers({ pool, assets }),
    ...rechargeHandlers({ pool, assets, uploads }),
    ...withdrawHandlers({ pool, assets, ...personal }),
    ...noticeHandlers({ pool, assets, products }),
    ...protectionHandlers({ pool, assets }),
    ...alertHandlers({ pool, products }),
    ...statisticsHandlers({ pool, assets, products }),
    ...newsLine.wrap(newsHandlers({ pool: readersPool })),
    ...supportHandlers({ pool, keys: personal.keys, uploads, chats }),
    ...logLine.wrap(
      transparencyHandlers({
        db: readersPool,
        reader: publicReader,
        keys,
        witnesses: config.witnesses,
        assets,
        products,
        mode,
      }),
    ),
    appLanding: async (_input: unknown, { language }: { language: Language }) => landing(language),
    appConfig: async (_input: unknown, { language }: { language: 'zh' | 'tw' | 'en' }) =>
      appConfig({ assets, ...house, riskOf, feed, support: config.support }, language),
  };
  const board = async (language: Language) => boardAnswers({ assets, calendar }, market.all(), language);
  const app = await createHttpServer({
    sessions,
    handlers,
    log,
    db: readersPool,
    reader: publicReader,
    readLine: logLine,
    keys,
    turns,
    hub,
    health,
    metrics,
    throttle,
    door: config,
    registerApp:
      appDist === null ? null : (server) => registerApp(server, { dist: appDist, board, landing, config }),
  });
  const follower = new LogFollower(pool, reader, { fromIndex: size, log });
  const refreshRules = () => {
    market.refreshRules().catch((error: unknown) => log.warn({ err: error }, 'rules could not be read'));
  };
  follower.onNews((news) => {
    hub.publishNews(news, market.apply(news.entries));
    if (market.hasNewRules) refreshRules();
  });
  listener.on('log', () => follower.wake());
  tellNews(listener, hub, log);
  const refresh = setInterval(refreshRules, REFRESH_RULES_MS);
  const sweep = setInterval(() => {
    uploads.sweep(pool).catch((error: unknown) => log.warn({ err: error }, 'uploads could not be swept'));
  }, SWEEP_UPLOADS_MS);
  const tidy = keepIdentityTidy(pool, log);
  hub.start();
  const watch = watchLoop(shared.delays.of('api'));
  await listen(app, { port: config.port, host: config.host, backlog: BACKLOG });
  if (config.metricsPort !== null) await metrics.listen(config.metricsPort, config.host);
  return {
    drain: async () => {
      health.leave();
      await sleep(config.drainSeconds * 1_000);
    },
    stop: async () => {
      clearInterval(refresh);
      watch.stop();
      await app.close();
      await tidy.stop();
      clearInterval(sweep);
      uploads.stop();
      await queue.idle();
      await follower.stop();
      await metrics.close();
      await Promise.all([pool.end(), publicPool.end(), readersPool.end()]);
    },
  };
}
