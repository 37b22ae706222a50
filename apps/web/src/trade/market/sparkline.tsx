import { useSyncExternalStore } from 'react';
import { get } from '../../api/client.ts';
import css from './market.module.css';

const WIDTH = 64;
const HEIGHT = 24;
const MARGIN = 2;
/** Rows that appear within this time share one call. */
const GATHER_MS = 60;

/** Half-hourly prices of the trading day, fetched once a visit. */
class Sparks {
  readonly #lines = new Map<string, string | null>();
  readonly #listeners = new Set<() => void>();
  #wanted = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  get(symbol: string): string | null {
    return this.#lines.get(symbol) ?? null;
  }

  subscribe(symbol: string, listener: () => void): () => void {
    this.#listeners.add(listener);
    if (!this.#lines.has(symbol)) {
      this.#wanted.add(symbol);
      this.#timer ??= setTimeout(() => this.#fetch(), GATHER_MS);
    }
    return () => this.#listeners.delete(listener);
  }

  #fetch(): void {
    const symbols = [...this.#wanted];
    this.#wanted = new Set();
    this.#timer = null;
    for (const symbol of symbols) this.#lines.set(symbol, null);
    get('product/sparks', { symbols: symbols.join(',') }, { isSilent: true })
      .then((sparks) => {
        for (const [symbol, closes] of Object.entries(sparks)) this.#lines.set(symbol, polyline(closes));
        for (const listener of this.#listeners) listener();
      })
      // The sparkline is decorative, so a failure is ignored. It is fetched again when the row is shown again.
      .catch(() => {
        for (const symbol of symbols) this.#lines.delete(symbol);
      });
  }
}

const sparks = new Sparks();

/** Points of an SVG polyline; floats are enough for drawing. */
function polyline(closes: readonly string[]): string | null {
  const values = closes.map(Number);
  if (values.length < 2) return null;
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  return values
    .map((value, at) => {
      const x = (at / (values.length - 1)) * WIDTH;
      const y = HEIGHT - MARGIN - ((value - low) / span) * (HEIGHT - 2 * MARGIN);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
}

/** The day's prices as a neutral line. Its space is reserved while it loads. */
export function Sparkline({ symbol }: { symbol: string }) {
  const points = useSyncExternalStore(
    (listener) => sparks.subscribe(symbol, listener),
    () => sparks.get(symbol),
    () => null,
  );
  return (
    <svg
      className={`rigid ink-3 ${css.spark}`}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {points && <polyline points={points} />}
    </svg>
  );
}
