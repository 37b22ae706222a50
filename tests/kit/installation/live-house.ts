import { pino } from 'pino';
import type { Config } from '../../../apps/server/src/config/config.ts';
import type { Feed } from '../../../apps/server/src/market/feeds/feed.ts';
import { loadSigningKeys } from '../../../apps/server/src/market/keys/signing-keys.ts';
import { Products } from '../../../apps/server/src/market/products.ts';
import { openWire } from '../../../apps/server/src/platform/bus/open-wire.ts';
import type { Wire } from '../../../apps/server/src/platform/bus/wire.ts';
import { FeedRole } from '../../../apps/server/src/processes/feed-role.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { signingKeyFile } from '../folder.ts';
import { seen } from '../waiting/until.ts';
import { ORIGIN } from './house.ts';
import { SteadyFeed } from './manual-feed.ts';
import { type RunningApi, startApi } from './running-api.ts';

/** The product that has prices. */
export const SYMBOL = 'EUR/USD';

/**
 * An installation that runs by itself: a feed that sets a new price of one product at every step or another one, an engine, and two API
 * processes. They share one Node process, but no state: every module of the server keeps its state per instance.
 */
export class LiveHouse {
  readonly db: TestDatabase;
  readonly apis: readonly [RunningApi, RunningApi];
  readonly products: Products;
  readonly #feed: FeedRole;
  readonly #engine: RunningApi;
  readonly #wire: Wire;

  private constructor(parts: {
    db: TestDatabase;
    apis: readonly [RunningApi, RunningApi];
    products: Products;
    feed: FeedRole;
    engine: RunningApi;
    wire: Wire;
  }) {
    this.db = parts.db;
    this.apis = parts.apis;
    this.products = parts.products;
    this.#feed = parts.feed;
    this.#engine = parts.engine;
    this.#wire = parts.wire;
  }

  static async open(
    changes: Partial<Config> = {},
    makeFeed: (db: TestDatabase, products: Products) => Feed | Promise<Feed> = steady,
  ): Promise<LiveHouse> {
    const db = await createTestDatabase();
    await db.server.query('select log_begin($1)', [ORIGIN]);
    const products = await Products.load(db.server);
    const log = pino({ level: 'silent' });
    const { natsUrl = null } = changes;
    const wire = openWire(db.serverAddress, natsUrl, log);
    const feed = new FeedRole({
      pool: db.server,
      feed: await makeFeed(db, products),
      products,
      signer: loadSigningKeys(signingKeyFile(db), ORIGIN).checkpoints,
      holder: 'feed',
      wire,
      log,
    });
    feed.start();
    const engine = await startApi(db, { roles: new Set(['engine']), natsUrl });
    const apis = [await startApi(db, changes), await startApi(db, changes)] as const;
    const house = new LiveHouse({ db, apis, products, feed, engine, wire });
    for (const { origin } of apis) {
      await seen(async () => (await fetch(`${origin}/readyz`)).ok, { what: 'a ready API' });
    }
    return house;
  }

  /** The origins of the API processes in turn. */
  origin(place: number): string {
    return (this.apis[place % 2] as RunningApi).origin;
  }

  /** The violations that the ledger's own audit finds. */
  async violations(): Promise<readonly unknown[]> {
    return (await this.db.owner.query('select * from ledger.violations()')).rows;
  }

  async close(): Promise<void> {
    for (const api of this.apis) await api.stop();
    await this.#engine.stop();
    await this.#feed.stop();
    await this.#wire.stop();
    await this.db.drop();
  }
}

function steady(_: TestDatabase, products: Products): SteadyFeed {
  const product = products.bySymbol(SYMBOL);
  if (!product) throw new Error(`no product ${SYMBOL}`);
  return new SteadyFeed(product);
}
