import { join } from 'node:path';
import { Counter, Registry } from 'prom-client';
import type { Config } from './config/config.ts';
import { seedDemoCustomer } from './customers/identity/demo-customer.ts';
import { Passwords } from './customers/identity/passwords.ts';
import { measureCalendars } from './market/feeds/live/calendar-ends.ts';
import { measureSources } from './market/feeds/live/source-metrics.ts';
import { loadSigningKeys } from './market/keys/signing-keys.ts';
import { readLastCheckpoint } from './market/log/log-head.ts';
import { LogReader } from './market/log/log-reader.ts';
import { measurePriceAges, priceAges } from './market/price-ages.ts';
import { Products } from './market/products.ts';
import { RuleBook } from './market/rule-book.ts';
import { measureWitnesses } from './market/witnesses/witness-metric.ts';
import { connectedPayouts, type Payouts } from './money/withdrawals/payouts.ts';
import { NewsImporter } from './news/imports/news-importer.ts';
import { Assets } from './platform/assets.ts';
import { lastBackup, walDir } from './platform/backup/backup-folder.ts';
import { Listener } from './platform/bus/listener.ts';
import { openWire } from './platform/bus/open-wire.ts';
import { createPool, type DatabaseAddress, type Pool } from './platform/db/database.ts';
import { RecurringJob } from './platform/db/recurring-job.ts';
import { Metrics } from './platform/http/metrics.ts';
import { createLog } from './platform/logger.ts';
import { LoopDelays } from './platform/loop-delay.ts';
import { tellBuild } from './platform/machine.ts';
import { startTracing } from './platform/tracing.ts';
import { startApi } from './processes/api/start-api.ts';
import { startOfficePart } from './processes/office-part.ts';
import type { Part, ProcessParts } from './processes/process-parts.ts';
import { SimulatedPast } from './processes/threads/simulated-past.ts';
import { startDecidingRoles } from './processes/threads/start-roles.ts';

/** How often the products are looked at again: the office adds and closes some. */
const REFRESH_PRODUCTS_MS = 1_000;

/** Wires the roles of this process together, and sets the order of their start and stop. */
export interface RunningServer {
  readonly config: Config;
  /** Origin of the office that this process serves; null: it serves none. */
  readonly officeOrigin: string | null;
  /** @param options.drain the API serves for a while longer, so that a balancer has time to stop sending */
  stop(options?: { drain: boolean }): Promise<void>;
}

export async function startServer(
  config: Config,
  database: DatabaseAddress,
  options: { appDist: string | null; payouts?: Payouts | null },
): Promise<RunningServer> {
  const log = createLog(config.logLevel);
  const pool = createPool(database.server, { max: 8, name: [...config.roles].join('+') });
  const wire = openWire(database.server, config.natsUrl, log);
  const listener = new Listener(wire, log);
  const parts: Part[] = [];
  parts.push({ stop: await startTracing(config.tracesTo) });
  let officeOrigin: string | null = null;
  try {
    const processParts = await prepare(config, { log, pool, wire, listener });
    parts.push(followProducts(processParts));
    if (config.metricsPort !== null)
      parts.push(await startMetrics(processParts, config.metricsPort, database));
    if (config.mode === 'demo' && config.roles.has('api')) {
      await seedDemoCustomer(processParts);
    }
    const past = await startPast(processParts, database);
    if (past) parts.push(past);
    await startDecidingRoles(processParts, database, parts);
    if (config.roles.has('api')) parts.push(await startApi(processParts, past, database, options.appDist));
    if (config.roles.has('api')) parts.push(NewsImporter.start(database.server, config.newsFeeds, log));
    const office = config.roles.has('api')
      ? await startOfficePart(processParts, database, {
          appDist: options.appDist,
          payouts: options.payouts ?? connectedPayouts,
        })
      : null;
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
  { log, pool, wire, listener }: Pick<ProcessParts, 'log' | 'pool' | 'wire' | 'listener'>,
): Promise<ProcessParts> {
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
  tellBuild(registry);
  return {
    config,
    log,
    pool,
    wire,
    listener,
    products,
    assets: await Assets.load(pool),
    rules,
    reader: new LogReader(pool, products, rules),
    keys,
    passwords: new Passwords(),
    registry,
    figures: new Registry(),
    delays: new LoopDelays(registry),
  };
}

function followProducts({ products, pool, log }: ProcessParts): Part {
  const job = RecurringJob.of(() => products.refresh(pool), log, {
    everyMs: REFRESH_PRODUCTS_MS,
    complaint: 'products could not be read',
  });
  job.start();
  return job;
}

/** Serves the metrics of this process at METRICS_PORT. */
async function startMetrics(
  { config, log, listener, registry, figures, pool, products, rules }: ProcessParts,
  port: number,
  { embedded }: DatabaseAddress,
): Promise<Part> {
  const { roles, dataDir, backupDir, witnesses } = config;
  const isOwnServer = embedded === null;
  const refused = new Counter({
    name: 'fairtick_refused_notices_total',
    help: 'Notifications of the database that did not have the form of their channel',
    registers: [registry],
  });
  listener.onRefused(() => refused.inc());
  const folders = {
    data: dataDir,
    uploads: join(dataDir, 'uploads'),
    ...(isOwnServer ? {} : { postgres: join(dataDir, 'postgres') }),
    ...(backupDir === null ? {} : { backup: backupDir, archive: walDir(backupDir) }),
  };
  const metrics = new Metrics({
    registry,
    figures,
    roles,
    db: pool,
    lastBackupMs: () => lastBackup({ dataDir, backupDir }, isOwnServer),
    folders,
  });
  if (witnesses.length > 0) measureWitnesses(figures, pool, witnesses);
  measureSources(figures, pool);
  measurePriceAges(figures, priceAges({ db: pool, products, rules }));
  if (config.feed.kind === 'live') measureCalendars(registry);
  await metrics.listen(port, config.host, log);
  return { stop: () => metrics.close() };
}

/** Simulated prices include a simulated past for charts, which must have begun before the first tick. */
async function startPast(
  { config, log, delays }: ProcessParts,
  database: DatabaseAddress,
): Promise<SimulatedPast | null> {
  const isNeeded = config.roles.has('feed') || config.roles.has('api');
  if (config.feed.kind !== 'simulated' || !isNeeded) return null;
  const { mode, encryptionKeyFile } = config;
  const options = { server: database.server, settings: { mode, encryptionKeyFile } };
  return SimulatedPast.start(options, { log, onDelay: delays.of('history') });
}
