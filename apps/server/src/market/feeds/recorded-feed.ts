import { readFileSync } from 'node:fs';
import { MAX_OPEN_WITHIN_MS, MIN_DELAY_MS, type ProductRules, ROUND_THE_CLOCK } from '@fairtick/trading';
import { licencesOf, productRules } from '../product-rules.ts';
import type { Product } from '../products.ts';
import type { Announcement, Arrival, Feed } from './feed.ts';
import { quotesOf, type RecordedQuote, type Recording, readRecording } from './recording.ts';

/** A recording may be sparse, so quotes stay current this long. */
const REPLAY_BOUND_MS = 300_000;
const SOURCE = 'replay';

interface Track {
  readonly quotes: readonly RecordedQuote[];
  readonly firstMs: number;
  next: number;
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
      this.#tracks.set(productId, { quotes, firstMs: quotes[0]?.timeMs ?? 0, next: 0 });
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
      const recording = read(path);
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
      lagMs: 0,
      staleMs: REPLAY_BOUND_MS,
      freshMs: REPLAY_BOUND_MS,
      openWithinMs: MAX_OPEN_WITHIN_MS,
      outlierBps: 10_000,
      delayMs: MIN_DELAY_MS,
      schedule: ROUND_THE_CLOCK,
    });
  }

  /** The first call sets the start: the first quote of each recording is planned for its time. */
  take(timeMs: number): readonly Arrival[] {
    this.#startMs ??= timeMs;
    const arrivals: Arrival[] = [];
    for (const [productId, track] of this.#tracks) {
      for (;;) {
        const recorded = track.quotes[track.next];
        if (!recorded) break;
        const plannedMs = this.#plannedAt(track, recorded.timeMs, this.#startMs);
        if (plannedMs > timeMs) break;
        track.next += 1;
        const quote = {
          source: SOURCE,
          price: recorded.price,
          sourceMs: plannedMs,
          sourceSeq: BigInt(track.next),
          receivedMs: plannedMs,
        };
        arrivals.push({ productId, quote });
      }
    }
    return arrivals;
  }

  endedBy(): ReadonlySet<number> {
    const ended = new Set<number>();
    for (const [productId, track] of this.#tracks)
      if (track.next >= track.quotes.length) ended.add(productId);
    return ended;
  }

  setBusy(): void {}

  async announcement(): Promise<Announcement | null> {
    return null;
  }

  /** start + (t − first t) / speed, whole ms. */
  #plannedAt(track: Track, recordedMs: number, startMs: number): number {
    return startMs + Math.floor((recordedMs - track.firstMs) / this.#speed);
  }
}

function read(path: string): Recording {
  try {
    return readRecording(readFileSync(path));
  } catch (error) {
    throw new Error(`REPLAY_FILES: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
