import { createHash, randomBytes } from 'node:crypto';
import { parseAmount, parsePrice } from '@fairtick/money';
import { NO_RULES_HASH } from '@fairtick/proof';
import {
  type Direction,
  decideFix,
  decidePrice,
  type GapReason,
  GRID_MS,
  type KnownRecord,
  MIN_DELAY_MS,
  type ProductRules,
  type Quote,
  ROUND_THE_CLOCK,
} from '@fairtick/trading';
import canonicalize from 'canonicalize';
import { loadSigningKeys, type SigningKeys } from '../../../apps/server/src/market/keys/signing-keys.ts';
import { readLogHead } from '../../../apps/server/src/market/log/log-head.ts';
import { LogReader } from '../../../apps/server/src/market/log/log-reader.ts';
import { licencesOf, productRules } from '../../../apps/server/src/market/product-rules.ts';
import { type Product, Products } from '../../../apps/server/src/market/products.ts';
import { type LoggedRules, RuleBook } from '../../../apps/server/src/market/rule-book.ts';
import type { ProductState } from '../../../apps/server/src/market/writer/draft-entry.ts';
import { LogDraft } from '../../../apps/server/src/market/writer/log-draft.ts';
import { LogWriter } from '../../../apps/server/src/market/writer/log-writer.ts';
import { addOrders } from '../../../apps/server/src/market/writer/orders-entries.ts';
import { readFacts } from '../../../apps/server/src/market/writer/step-facts.ts';
import { Assets } from '../../../apps/server/src/platform/assets.ts';
import { placeOrders } from '../../../apps/server/src/trading/placement/place-orders.ts';
import type {
  OrderRequest,
  PlacementAnswer,
  PlacementParts,
} from '../../../apps/server/src/trading/placement/placement-parts.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { signingKeyFile } from '../folder.ts';
import { addTraders, tokenHashOf } from '../people/traders.ts';
import { freeLogClock } from './clocks.ts';

const ORIGIN = 'test.invalid/api/transparency';
/** A day in 2026 on the grid, at a whole second. */
const START_MS = Date.UTC(2026, 5, 1, 12, 0, 0);
/** The log's clock is this far behind the database's, so that the log's time is that of its last append. */
const STILL_MS = 20 * 365 * 24 * 3_600_000;
const SOURCES = ['a', 'b', 'c'];

interface TickOptions {
  readonly symbol?: string;
  readonly quotedMs?: readonly number[];
  readonly prices?: readonly string[];
}

interface FixOptions extends TickOptions {
  readonly kind?: 'fix' | 'close';
  readonly timeMs?: number;
  /** Of so many sources, the last ones, nothing shows that the record is the last one; a `close` has a later one of them. */
  readonly open?: number;
}

/**
 * A log that a test writes entry by entry, as no writer of the product would: grid times can be left out, and batches of acceptances
 * come when the test says so. The log's time stands still in between. Everything else is real.
 */
export class HandLog {
  readonly db: TestDatabase;
  readonly products: Products;
  readonly assets: Assets;
  readonly rules: RuleBook;
  readonly reader: LogReader;
  readonly keys: SigningKeys;
  readonly #placement: PlacementParts;
  readonly #writer: LogWriter;
  readonly #states = new Map<number, ProductState>();
  readonly #rulesOf = new Map<number, LoggedRules>();
  #nowMs: number;

  private constructor(
    parts: Pick<HandLog, 'db' | 'products' | 'assets' | 'keys'> & { writer: LogWriter; startMs: number },
  ) {
    const { db, products, assets, keys } = parts;
    this.db = db;
    this.products = products;
    this.assets = assets;
    this.keys = keys;
    this.rules = new RuleBook(db.server);
    this.reader = new LogReader(db.server, products, this.rules);
    this.#writer = parts.writer;
    this.#nowMs = parts.startMs;
    this.#placement = {
      pool: db.server,
      assets,
      products,
      rules: this.rules,
      signer: keys.acceptances,
    };
  }

  /** Each of these products has a tick at the last grid time, with three sources of which two are the quorum. */
  static async open(
    change: Partial<ProductRules> = {},
    symbols: readonly string[] = ['EUR/USD'],
  ): Promise<HandLog> {
    const db = await createTestDatabase();
    await freeLogClock(db);
    await db.server.query('select log_begin($1)', [ORIGIN]);
    const head = await readLogHead(db.server);
    const { rows } = await db.server.query<{ epoch: string }>('select log_acquire($1, $2, $3) as epoch', [
      'hand',
      head.epoch,
      head.beat,
    ]);
    const keys = loadSigningKeys(signingKeyFile(db), ORIGIN);
    const writer = new LogWriter(db.server, head, {
      epoch: Number(rows[0]?.epoch),
      signer: keys.checkpoints,
    });
    const products = await Products.load(db.server);
    const assets = await Assets.load(db.server);
    const log = new HandLog({ db, products, assets, keys, writer, startMs: START_MS });
    for (const symbol of symbols) await log.#addRules(log.product(symbol), change);
    for (const symbol of symbols) await log.tick(START_MS, '1.08400', { symbol });
    return log;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  product(symbol: string): Product {
    const product = this.products.bySymbol(symbol);
    if (!product) throw new Error(`no product ${symbol}`);
    return product;
  }

  /**
   * Writes a tick. Its quotes are of its own time, or of these times: at most three, for the sources a, b and c. They have this price, or
   * `prices`.
   */
  tick(timeMs: number, price: string, options: TickOptions = {}): Promise<void> {
    return this.ticks(timeMs, timeMs, price, options);
  }

  /** Writes a tick at each grid time of a range, both ends included. */
  async ticks(
    fromMs: number,
    toMs: number,
    price: string,
    { symbol = 'EUR/USD', quotedMs, prices }: TickOptions = {},
  ): Promise<void> {
    const product = this.product(symbol);
    const rules = this.#rulesOf.get(product.id) as LoggedRules;
    const draft = this.#draft();
    for (let timeMs = fromMs; timeMs <= toMs; timeMs += GRID_MS) {
      const quotes = SOURCES.slice(0, quotedMs?.length).map((source, place): Quote => {
        const quoted = quotedMs?.[place] ?? timeMs;
        const said = parsePrice(prices?.[place] ?? price, product.decimals);
        if (said === null) throw new Error(`${price} is no price of ${symbol}`);
        return { source, price: said, sourceMs: quoted, sourceSeq: BigInt(timeMs), receivedMs: quoted };
      });
      const answer = decidePrice({ quotes, timeMs, rules: rules.rules });
      if (answer.price === null) throw new Error('these quotes make no price');
      draft.addTick(product, rules, { timeMs, price: answer.price, quotes: answer.quotes });
    }
    await this.#append(draft, Math.max(this.#nowMs, toMs));
  }

  /**
   * Writes the fix of a second, or the `close` of one. Its records are of that second, or of `quotedMs`: at most three, of the sources a, b
   * and c. They have this price, or `prices`.
   */
  async fix(fixMs: number, price: string, options: FixOptions = {}): Promise<void> {
    const { kind = 'fix', symbol = 'EUR/USD', timeMs = Math.max(fixMs, this.#nowMs), open = 0 } = options;
    const product = this.product(symbol);
    const rules = this.#rulesOf.get(product.id) as LoggedRules;
    const records = SOURCES.slice(0, options.quotedMs?.length).map((source, place): KnownRecord => {
      const said = parsePrice(options.prices?.[place] ?? price, product.decimals);
      if (said === null) throw new Error(`${price} is no price of ${symbol}`);
      const recordMs = options.quotedMs?.[place] ?? fixMs;
      const isOpen = place >= SOURCES.length - open;
      const number = BigInt(recordMs + (isOpen && kind === 'close' ? 1 : 0));
      const closing = { by: isOpen && kind === 'fix' ? ('open' as const) : ('said' as const) };
      return { source, last: { number, timeMs: recordMs, price: said }, closing };
    });
    const answer = decideFix({ fixMs, records, rules: rules.rules });
    if (answer.price === null) throw new Error('these records make no price');
    const { rows } = await this.db.owner.query<{ n: string }>(
      `select count(*) filter (where fix_ms < $2) + 1 as n from logged_fixes where product_id = $1`,
      [product.id, fixMs],
    );
    const draft = this.#draft();
    draft.addFix(product, rules, {
      kind,
      n: Number(rows[0]?.n),
      timeMs,
      fixMs,
      ...answer,
      price: answer.price,
    });
    await this.#append(draft, timeMs);
  }

  async gap(timeMs: number, reason: GapReason = 'restart', symbol = 'EUR/USD'): Promise<void> {
    const product = this.product(symbol);
    const draft = this.#draft();
    const rules = this.#rulesOf.get(product.id) as LoggedRules;
    const quotes = SOURCES.map((source) => ({ source, use: 'none' as const }));
    draft.addGap(product, rules, { timeMs, reason, quotes: reason === 'quorum' ? quotes : [] });
    await this.#append(draft, timeMs);
  }

  /** Writes one `orders` entry with all batches that wait. */
  async orders(timeMs: number): Promise<void> {
    const { lastBatch } = await readLogHead(this.db.server);
    const { batches } = await readFacts(this.db.server, { gridMs: this.#nowMs, batch: lastBatch });
    const draft = this.#draft();
    addOrders(draft, timeMs, batches);
    await this.#append(draft, timeMs);
  }

  /** The log's time goes on without an entry. */
  async passTo(timeMs: number): Promise<void> {
    await this.#append(this.#draft(), timeMs);
  }

  /** Inserts customers with 10 000 DEMO each. */
  async customers(count: number): Promise<string[]> {
    return (await addTraders(this.db.owner, count)).map(({ id }) => id);
  }

  request(
    customerId: string,
    order: { symbol?: string; amount?: string; direction?: Direction; minutes?: number } = {},
  ): OrderRequest {
    const asset = this.assets.byCode('DEMO');
    const stake = asset && parseAmount(order.amount ?? '100', asset.scale);
    if (!asset || stake === null) throw new Error('a request needs an amount');
    return {
      customerId,
      tokenHash: tokenHashOf(customerId),
      keyHash: randomBytes(32),
      inputHash: createHash('sha256').update(JSON.stringify(order)).digest(),
      productId: this.product(order.symbol ?? 'EUR/USD').id,
      assetId: asset.id,
      direction: order.direction ?? 'up',
      minutes: order.minutes ?? 1,
      stake,
      notAfterMs: null,
      named: null,
      seen: null,
    };
  }

  /** Places these orders as one batch, all accepted at the log's time. */
  place(requests: readonly OrderRequest[]): Promise<PlacementAnswer[]> {
    return placeOrders(this.#placement, requests);
  }

  /** Places one order that must be accepted, and returns its id. */
  async buy(customerId: string, order: Parameters<HandLog['request']>[1] = {}): Promise<number> {
    const [answer] = await this.place([this.request(customerId, order)]);
    if (answer?.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(answer)}`);
    return answer.orderId;
  }

  async close(): Promise<void> {
    await this.db.drop();
  }

  async #addRules(product: Product, change: Partial<ProductRules>): Promise<void> {
    const rules = productRules({
      symbol: product.symbol,
      decimals: product.decimals,
      sources: SOURCES,
      licences: licencesOf(SOURCES, 'simulated'),
      quorum: 2,
      quietMs: 120_000,
      waitMs: 0,
      outlierBps: 100,
      delayMs: MIN_DELAY_MS,
      schedule: ROUND_THE_CLOCK,
    });
    const json = canonicalize({ ...rules, ...change }) as string;
    const { symbol } = product;
    this.#states.set(product.id, {
      productId: product.id,
      lastN: 0,
      lastMs: 0,
      tick: null,
      gap: null,
      ordersFromMs: null,
      rulesId: null,
    });
    const draft = this.#draft();
    const timeMs = this.#nowMs;
    draft.addRules(product.id, {
      timeMs,
      symbol,
      n: 1,
      effectiveMs: timeMs,
      previousHash: NO_RULES_HASH,
      json,
    });
    const id = this.#writer.size;
    await this.#append(draft, timeMs);
    this.#rulesOf.set(product.id, await this.rules.get(id));
    const inForce = this.#draft();
    inForce.setRules(product.id, id);
    await this.#append(inForce, timeMs);
  }

  #draft(): LogDraft {
    return new LogDraft(this.#states, this.#writer.size);
  }

  async #append(draft: LogDraft, timeMs: number): Promise<void> {
    const states = { before: this.#states, after: draft.changed };
    await this.#writer.append(draft.entries, states, { timeMs, offsetMs: -STILL_MS });
    for (const state of draft.changed) this.#states.set(state.productId, state);
    this.#nowMs = timeMs;
  }
}
