import pg from 'pg';
import type { Logger } from 'pino';
import { alone } from '../../platform/db/alone.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';
import { MINUTE_MS } from '../candles/candle-batch.ts';
import type { SourcesFile } from '../feeds/live/sources-file.ts';
import type { Product, Products } from '../products.ts';
import { askVenue, NoAnswer, type Pace, USUAL_PACE } from './paced-fetch.ts';
import { type Minutes, REACH } from './reach.ts';
import { HISTORY_VENUES, type HistoryVenue, readVenueCandles, type VenueCandle } from './venue-candles.ts';

/** Venues that did not answer are asked again after this. */
const EVERY_MS = 15 * 60_000;
const LOCK = 7050;
const STATEMENT_MS = 15_000;
const DAY_MS = 86_400_000;
const MOST_REASON = 200;

/** Products without a past, neither a venue's nor a simulated one: $1 are the candidates, $2 the log's beginning. */
const MISSING = `select p.id from products p where p.id = any ($1)
  and not exists (select from candle_histories h where h.product_id = p.id)
  and not exists (select from candles c where c.product_id = p.id and c.period = 30 and c.time_ms <= $2::bigint - 1800000)
  order by p.position`;

/** One statement, so that a product has its whole past or none of it. */
const STORE = `with stored as (
    insert into venue_candles (product_id, source, period, time_ms, open, high, low, close)
    select $1, $2, c.* from unnest($3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[]) c
    on conflict do nothing)
  insert into candle_histories (product_id) values ($1) on conflict do nothing`;

type PeriodCandle = VenueCandle & { readonly period: Minutes };

/**
 * Fetches the past of live products from before the log: the candles of one venue each, for charts. They lie apart from those of the log,
 * which decide as little. A product is fetched once; without an answer its chart begins with the log.
 */
export class VenueHistory extends RecurringJob {
  readonly #address: pg.ClientConfig;
  readonly #products: Products;
  readonly #file: SourcesFile;
  readonly #mayShow: (source: string) => boolean;
  readonly #pace: Pace;
  readonly #stopping = new AbortController();

  constructor(
    address: pg.ClientConfig,
    log: Logger,
    options: { products: Products; file: SourcesFile; mode: 'demo' | 'live'; pace?: Pace },
  ) {
    super(log, { everyMs: EVERY_MS, complaint: 'the history of venues could not be read' });
    this.#address = address;
    this.#products = options.products;
    this.#file = options.file;
    this.#mayShow = (source) => options.mode === 'demo' || options.file[source]?.mayPublish === true;
    this.#pace = options.pace ?? USUAL_PACE;
  }

  override stop(): Promise<void> {
    this.#stopping.abort();
    return super.stop();
  }

  /** @returns how many products got a past  @throws Error that names why others have none yet */
  async run(): Promise<number> {
    const address = {
      ...this.#address,
      application_name: 'fairtick history',
      statement_timeout: STATEMENT_MS,
    };
    const fetched = await alone(address, LOCK, async (client) => {
      const { rows } = await client.query<{ begun: number }>(
        'select begun_ms::float8 as begun from log_head',
      );
      return rows[0]?.begun == null ? 0 : this.#fetchAll(client, rows[0].begun);
    });
    return fetched ?? 0;
  }

  async #fetchAll(client: pg.Client, begunMs: number): Promise<number> {
    const candidates = this.#products.all.filter((product) => this.#venuesOf(product).length > 0);
    const { rows } = await client.query<{ id: number }>(MISSING, [candidates.map(({ id }) => id), begunMs]);
    const faults = new Map<string, string>();
    const silent = new Set<string>();
    let fetched = 0;
    for (const { id } of rows) {
      const product = this.#products.byId(id);
      for (const venue of this.#venuesOf(product).filter(({ source }) => !silent.has(source))) {
        if (this.isStopped) return fetched;
        try {
          await this.#store(client, product, venue.source, await this.#fetch(product, venue, begunMs));
          fetched += 1;
          break;
        } catch (error) {
          if (this.isStopped) return fetched;
          if (error instanceof pg.DatabaseError) throw error;
          faults.set(`${venue.source}, ${product.symbol}`, (error as Error).message.slice(0, MOST_REASON));
          // A venue that refuses one market answers for others; one that does not answer is left alone until the next turn.
          if (!(error instanceof NoAnswer && error.isRefused)) silent.add(venue.source);
        }
      }
    }
    if (fetched < rows.length)
      throw new Error([...faults].map(([where, why]) => `${where}: ${why}`).join('; ') || 'no venue answers');
    return fetched;
  }

  #venuesOf({ listing }: Product): readonly HistoryVenue[] {
    return HISTORY_VENUES.filter(
      ({ source }) => Object.hasOwn(listing.sources, source) && this.#mayShow(source),
    );
  }

  async #fetch(product: Product, venue: HistoryVenue, begunMs: number): Promise<PeriodCandle[]> {
    const found: PeriodCandle[] = [];
    for (const { period, days } of REACH) {
      const toMs = begunMs - (begunMs % (period * MINUTE_MS));
      const candles = await this.#fetchPeriod(product, venue, {
        minutes: period,
        fromMs: toMs - days * DAY_MS,
        toMs,
      });
      found.push(...candles.map((candle) => ({ ...candle, period })));
    }
    return found;
  }

  /** The candles of [fromMs, toMs), which is whole periods; answers are asked for from the newest back. */
  async #fetchPeriod(
    { symbol, decimals }: Product,
    venue: HistoryVenue,
    { minutes, fromMs, toMs }: { minutes: Minutes; fromMs: number; toMs: number },
  ): Promise<VenueCandle[]> {
    const origin = this.#file[venue.source]?.historyUrl ?? venue.url;
    const parts: VenueCandle[][] = [];
    for (let beforeMs = toMs; beforeMs > fromMs; ) {
      const asked = { symbol, minutes, beforeMs };
      const candles = await askVenue(
        origin.replace(/\/$/, '') + venue.pathOf(asked),
        (text) => readVenueCandles(venue, text, { minutes, decimals, beforeMs }),
        { pace: this.#pace, signal: this.#stopping.signal },
      );
      parts.unshift(candles);
      const [first] = candles;
      if (!venue.hasOlder || !first || candles.length < venue.most) break;
      beforeMs = first.timeMs;
    }
    return parts.flat().filter(({ timeMs }) => timeMs >= fromMs);
  }

  async #store(
    client: pg.Client,
    { id }: Product,
    source: string,
    candles: readonly PeriodCandle[],
  ): Promise<void> {
    await client.query(STORE, [
      id,
      source,
      candles.map(({ period }) => period),
      candles.map(({ timeMs }) => timeMs),
      candles.map(({ open }) => open),
      candles.map(({ high }) => high),
      candles.map(({ low }) => low),
      candles.map(({ close }) => close),
    ]);
  }
}
