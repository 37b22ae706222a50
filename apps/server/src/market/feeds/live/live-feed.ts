import { compactPythUpdate } from '@fairtick/proof';
import {
  type AbsentRecord,
  type KnownRecord,
  type ListedQuote,
  MIN_DELAY_MS,
  type ProductRules,
  PYTH_SOURCE,
  tradingPeriodAt,
} from '@fairtick/trading';
import type { Logger } from 'pino';
import type { Pool } from '../../../platform/db/database.ts';
import { RecurringJob } from '../../../platform/db/recurring-job.ts';
import { liveSchedule } from '../../catalogue/schedules.ts';
import { productRules } from '../../product-rules.ts';
import { hasEnded, type Product, type Products } from '../../products.ts';
import type { Arrival, Feed } from '../feed.ts';
import { Absences } from './absences.ts';
import { faultTexts } from './fault-texts.ts';
import { Guard } from './guard.ts';
import { guardsOf, listingsOf, liveTermsOf, quorumOf, usableSources } from './live-products.ts';
import type { LiveReport } from './live-report.ts';
import { type LogSight, watchLogTime } from './log-sight.ts';
import { QuoteBoard } from './quote-board.ts';
import { RecordDesk } from './record-desk.ts';
import { historyOf, type SourceMarket } from './record-history.ts';
import { accessOf, pythKeysOf, type SourcesFile, venuesOf } from './sources-file.ts';
import type { Access, Venue } from './venue.ts';
import { VenueConnection } from './venue-connection.ts';

/** Faults of a source are logged once in this time; those that are new, up to so many, at once. */
const QUIET_LOG_MS = 60_000;
const MOST_AT_ONCE = 20;

/** How often the leading process reports its sources. */
const REPORT_EVERY_MS = 5_000;

interface Options {
  readonly pool: Pool;
  readonly products: Products;
  readonly file: SourcesFile;
  readonly mode: 'demo' | 'live';
  readonly log: Logger;
  /** A test's own time after which a source that can't be asked is left out. */
  readonly awayAfterMs?: number;
}

interface Source {
  readonly venue: Venue;
  readonly board: QuoteBoard;
  /** Null: the source settles nothing. */
  readonly desk: RecordDesk | null;
  readonly connection: VenueConnection;
  /** Its markets and the decimals of their products. */
  readonly listings: ReadonlyMap<string, SourceMarket>;
  readonly line: {
    isConnected: boolean;
    /** How often a connection that began brought a first price. */
    connections: number;
    fault: { readonly why: string; readonly atMs: number } | null;
  };
}

/**
 * Prices and records of exchanges and vendors, received by this process as they are sent, and asked for where they did not come. Products
 * without enough sources are closed.
 */
export class LiveFeed implements Feed {
  readonly name = 'live';
  readonly receivesSinceMs: number;
  #sources: readonly Source[] = [];
  readonly #file: SourcesFile;
  readonly #clock: LogSight;
  readonly #log: Logger;
  readonly #products: Products;
  readonly #reports: RecurringJob;
  readonly #guard = new Guard();
  readonly #absences: Absences;
  readonly #mode: 'demo' | 'live';
  /** Sources that settle, by product. */
  #settling: ReadonlyMap<number, readonly string[]> = new Map();
  /** When the writer last took quotes; a process that does not lead is not asked. */
  #takenMs = Number.NEGATIVE_INFINITY;

  private constructor(options: Options, clock: LogSight) {
    const { products, file, mode, log } = options;
    this.#file = file;
    this.#mode = mode;
    this.#clock = clock;
    this.#log = log;
    this.#products = products;
    this.#absences = new Absences(options.awayAfterMs);
    this.#reports = RecurringJob.of(() => this.#report(options.pool), log, {
      everyMs: REPORT_EVERY_MS,
      complaint: 'the state of the sources could not be written',
      isAtOnce: false,
    });
    this.receivesSinceMs = clock.nowMs();
  }

  /** A source whose products are others begins a new connection; the rest go on. */
  adopt(nowMs: number): void {
    const present = this.#products.all.filter((product) => !hasEnded(product, nowMs));
    this.#settling = new Map(
      present.map((product) => [product.id, usableSources(product, this.#file, this.#mode)]),
    );
    const before = this.#sources;
    this.#sources = venuesOf(this.#file).flatMap((venue) => {
      const used = present.filter((product) => {
        const settling = this.#sourcesOf(product);
        const guards = settling.length > 0 ? guardsOf(product, this.#file) : [];
        return [...settling, ...guards].includes(venue.source);
      });
      const listings = listingsOf(venue, used);
      const access = accessOf(venue, this.#file);
      if (listings.size === 0 || access === null) return [];
      const known = before.find((source) => source.venue.source === venue.source);
      return [known && isSame(known.listings, listings) ? known : this.#connect(venue, access, listings)];
    });
    for (const source of before) if (!this.#sources.includes(source)) end(source);
    for (const source of this.#sources) if (!before.includes(source)) begin(source);
  }

  static async start(options: Options): Promise<LiveFeed> {
    const clock = await watchLogTime(options.pool, options.log);
    const feed = new LiveFeed(options, clock);
    feed.adopt(clock.nowMs());
    feed.#reports.start();
    return feed;
  }

  async stop(): Promise<void> {
    for (const source of this.#sources) end(source);
    await this.#reports.stop();
    await this.#clock.stop();
  }

  rulesOf(product: Product): ProductRules | null {
    const sources = this.#sourcesOf(product);
    if (sources.length === 0) return null;
    const feed = product.listing.sources[PYTH_SOURCE];
    return productRules(
      {
        symbol: product.symbol,
        decimals: product.decimals,
        sources,
        ...(feed !== undefined && sources.includes(PYTH_SOURCE)
          ? { pyth: { feed, keys: pythKeysOf(this.#file) } }
          : {}),
        licences: Object.fromEntries(
          sources.map((source) => [source, this.#file[source]?.contract ? 'licensed' : 'public']),
        ),
        quorum: quorumOf(sources),
        ...liveTermsOf(product.assetClass),
        delayMs: MIN_DELAY_MS,
        schedule: liveSchedule(product.listing.liveHours),
      },
      product.payouts,
    );
  }

  take(timeMs: number): readonly Arrival[] {
    this.#takenMs = performance.now();
    return this.#sources
      .flatMap(({ board, desk }) => (desk ? board.take(timeMs) : []))
      .sort((a, b) => a.quote.receivedMs - b.quote.receivedMs);
  }

  recordsAt(productId: number, fixMs: number): readonly (KnownRecord | AbsentRecord)[] {
    return (this.#settling.get(productId) ?? []).map((source) => {
      const desk = this.#sources.find(({ venue }) => venue.source === source)?.desk;
      return desk?.recordAt(productId, fixMs) ?? { source, use: 'none' };
    });
  }

  signedUpdate(productId: number, number: bigint): Uint8Array | null {
    const desk = this.#sources.find(({ venue }) => venue.source === PYTH_SOURCE)?.desk;
    const signed = desk?.signedUpdate(productId, number);
    return signed ? compactPythUpdate(signed.update, signed.market) : null;
  }

  judged(quotes: readonly ListedQuote[]): void {
    const nowMs = this.#clock.nowMs();
    for (const { source, use } of quotes)
      this.#sources.find(({ venue }) => venue.source === source)?.board.counts.tick(nowMs, use);
  }

  /** Products whose settling sources disagree with their guards take no new orders. */
  stopped(): ReadonlyMap<number, 'halt'> {
    const nowMs = this.#clock.nowMs();
    const known = this.#sources.map(({ board, desk }) => ({ isGuard: !desk, prices: board.priced(nowMs) }));
    const pricesOf = (id: number, isGuard: boolean) =>
      known.flatMap((one) => (one.isGuard === isGuard ? (one.prices.get(id) ?? []) : []));
    const apart = this.#products.all.filter(({ id, assetClass }) => {
      const settling = pricesOf(id, false);
      const by = assetClass === 'crypto' ? 'exchanges' : 'vendors';
      return this.#guard.look(id, nowMs, { settling, guarding: pricesOf(id, true), by });
    });
    return new Map(apart.map(({ id }) => [id, 'halt']));
  }

  away(): ReadonlyMap<string, boolean> {
    const desks = this.#sources.flatMap(({ venue, desk }) =>
      desk ? [[venue.source, desk.answers] as const] : [],
    );
    return this.#absences.look(new Map(desks), performance.now());
  }

  async #report(pool: Pool): Promise<void> {
    if (performance.now() - this.#takenMs > REPORT_EVERY_MS) return;
    const nowMs = this.#clock.nowMs();
    this.adopt(nowMs);
    const priced = new Map<number, number>();
    for (const { board, desk } of this.#sources)
      if (desk) for (const id of board.priced(nowMs).keys()) priced.set(id, (priced.get(id) ?? 0) + 1);
    const report: LiveReport = {
      sources: this.#sources.map(({ venue, board, line }) => ({
        source: venue.source,
        isConnected: line.isConnected,
        reconnects: Math.max(line.connections - 1, 0),
        fault: line.fault,
        ...board.counts.read(nowMs),
      })),
      products: this.#products.all.flatMap((product) => {
        const rules = this.rulesOf(product);
        if (!rules) return [];
        const { symbol, sources, quorum } = rules;
        const isOpen = tradingPeriodAt(rules.schedule, nowMs) !== null;
        return [{ symbol, isOpen, sources: sources.length, priced: priced.get(product.id) ?? 0, quorum }];
      }),
    };
    await pool.query('select live_sources_report($1)', [JSON.stringify(report)]);
  }

  #sourcesOf({ id }: Product): readonly string[] {
    return this.#settling.get(id) ?? [];
  }

  #connect(venue: Venue, access: Access, listings: ReadonlyMap<string, SourceMarket>): Source {
    const board = new QuoteBoard(venue.source, listings);
    const { source } = venue;
    const hidden = faultTexts([access.key, access.account]);
    const history = historyOf(source, {
      access,
      keys: pythKeysOf(this.#file),
      origin: this.#file[source]?.historyUrl,
    });
    const desk =
      history &&
      new RecordDesk({
        history,
        listings: [...listings.values()],
        nowMs: () => this.#clock.nowMs(),
        tell: { fault: (why) => report(hidden(why)), deaf: (why) => connection.renew(why) },
      });
    const line: Source['line'] = { isConnected: false, connections: 0, fault: null };
    let loggedMs = Number.NEGATIVE_INFINITY;
    const known = new Set<string>();
    const report = (why: string) => {
      line.fault = { why, atMs: this.#clock.nowMs() };
      const isNew = known.size < MOST_AT_ONCE && !known.has(why);
      if (isNew) known.add(why);
      if (!isNew && performance.now() - loggedMs < QUIET_LOG_MS) return;
      loggedMs = performance.now();
      this.#log.warn({ source, why }, 'a source can’t be read');
    };
    const connection = new VenueConnection({
      venue,
      access,
      markets: [...listings.keys()],
      tell: {
        events: (events) => {
          const isInOrder = board.apply(events, this.#clock.nowMs());
          return (desk?.apply(events) ?? true) && isInOrder;
        },
        fault: report,
        connected: (isConnected) => {
          line.isConnected = isConnected;
          if (isConnected) line.connections += 1;
          this.#log.info({ source }, isConnected ? 'a source sends prices' : 'a source was lost');
        },
      },
    });
    return { venue, board, desk, connection, line, listings };
  }
}

function begin({ connection, desk }: Source): void {
  connection.start();
  desk?.start();
}

function end({ connection, desk }: Source): void {
  connection.stop();
  desk?.stop();
}

const isSame = (one: ReadonlyMap<string, SourceMarket>, other: ReadonlyMap<string, SourceMarket>): boolean =>
  one.size === other.size && [...one.keys()].every((market) => other.has(market));
