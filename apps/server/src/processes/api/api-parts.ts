import { closedRegions } from '../../config/operator-profile.ts';
import { Sessions } from '../../customers/identity/sessions.ts';
import { readLogHead } from '../../market/log/log-head.ts';
import { LogReader } from '../../market/log/log-reader.ts';
import { MarketView } from '../../market/market-view.ts';
import { RuleBook } from '../../market/rule-book.ts';
import { WatchedProducts } from '../../market/watched-products.ts';
import { createPool, type DatabaseAddress } from '../../platform/db/database.ts';
import { Readers } from '../../platform/db/readers.ts';
import { BOUNDS } from '../../platform/fairness/bounds.ts';
import { Line } from '../../platform/fairness/line.ts';
import { LoopTurns } from '../../platform/fairness/loop-turns.ts';
import { Throttle } from '../../platform/throttle/throttle.ts';
import { StreamHub } from '../../stream/hub.ts';
import { Chats } from '../../support/chats.ts';
import { BatchBook } from '../../trading/placement/batch-book.ts';
import { NewestTicks } from '../../trading/placement/newest-ticks.ts';
import { PlacementQueue } from '../../trading/placement/placement-queue.ts';
import { SettlementPace } from '../../trading/placement/settlement-pace.ts';
import { personalParts } from '../personal-parts.ts';
import type { ProcessParts } from '../process-parts.ts';
import type { SimulatedPast } from '../threads/simulated-past.ts';
import { riskTextOf } from './app-config.ts';

export type ApiParts = Awaited<ReturnType<typeof makeApiParts>>;

/** The API has connections of its own, so that customers never delay feed or engine. So have requests without a session, and readers. */
export async function makeApiParts(
  processParts: ProcessParts,
  past: SimulatedPast | null,
  database: DatabaseAddress,
) {
  const { config, listener, log, products, assets, keys, passwords } = processParts;
  const pool = createPool(database.server, { max: 24, name: 'api' });
  const publicPool = createPool(database.server, { max: 4, name: 'api public' });
  const max = 3 * BOUNDS.reads.atOnce;
  const { standby } = database;
  const readers = new Readers({
    primary: createPool(database.server, { max, name: 'api readers' }),
    standby: standby && createPool(standby, { max, name: 'api readers', isStandby: true }),
  });
  const turns = new LoopTurns();
  const rules = new RuleBook(pool);
  const reader = new LogReader(pool, products, rules);
  const market = new MarketView(pool, products, rules);
  // Read first, so that the follower brings whatever is logged while the market is read.
  const { size: fromIndex } = await readLogHead(pool);
  await market.load();
  products.onChange(() => market.load());
  const sessions = new Sessions(pool, listener);
  const signer = keys.acceptances;
  const placement = { pool, assets, products, rules, signer };
  const queries = { db: pool, assets, products, rules, reader, market, batches: new BatchBook(pool) };
  const personal = await personalParts(processParts, pool);
  const chats = new Chats({ pool, keys: personal.keys, hours: config.support });
  const { mode, operator } = config;
  const watched = new WatchedProducts(pool, log);
  const shares = config.streams;
  const feed = config.feed.kind;
  const streamed = { pool, readers, watched, sessions, log, past, chats, turns, shares, feed };
  const hub = new StreamHub({ ...queries, ...streamed });
  return {
    processParts,
    past,
    pool,
    publicPool,
    readers,
    lines: { market: new Line(BOUNDS.reads), log: new Line(BOUNDS.reads), news: new Line(BOUNDS.reads) },
    turns,
    publicReader: new LogReader(readers, products, new RuleBook(readers)),
    sessions,
    throttle: new Throttle({ public: publicPool, orders: pool }, config.limits, {
      passwords,
      whose: 'customers',
    }),
    queue: new PlacementQueue(placement, { pace: new SettlementPace(pool) }),
    queries,
    fromIndex,
    personal,
    chats,
    place: { mode, restrictedRegions: closedRegions(mode, operator) },
    riskOf: riskTextOf(mode, operator),
    hub,
    newestTicks: new NewestTicks({ market, watched, nowMs: () => hub.logTime.now() }),
  };
}
