import { setTimeout as sleep } from 'node:timers/promises';
import type { Candle, Language } from '@fairtick/protocol';
import type { Registry } from 'prom-client';
import { IdentityTidying } from '../../customers/identity/tidy.ts';
import { readCandles } from '../../market/candles/candle-queries.ts';
import { hearLog } from '../../market/log/hear-log.ts';
import { LogFollower } from '../../market/log/log-follower.ts';
import { readOrderStops } from '../../market/order-stops.ts';
import { boardAnswers } from '../../market/product-answers.ts';
import { candleAnswer } from '../../market/routes.ts';
import { startWitnessPushes } from '../../market/witnesses/witness-pushes.ts';
import { registerApp } from '../../pages/app/register-app.ts';
import { landingOf } from '../../pages/landing/landing.ts';
import { Notifier } from '../../platform/bus/notifier.ts';
import type { DatabaseAddress } from '../../platform/db/database.ts';
import type { Readers } from '../../platform/db/readers.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';
import { HealthProbe } from '../../platform/http/health.ts';
import { listen } from '../../platform/http/listen.ts';
import { ApiMetrics } from '../../platform/http/metrics.ts';
import { watchLoop } from '../../platform/loop-delay.ts';
import { addGauge } from '../../platform/machine.ts';
import { tellUpdates } from '../../stream/tell-updates.ts';
import type { Part, ProcessParts } from '../process-parts.ts';
import type { SimulatedPast } from '../threads/simulated-past.ts';
import { type ApiParts, makeApiParts } from './api-parts.ts';
import { makeHandlers } from './handlers.ts';
import { createHttpServer } from './server.ts';

const REFRESH_RULES_MS = 10_000;
/** Notices of the log that were lost are found within a second. */
const LOOK_AFTER_MS = 500;
/** A halt is shown within a second. */
const STOPS_EVERY_MS = 500;
/** Steps tell of halts and limits, too; without a step for so long they are read. */
const STOPS_TOLD_MS = 1_000;
/** Length of the queue for new TCP connections; a client that finds it full retries after 1, 3 and 7 s. */
const BACKLOG = 4_096;
/** As many as a phone's chart shows, and how long a page waits for them. */
const PAGE_CANDLES = 40;
const PAGE_CANDLES_MS = 200;
const SWEEP_UPLOADS_MS = 10 * 60_000;

export async function startApi(
  processParts: ProcessParts,
  past: SimulatedPast | null,
  database: DatabaseAddress,
  appDist: string | null,
): Promise<Part> {
  const { config, log } = processParts;
  const parts = await makeApiParts(processParts, past, database);
  const { pool, hub, queries } = parts;
  const health = new HealthProbe(pool);
  const metrics = new ApiMetrics(processParts.registry, () => hub.size);
  if (database.standby) measureReaders(processParts.registry, parts.readers);
  const app = await createApp(parts, { health, metrics, appDist });
  const follower = followLog(parts);
  const notifier = new Notifier(processParts.pool, processParts.wire, log);
  notifier.start();
  const tidy = new IdentityTidying(pool, log);
  tidy.start();
  const pushes = startWitnessPushes(
    { db: pool, hashes: queries.reader, address: database.server, listener: processParts.listener, log },
    config.witnesses,
  );
  const sweep = RecurringJob.of(() => parts.personal.uploads.sweep(pool), log, {
    everyMs: SWEEP_UPLOADS_MS,
    complaint: 'uploads could not be swept',
    isAtOnce: false,
  });
  sweep.start();
  hub.start();
  const watch = watchLoop(processParts.delays.of('api'));
  await listen(app, { port: config.port, host: config.host, backlog: BACKLOG });
  return {
    drain: async () => {
      health.leave();
      await sleep(config.drainSeconds * 1_000);
    },
    stop: async () => {
      watch.stop();
      await app.close();
      await notifier.stop();
      await tidy.stop();
      await pushes.stop();
      await sweep.stop();
      parts.personal.uploads.stop();
      await parts.queue.idle();
      await follower.stop();
      await Promise.all([pool.end(), parts.publicPool.end(), parts.readers.end()]);
    },
  };
}

function createApp(
  parts: ApiParts,
  { health, metrics, appDist }: { health: HealthProbe; metrics: ApiMetrics; appDist: string | null },
) {
  const { config, log, assets, keys } = parts.processParts;
  const { market } = parts.queries;
  const { mode, operator } = config;
  const rows = () => market.all();
  const landing = landingOf({ rows, mode, feed: config.feed.kind, riskOf: parts.riskOf, operator });
  const board = async (language: Language) =>
    boardAnswers({ assets, ...parts.hub.stateParts }, market.all(), language);
  const candles = pageCandles(parts);
  return createHttpServer({
    sessions: parts.sessions,
    handlers: makeHandlers(parts, landing),
    log,
    db: parts.readers,
    reader: parts.publicReader,
    readLine: parts.lines.log,
    keys,
    vendorHook: { pool: parts.publicPool, keys: parts.personal.keys, vendors: config.vendors ?? [], log },
    turns: parts.turns,
    hub: parts.hub,
    health,
    metrics,
    throttle: parts.throttle,
    marks: parts.personal.keys,
    isSecure: config.publicOrigin.startsWith('https:'),
    door: { ...config, customerOf: (token) => parts.sessions.ownerOf(token) },
    registerApp:
      appDist === null
        ? null
        : (server) => registerApp(server, { dist: appDist, board, candles, landing, config }),
  });
}

function measureReaders(registry: Registry, { answered }: Readers): void {
  for (const by of ['primary', 'standby'] as const)
    addGauge(
      registry,
      { name: `reads_by_${by}`, help: `Reads for everybody that the ${by} answered` },
      () => answered[by],
    );
}

/** The newest minutes of a product for its page, which does not wait for them where many read. */
function pageCandles({ processParts, readers, lines }: ApiParts) {
  return async (symbol: string | null): Promise<readonly Candle[]> => {
    const product = symbol === null ? undefined : processParts.products.bySymbol(symbol);
    if (!product) return [];
    const question = { product, period: '1m', beforeMs: null, limit: PAGE_CANDLES } as const;
    const reading = lines.market
      .take({ kind: 'anyone', who: 'pages' }, () => readCandles(readers, question))
      .then(
        (candles) => candles.map((candle) => candleAnswer(candle, product, '1m')),
        () => [],
      );
    return Promise.race([reading, sleep(PAGE_CANDLES_MS, [], { ref: false })]);
  };
}

/** New entries of the log reach the market view, the stream and orders that wait for a price. */
function followLog({ pool, readers, queries, hub, newestTicks, processParts, fromIndex }: ApiParts): Part {
  const { log, listener, keys } = processParts;
  const { market, reader } = queries;
  const follower = new LogFollower(pool, reader, { fromIndex, log });
  const refresh = RecurringJob.of(() => market.refreshRules(), log, {
    everyMs: REFRESH_RULES_MS,
    complaint: 'rules could not be read',
    isAtOnce: false,
  });
  let toldStopsMs = Number.NEGATIVE_INFINITY;
  const readStops = async () => {
    if (performance.now() - toldStopsMs > STOPS_TOLD_MS)
      hub.takeStops(await readOrderStops(pool, hub.logTime.now()));
  };
  const stops = RecurringJob.of(readStops, log, {
    everyMs: STOPS_EVERY_MS,
    complaint: 'halts and limits could not be read',
  });
  follower.onNews((news) => {
    readers.shown(news.head.size);
    const rows = market.apply(news.entries);
    hub.publishNews(news, rows);
    newestTicks.take(rows);
    if (market.hasNewRules) refresh.ask();
  });
  hearLog(listener, { follower, key: keys.steps }, (told) => {
    toldStopsMs = performance.now();
    hub.hearStops(told);
  });
  const looks = setInterval(() => follower.look(LOOK_AFTER_MS), LOOK_AFTER_MS);
  tellUpdates(listener, hub, log);
  refresh.start();
  stops.start();
  return {
    stop: async () => {
      clearInterval(looks);
      await Promise.all([refresh.stop(), stops.stop()]);
      await follower.stop();
    },
  };
}
