import { createHash, randomBytes } from 'node:crypto';
import { parseAmount } from '@fairtick/money';
import { type Direction, GRID_MS } from '@fairtick/trading';
import { insertCustomer, openFunds } from '../../../apps/server/src/customers/identity/registration.ts';
import type { Feed } from '../../../apps/server/src/market/feeds/feed.ts';
import { loadSigningKeys } from '../../../apps/server/src/market/keys/signing-keys.ts';
import { readLogHead } from '../../../apps/server/src/market/log/log-head.ts';
import { LogReader } from '../../../apps/server/src/market/log/log-reader.ts';
import { type Product, Products } from '../../../apps/server/src/market/products.ts';
import { RuleBook } from '../../../apps/server/src/market/rule-book.ts';
import { WriterTerm } from '../../../apps/server/src/market/writer/writer-term.ts';
import { Assets } from '../../../apps/server/src/platform/assets.ts';
import { type Pool, transaction } from '../../../apps/server/src/platform/db/database.ts';
import { placeOrders } from '../../../apps/server/src/trading/placement/place-orders.ts';
import type {
  OrderRequest,
  PlacementAnswer,
  PlacementParts,
} from '../../../apps/server/src/trading/placement/placement-parts.ts';
import { settleAllDue } from '../../../apps/server/src/trading/settlement/settle-lanes.ts';
import { voidUnopenedOrders } from '../../../apps/server/src/trading/settlement/settle-orders.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { signingKeyFile } from '../folder.ts';
import { openSessions, tokenHashOf } from '../people/traders.ts';
import { freeLogClock, SteppedClock } from './clocks.ts';

export const ORIGIN = 'test.invalid/api/transparency';

/** A day in 2026 on the grid, at a whole second. */
export const START_MS = Date.UTC(2026, 5, 1, 12, 0, 0);

/** The whole installation on a database of its own, with a log clock that the test sets. No processes, ports or timers. */
export class House {
  readonly db: TestDatabase;
  readonly products: Products;
  readonly assets: Assets;
  readonly rules: RuleBook;
  readonly reader: LogReader;
  readonly clock: SteppedClock;
  readonly session: WriterTerm;
  readonly placement: PlacementParts;

  private constructor(
    parts: Pick<House, 'db' | 'products' | 'assets' | 'rules' | 'reader' | 'clock' | 'session' | 'placement'>,
  ) {
    this.db = parts.db;
    this.products = parts.products;
    this.assets = parts.assets;
    this.rules = parts.rules;
    this.reader = parts.reader;
    this.clock = parts.clock;
    this.session = parts.session;
    this.placement = parts.placement;
  }

  static async open(feed: Feed, startMs = START_MS): Promise<House> {
    const db = await createTestDatabase();
    await freeLogClock(db);
    await db.server.query('select log_begin($1)', [ORIGIN]);
    const products = await Products.load(db.server);
    const assets = await Assets.load(db.server);
    const rules = new RuleBook(db.server);
    const keys = loadSigningKeys(signingKeyFile(db), ORIGIN);
    const clock = new SteppedClock(startMs);
    const session = await openLog(db, { feed, products, clock, keys });
    const placement = {
      pool: db.server,
      assets,
      products,
      rules,
      signer: keys.acceptances,
    };
    const reader = new LogReader(db.server, products, rules);
    const house = new House({ db, products, assets, rules, reader, clock, session, placement });
    await house.stepTo(startMs);
    return house;
  }

  product(symbol: string): Product {
    const product = this.products.bySymbol(symbol);
    if (!product) throw new Error(`no product ${symbol}`);
    return product;
  }

  /** Steps the log's clock and writes the entries of that grid time. */
  async stepTo(timeMs: number): Promise<void> {
    this.clock.stepTo(timeMs);
    await this.session.step();
  }

  async stepBy(ms: number): Promise<void> {
    await this.stepTo(this.clock.targetMs + ms);
  }

  /** Steps through every grid time on the way. */
  async runTo(timeMs: number): Promise<void> {
    while (this.clock.targetMs < timeMs) await this.stepBy(Math.min(GRID_MS, timeMs - this.clock.targetMs));
  }

  /** A customer with 10 000 DEMO. */
  async customer(account = `c${randomBytes(5).toString('hex')}`): Promise<string> {
    const id = await transaction(this.db.server, async (client) => {
      const form = { account, password: '', country: null, acceptsRisk: true, language: 'en' as const };
      const customerId = await insertCustomer(client, form, 'not a hash');
      await openFunds(client, this.assets, customerId);
      return customerId;
    });
    await openSessions(this.db.owner, [id]);
    return id;
  }

  request(
    customerId: string,
    order: {
      symbol: string;
      amount: string;
      direction?: Direction;
      minutes?: number;
      asset?: string;
      key?: string;
    },
  ): OrderRequest {
    const asset = this.assets.byCode(order.asset ?? 'DEMO');
    const stake = asset && parseAmount(order.amount, asset.scale);
    if (!asset || stake === null) throw new Error('a request needs an asset and an amount');
    const key = order.key ?? randomBytes(16).toString('hex');
    return {
      customerId,
      tokenHash: tokenHashOf(customerId),
      keyHash: createHash('sha256').update(key).digest(),
      inputHash: createHash('sha256').update(JSON.stringify(order)).digest(),
      productId: this.product(order.symbol).id,
      assetId: asset.id,
      direction: order.direction ?? 'up',
      minutes: order.minutes ?? 1,
      stake,
      notAfterMs: null,
      named: null,
      seen: null,
    };
  }

  place(requests: readonly OrderRequest[]): Promise<PlacementAnswer[]> {
    return placeOrders(this.placement, requests);
  }

  /** Does all that an engine would do now. */
  async settle(): Promise<number> {
    return (await voidUnopenedOrders(this.db.server)) + (await settleAllDue(this.db.server));
  }

  async balance(customerId: string, asset = 'DEMO'): Promise<{ available: bigint; held: bigint }> {
    const { rows } = await this.db.server.query<{ available: string; held: string }>(
      'select available, held from ledger.balances where owner_id = $1 and asset_id = $2',
      [customerId, this.assets.byCode(asset)?.id],
    );
    return { available: BigInt(rows[0]?.available ?? 0), held: BigInt(rows[0]?.held ?? 0) };
  }

  /** The audit's violations; empty if all is well. */
  async violations(): Promise<string[]> {
    const { rows } = await this.db.owner.query<{ rule: string; detail: string }>(
      'select * from ledger.violations()',
    );
    return rows.map((row) => `${row.rule}: ${row.detail}`);
  }

  async close(): Promise<void> {
    await this.db.drop();
  }
}

async function openLog(
  db: TestDatabase,
  parts: { feed: Feed; products: Products; clock: SteppedClock; keys: ReturnType<typeof loadSigningKeys> },
): Promise<WriterTerm> {
  const { epoch, beat } = await readLogHead(db.server);
  const { rows } = await db.server.query<{ epoch: string }>('select log_acquire($1, $2, $3) as epoch', [
    'test',
    epoch,
    beat,
  ]);
  return WriterTerm.open(db.server, {
    feed: parts.feed,
    products: parts.products,
    signer: parts.keys.checkpoints,
    epoch: Number(rows[0]?.epoch),
    clockOf: () => parts.clock,
  });
}

/** Sets the state that a start in this mode leaves: in live mode no channel of the demo is on. `owner` is the schema's owner. */
export async function setMode(owner: Pool, mode: 'demo' | 'live'): Promise<void> {
  const turn = (isOn: boolean) =>
    owner.query(
      `insert into deposit_channels (id, version, asset_id, network, address, bank, min, max, presets, fee, is_enabled)
       select id, version + 1, asset_id, network, address, bank, min, max, presets, fee, $1 from current_channels()
       where coalesce(address, bank ->> 'accountNumber') like 'DEMO-%'`,
      [isOn],
    );
  if (mode === 'live') await turn(false);
  await owner.query('update house_settings set mode = $1, hold_seconds = $2', [
    mode,
    mode === 'live' ? 86_400 : 60,
  ]);
  if (mode === 'demo') await turn(true);
}
