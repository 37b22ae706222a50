import { readFileSync } from 'node:fs';
import {
  type KnownRecord,
  MIN_DELAY_MS,
  type ProductRules,
  type Quote,
  ROUND_THE_CLOCK,
} from '@fairtick/trading';
import { licencesOf, productRules } from '../product-rules.ts';
import type { Product } from '../products.ts';
import type { Arrival, Feed, LatestQuotes } from './feed.ts';
import { quotesOf, type RecordedQuote, type Recording, readRecording } from './recording.ts';

/** A recording may be sparse, so a row counts this long. */
const QUIET_MS = 300_000;
const SOURCE = 'replay';

interface Track {
  readonly quotes: readonly RecordedQuote[];
  readonly firstMs: number;
  /** How many rows were taken. */
  next: number;
  /** What the log has last of this product, from before this replay; its rows are numbered on from there. */
  before: Quote | null;
}

/** Replays recorded quotes at their own pace or faster. One source; products without a recording are closed. */
export class RecordedFeed implements Feed {
  readonly name = 'replay';
  readonly #tracks = new Map<number, Track>();
  readonly #speed: number;
  #startMs: number | null = null;

  constructor(tracks: ReadonlyMap<number, readonly RecordedQuote[]>, { speed }: { speed: number }) {
    this.#speed = speed;
    for (const [productId, quotes] of tracks) {
      this.#tracks.set(productId, { quotes, firstMs: quotes[0]?.timeMs ?? 0, next: 0, before: null });
    }
  }

  /** @throws Error that names the file or symbol, when a file can't be read or holds no quotes, or a symbol is unknown */
  static fromFiles(
    files: ReadonlyMap<string, string>,
    options: {
      speed: number;
      productOf: (symbol: string) => Product | null;
      /** Told what each file was recognised as. */
      onRead: (symbol: string, description: string) => void;
    },
  ): RecordedFeed {
    const tracks = new Map<number, readonly RecordedQuote[]>();
    for (const [symbol, path] of files) {
      const product = options.productOf(symbol);
      if (!product) throw new Error(`REPLAY_FILES: there is no product ${symbol}`);
      const recording = read(path, symbol);
      const quotes = quotesOf(recording, product);
      if (quotes.length === 0) throw new Error(`REPLAY_FILES: ${path} holds no quotes`);
      options.onRead(symbol, recording.description);
      tracks.set(product.id, quotes);
    }
    return new RecordedFeed(tracks, options);
  }

  /** A recording begins with the first call of `take`. */
  get receivesSinceMs(): number | null {
    return this.#startMs;
  }

  rulesOf(product: Product): ProductRules | null {
    if (!this.#tracks.has(product.id)) return null;
    return productRules({
      symbol: product.symbol,
      decimals: product.decimals,
      sources: [SOURCE],
      licences: licencesOf([SOURCE], 'recorded'),
      quorum: 1,
      quietMs: QUIET_MS,
      waitMs: 0,
      outlierBps: 10_000,
      delayMs: MIN_DELAY_MS,
      schedule: ROUND_THE_CLOCK,
    });
  }

  resume(latest: LatestQuotes): void {
    if (this.#startMs !== null) return;
    for (const [productId, track] of this.#tracks) track.before = latest.get(productId)?.get(SOURCE) ?? null;
  }

  /** The first call sets the start: the first quote of each recording is planned for its time. */
  take(timeMs: number): readonly Arrival[] {
    this.#startMs ??= timeMs;
    const arrivals: Arrival[] = [];
    for (const [productId, track] of this.#tracks) {
      for (;;) {
        const quote = this.#quoteOf(track, track.next, this.#startMs);
        if (!quote || quote.sourceMs > timeMs) break;
        track.next += 1;
        arrivals.push({ productId, quote });
      }
    }
    return arrivals;
  }

  recordsAt(productId: number, fixMs: number): readonly KnownRecord[] {
    const track = this.#tracks.get(productId);
    if (!track || this.#startMs === null) return [];
    // Every row up to `fixMs` is taken by then.
    let row = track.next - 1;
    let quote = this.#quoteOf(track, row, this.#startMs);
    while (quote && quote.sourceMs > fixMs) {
      row -= 1;
      quote = this.#quoteOf(track, row, this.#startMs);
    }
    quote ??= track.before;
    if (!quote || quote.sourceMs > fixMs) return [];
    const last = { number: quote.sourceSeq, timeMs: quote.sourceMs, price: quote.price };
    return [{ source: SOURCE, last, closing: { by: 'said' } }];
  }

  stopped(): ReadonlyMap<number, 'end'> {
    return new Map(
      [...this.#tracks].flatMap(([productId, { next, quotes }]) =>
        next >= quotes.length ? [[productId, 'end'] as const] : [],
      ),
    );
  }

  /** A row as a quote, planned for start + (t − first t) / speed, whole ms; null: there is no such row. */
  #quoteOf({ quotes, firstMs, before }: Track, row: number, startMs: number): Quote | null {
    const recorded = quotes[row];
    if (!recorded) return null;
    const plannedMs = startMs + Math.floor((recorded.timeMs - firstMs) / this.#speed);
    return {
      source: SOURCE,
      price: recorded.price,
      sourceMs: plannedMs,
      sourceSeq: (before?.sourceSeq ?? 0n) + BigInt(row + 1),
      receivedMs: plannedMs,
    };
  }
}

function read(path: string, symbol: string): Recording {
  try {
    return readRecording(readFileSync(path), symbol);
  } catch (error) {
    throw new Error(`REPLAY_FILES: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
