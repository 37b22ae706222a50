import type { ListedQuote } from '@fairtick/trading';

/** Figures are kept in parts of this length; the last minute is the last twelve of them, the present one among them. */
const PART_MS = 5_000;
const WINDOW_MS = 60_000;
/** Lags are counted by the millisecond within these bounds, so a part keeps a bounded number of counts. */
const LEAST_LAG_MS = -1_000;
const MOST_LAG_MS = 10_000;
/** A time that is further away is shown as this far. */
const MOST_CLOCK_MS = 86_400_000;

type Uses = Readonly<Record<ListedQuote['use'], number>>;

/** Figures of one source, for operators and the public. Times are the log's, ms. */
export interface SourceFigures {
  /** Prices taken, frames that showed a gap, and prices refused, since the process began. */
  readonly prices: number;
  readonly gaps: number;
  readonly ignored: number;
  /** What the source refused, and frames of it that were, such as prices without a signature. */
  readonly refused: number;
  /** When the last price was received; null: none was. */
  readonly lastMs: number | null;
  /** The rest is of the last minute. */
  readonly quotesPerSecond: number;
  /** Receipt minus the source's own time of a price: median and 99th percentile; null where the source names no time. */
  readonly lagP50: number | null;
  readonly lagP99: number | null;
  /**
   * The smallest lag of anything that names a time, also of prices that are refused because their time is ahead. Our clock is ahead of
   * the source's by this at most; below zero our clock is behind by at least as much.
   */
  readonly clockMs: number | null;
  /** In how many ticks its quote was used, stale, an outlier, or absent. */
  readonly ticks: Uses;
}

interface Part {
  readonly fromMs: number;
  prices: number;
  clockMs: number | null;
  readonly lags: Map<number, number>;
  readonly ticks: Record<ListedQuote['use'], number>;
}

const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

const partOf = (timeMs: number): number => Math.floor(timeMs / PART_MS) * PART_MS;

/** Counts what one source does: since the process began, and over the last minute. */
export class SourceCounts {
  readonly #totals = { prices: 0, gaps: 0, ignored: 0, refused: 0 };
  #sinceMs: number | null = null;
  #lastMs: number | null = null;
  readonly #parts: Part[] = [];

  /** A price that was taken; `venueMs` is null where the source names no time. */
  price(receivedMs: number, venueMs: number | null): void {
    const part = this.#part(receivedMs);
    this.#totals.prices += 1;
    this.#lastMs = receivedMs;
    part.prices += 1;
    if (venueMs === null) return;
    const lag = within(receivedMs - venueMs, LEAST_LAG_MS, MOST_LAG_MS);
    part.lags.set(lag, (part.lags.get(lag) ?? 0) + 1);
  }

  /** A time that the source named, of whatever it was. */
  clock(receivedMs: number, venueMs: number | null): void {
    if (venueMs === null) return;
    const part = this.#part(receivedMs);
    const lag = within(receivedMs - venueMs, -MOST_CLOCK_MS, MOST_CLOCK_MS);
    part.clockMs = Math.min(part.clockMs ?? lag, lag);
  }

  count(what: 'gaps' | 'ignored' | 'refused'): void {
    this.#totals[what] += 1;
  }

  /** A tick was written that lists the source. */
  tick(nowMs: number, use: ListedQuote['use']): void {
    this.#part(nowMs).ticks[use] += 1;
  }

  /** @param nowMs the log's time */
  read(nowMs: number): SourceFigures {
    const fromMs = partOf(nowMs) - WINDOW_MS + PART_MS;
    const parts = this.#parts.filter((part) => part.fromMs >= fromMs);
    const sum = (of: (part: Part) => number) => parts.reduce((total, part) => total + of(part), 0);
    const clocks = parts.flatMap(({ clockMs }) => (clockMs === null ? [] : [clockMs]));
    const seconds = Math.max((nowMs - Math.max(fromMs, this.#sinceMs ?? nowMs)) / 1_000, 1);
    const lags = sortedLags(parts);
    return {
      ...this.#totals,
      lastMs: this.#lastMs,
      quotesPerSecond: Math.round((sum(({ prices }) => prices) / seconds) * 10) / 10,
      lagP50: quantile(lags, 0.5),
      lagP99: quantile(lags, 0.99),
      clockMs: clocks.length === 0 ? null : Math.min(...clocks),
      ticks: {
        use: sum(({ ticks }) => ticks.use),
        stale: sum(({ ticks }) => ticks.stale),
        outlier: sum(({ ticks }) => ticks.outlier),
        none: sum(({ ticks }) => ticks.none),
      },
    };
  }

  #part(timeMs: number): Part {
    this.#sinceMs ??= timeMs;
    const fromMs = partOf(timeMs);
    const last = this.#parts.at(-1);
    // A time that went back counts to the newest part.
    if (last && last.fromMs >= fromMs) return last;
    const part: Part = {
      fromMs,
      prices: 0,
      clockMs: null,
      lags: new Map(),
      ticks: { use: 0, stale: 0, outlier: 0, none: 0 },
    };
    this.#parts.push(part);
    while ((this.#parts[0] as Part).fromMs <= fromMs - WINDOW_MS) this.#parts.shift();
    return part;
  }
}

type Lags = readonly (readonly [lagMs: number, count: number])[];

function sortedLags(parts: readonly Part[]): Lags {
  const all = new Map<number, number>();
  for (const { lags } of parts) for (const [lag, count] of lags) all.set(lag, (all.get(lag) ?? 0) + count);
  return [...all].sort(([a], [b]) => a - b);
}

/** The lag that a share of the prices does not exceed; null without prices. */
function quantile(lags: Lags, share: number): number | null {
  const wanted = lags.reduce((total, [, count]) => total + count, 0) * share;
  let upto = 0;
  for (const [lag, count] of lags) {
    upto += count;
    if (upto >= wanted) return lag;
  }
  return null;
}
