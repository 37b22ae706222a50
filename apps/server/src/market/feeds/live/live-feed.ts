import { compactPythUpdate, PYTH_FEEDS } from '@fairtick/proof';
import {
  type ListedQuote,
  MIN_DELAY_MS,
  type ProductRules,
  PYTH_SOURCE,
  tradingPeriodAt,
} from '@fairtick/trading';
import type { Logger } from 'pino';
import type { Pool } from '../../../platform/db/database.ts';
import { RecurringJob } from '../../../platform/db/recurring-job.ts';
import { productRules } from '../../product-rules.ts';
import type { Product, Products } from '../../products.ts';
import type { Announcement, Arrival, Feed } from '../feed.ts';
import { listingsOf, liveTermsOf, quorumOf, usableSources } from './live-products.ts';
import type { LiveReport } from './live-report.ts';
import { marketHours } from './market-hours.ts';
import { type Listing, QuoteBoard } from './quote-board.ts';
import { accessOf, pythKeysOf, type SourcesFile, venuesOf } from './sources-file.ts';
import type { Access, Venue } from './venue.ts';
import { VenueConnection } from './venue-connection.ts';

const CLOCK_EVERY_MS = 2_000;
/** Faults of a source are logged once in this time; those that are new, up to so many, at once. */
const QUIET_LOG_MS = 60_000;
const MOST_AT_ONCE = 20;

/** How often the leading process reports its sources. */
const REPORT_EVERY_MS = 5_000;

interface Source {
  readonly venue: Venue;
  readonly board: QuoteBoard;
  readonly connection: VenueConnection;
  readonly line: {
    isConnected: boolean;
    /** How often a connection that began brought a first price. */
    connections: number;
    fault: { readonly why: string; readonly atMs: number } | null;
  };
}

/** Prices of exchanges and vendors, received by this process as they are sent. Products without enough sources are closed. */
export class LiveFeed implements Feed {
  readonly name = 'live';
  readonly receivesSinceMs: number;
  readonly #sources: readonly Source[];
  readonly #file: SourcesFile;
  readonly #mode: 'demo' | 'live';
  readonly #clock: LogSight;
  readonly #log: Logger;
  readonly #products: Products;
  readonly #reports: RecurringJob;
  /** When the writer last took quotes; a process that does not lead is not asked. */
  #takenMs = Number.NEGATIVE_INFINITY;

  private constructor(options: {
    pool: Pool;
    products: Products;
    file: SourcesFile;
    mode: 'demo' | 'live';
    clock: LogSight;
    log: Logger;
  }) {
    const { products, file, mode, clock, log } = options;
    this.#file = file;
    this.#mode = mode;
    this.#clock = clock;
    this.#log = log;
    this.#products = products;
    this.#reports = RecurringJob.of(() => this.#report(options.pool), log, {
      everyMs: REPORT_EVERY_MS,
      complaint: 'the state of the sources could not be written',
      isAtOnce: false,
    });
    this.receivesSinceMs = clock.nowMs();
    this.#sources = venuesOf(file).flatMap((venue) => {
      const used = products.all.filter((product) => this.#sourcesOf(product).includes(venue.source));
      const listings = listingsOf(venue, used);
      const access = accessOf(venue, file);
      return listings.size === 0 || access === null ? [] : [this.#connect(venue, access, listings)];
    });
  }

  static async start(options: {
    pool: Pool;
    products: Products;
    file: SourcesFile;
    mode: 'demo' | 'live';
    log: Logger;
  }): Promise<LiveFeed> {
    const clock = await LogSight.start(options.pool, options.log);
    const feed = new LiveFeed({ ...options, clock });
    for (const { connection } of feed.#sources) connection.start();
    feed.#reports.start();
    return feed;
  }

  async stop(): Promise<void> {
    for (const { connection } of this.#sources) connection.stop();
    await this.#reports.stop();
    await this.#clock.stop();
  }

  rulesOf(product: Product): ProductRules | null {
    const sources = this.#sourcesOf(product);
    if (sources.length === 0) return null;
    return productRules({
      symbol: product.symbol,
      decimals: product.decimals,
      sources,
      ...(sources.includes(PYTH_SOURCE)
        ? { pyth: { feed: feedOf(product), keys: pythKeysOf(this.#file) } }
        : {}),
      licences: Object.fromEntries(
        sources.map((source) => [source, this.#file[source]?.contract ? 'licensed' : 'public']),
      ),
      quorum: quorumOf(sources),
      lagMs: 0,
      ...liveTermsOf(product.assetClass),
      delayMs: MIN_DELAY_MS,
      schedule: marketHours(product),
    });
  }

  take(timeMs: number): readonly Arrival[] {
    this.#takenMs = performance.now();
    return this.#sources
      .flatMap(({ board }) => board.take(timeMs))
      .sort((a, b) => a.quote.receivedMs - b.quote.receivedMs);
  }

  signedUpdate(productId: number, sourceSeq: bigint): Uint8Array | null {
    const board = this.#sources.find(({ venue }) => venue.source === PYTH_SOURCE)?.board;
    const signed = board?.signedUpdate(productId, sourceSeq);
    return signed ? compactPythUpdate(signed.update, signed.market) : null;
  }

  judged(quotes: readonly ListedQuote[]): void {
    const nowMs = this.#clock.nowMs();
    for (const { source, use } of quotes)
      this.#sources.find(({ venue }) => venue.source === source)?.board.counts.tick(nowMs, use);
  }

  endedBy(): ReadonlySet<number> {
    return new Set();
  }

  setBusy(): void {}

  async announcement(): Promise<Announcement | null> {
    return null;
  }

  async #report(pool: Pool): Promise<void> {
    if (performance.now() - this.#takenMs > REPORT_EVERY_MS) return;
    const nowMs = this.#clock.nowMs();
    const priced = new Map<number, number>();
    for (const { board } of this.#sources)
      for (const id of board.priced(nowMs)) priced.set(id, (priced.get(id) ?? 0) + 1);
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

  #sourcesOf({ symbol }: Product): readonly string[] {
    return usableSources(symbol, this.#file, this.#mode);
  }

  #connect(venue: Venue, access: Access, listings: ReadonlyMap<string, Listing>): Source {
    const board = new QuoteBoard(venue.source, listings);
    const { source } = venue;
    const line: Source['line'] = { isConnected: false, connections: 0, fault: null };
    let loggedMs = Number.NEGATIVE_INFINITY;
    const known = new Set<string>();
    const connection = new VenueConnection({
      venue,
      access,
      markets: [...listings.keys()],
      tell: {
        events: (events) => board.apply(events, this.#clock.nowMs()),
        fault: (why) => {
          line.fault = { why, atMs: this.#clock.nowMs() };
          const isNew = known.size < MOST_AT_ONCE && !known.has(why);
          if (isNew) known.add(why);
          if (!isNew && performance.now() - loggedMs < QUIET_LOG_MS) return;
          loggedMs = performance.now();
          this.#log.warn({ source, why }, 'a source can’t be read');
        },
        connected: (isConnected) => {
          line.isConnected = isConnected;
          if (isConnected) line.connections += 1;
          this.#log.info({ source }, isConnected ? 'a source sends prices' : 'a source was lost');
        },
      },
    });
    return { venue, board, connection, line };
  }
}

const feedOf = ({ symbol }: Product): string => PYTH_FEEDS[symbol] as string;

/** The log's time as this process sees it: the database's reading, carried on by a clock that can't be set. */
class LogSight {
  readonly #job: RecurringJob;
  #logMs: number;
  #readMs: number;
  #last = 0;

  private constructor(pool: Pool, first: { logMs: number; readMs: number }, log: Logger) {
    this.#logMs = first.logMs;
    this.#readMs = first.readMs;
    this.#job = RecurringJob.of(
      async () => {
        const { logMs, readMs } = await readLogTime(pool);
        this.#logMs = logMs;
        this.#readMs = readMs;
      },
      log,
      { everyMs: CLOCK_EVERY_MS, complaint: 'the log’s time could not be read', isAtOnce: false },
    );
  }

  static async start(pool: Pool, log: Logger): Promise<LogSight> {
    const sight = new LogSight(pool, await readLogTime(pool), log);
    sight.#job.start();
    return sight;
  }

  nowMs(): number {
    this.#last = Math.max(this.#last, Math.floor(this.#logMs + performance.now() - this.#readMs));
    return this.#last;
  }

  stop(): Promise<void> {
    return this.#job.stop();
  }
}

async function readLogTime(pool: Pool): Promise<{ logMs: number; readMs: number }> {
  const askedMs = performance.now();
  const { rows } = await pool.query<{ now: string }>('select log_now() as now');
  // Read somewhere between question and answer.
  return { logMs: Number(rows[0]?.now), readMs: (askedMs + performance.now()) / 2 };
}
