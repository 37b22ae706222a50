import { points } from '@fairtick/money';
import { SOURCES } from '../../../apps/server/src/market/simulated/market-model.ts';
import {
  decidePrice,
  type Gap,
  GRID_MS,
  type PriceAnswer,
  type ProductRules,
  type Quote,
  type Tick,
} from '../../../packages/trading/src/index.ts';
import { type PricePath, STEP_MS } from './price-path.ts';

export type PriceRules = Pick<
  ProductRules,
  'sources' | 'quorum' | 'lagMs' | 'staleMs' | 'outlierBps' | 'freshMs'
>;

/** A quote of a source on a line of its own is at least this old when it is used. */
const TRANSPORT_MS = 10;

/** How sources quote: once for each grid time, as the simulated ones do, or all the time. */
export interface Manner {
  readonly isSteady: boolean;
  readonly lagMs: number;
  readonly freshMs: number;
}

/** What the simulated products have. */
export const OWN: Manner = { isSteady: false, lagMs: 0, freshMs: 200 };

/** What the house knows of a product at each grid time of a span: its sources' quotes, and the market's price. */
export class TracedMarket {
  readonly path: PricePath;
  readonly manner: Manner;
  readonly rules: PriceRules;
  readonly #squares: Float64Array;
  readonly #honest = new Map<number, PriceAnswer>();

  constructor(path: PricePath, manner: Manner = OWN, rules: Partial<PriceRules> = {}) {
    this.path = path;
    this.manner = manner;
    const { staleMs, outlierBps } = path;
    const { lagMs, freshMs } = manner;
    this.rules = { sources: [...SOURCES], quorum: 2, lagMs, freshMs, staleMs, outlierBps, ...rules };
    this.#squares = new Float64Array(path.slots + 1);
    for (let slot = 4; slot <= path.slots; slot += 1) {
      const step = this.midOf(slot) - this.midOf(slot - 4);
      this.#squares[slot] = (this.#squares[slot - 1] as number) + step * step;
    }
  }

  timeOf(slot: number): number {
    return this.path.startMs + slot * GRID_MS;
  }
  slotOf(timeMs: number): number {
    return Math.floor((timeMs - this.path.startMs) / GRID_MS);
  }
  midAt(timeMs: number): number {
    const { mids, startMs } = this.path;
    const step = Math.min(Math.max(0, (timeMs - startMs) / STEP_MS), mids.length - 1);
    const from = mids[Math.floor(step)] as number;
    const to = mids[Math.ceil(step)] as number;
    return from + (to - from) * (step % 1);
  }
  midOf(slot: number): number {
    return this.midAt(this.timeOf(slot));
  }

  /** The standard deviation of a second's move, from those in the five minutes before. */
  secondMove(slot: number): number {
    const to = Math.min(slot, this.path.slots);
    const from = Math.max(0, to - 1200);
    const sum = (this.#squares[to] as number) - (this.#squares[from] as number);
    return Math.sqrt(sum / Math.max(1, to - from));
  }

  /** Each source's latest quote at a grid time that a price takes. */
  latest(slot: number): (Quote | undefined)[] {
    return SOURCES.map((_, source) => {
      if (this.manner.isSteady) return this.quoteAt(source, this.#newestMs(slot));
      for (let at = slot; at >= Math.max(0, slot - 400); at -= 1) {
        const quote = this.path.quotes[source]?.[at];
        if (quote) return quote;
      }
      return undefined;
    });
  }

  #newestMs(slot: number): number {
    return this.timeOf(slot) - Math.max(this.manner.lagMs, TRANSPORT_MS);
  }

  /** What a source that quotes all the time says at a moment: the price then, with the error that it has in that quarter of a second. */
  quoteAt(source: number, timeMs: number): Quote | undefined {
    const slot = Math.ceil((timeMs - this.path.startMs) / GRID_MS);
    const sent = this.path.quotes[source]?.[slot];
    if (!sent) return undefined;
    const moved = Math.round(this.midAt(timeMs) - this.midAt(sent.sourceMs));
    const price = points(sent.price + BigInt(moved));
    return { ...sent, price, sourceMs: timeMs, receivedMs: timeMs, sourceSeq: BigInt(timeMs) };
  }

  /** A source's earlier quotes that are at most `mostMs` old, the latest first. */
  heldBack(source: number, slot: number, mostMs: number): Quote[] {
    const timeMs = this.timeOf(slot);
    const held: Quote[] = [];
    if (this.manner.isSteady) {
      const from = Math.ceil((this.#newestMs(slot) - STEP_MS) / STEP_MS) * STEP_MS;
      for (let at = from; at > timeMs - mostMs; at -= STEP_MS) held.push(...this.#some(source, at));
      return [...held, ...this.#some(source, timeMs - mostMs)];
    }
    for (let at = slot - 1; at >= Math.max(1, slot - Math.floor(mostMs / GRID_MS)); at -= 1) {
      const quote = this.path.quotes[source]?.[at];
      if (quote && timeMs - quote.sourceMs <= mostMs) held.push(quote);
    }
    return held;
  }

  /** A source's quotes of the time after a grid time, which a log that is behind its sources has received by then. */
  coming(source: number, slot: number, aheadMs: number): Quote[] {
    const timeMs = this.timeOf(slot);
    const received = (quote: Quote): Quote => ({ ...quote, receivedMs: timeMs });
    const times = Array.from({ length: Math.floor(aheadMs / GRID_MS) }, (_, at) => slot + at + 1);
    if (this.manner.isSteady) return times.flatMap((at) => this.#some(source, this.timeOf(at))).map(received);
    return times.flatMap((at) => this.path.quotes[source]?.[at] ?? []).map(received);
  }

  #some(source: number, timeMs: number): Quote[] {
    const quote = this.quoteAt(source, timeMs);
    return quote ? [quote] : [];
  }

  priced(slot: number, listed: readonly (Quote | undefined)[]): PriceAnswer {
    const quotes = listed.filter((quote) => quote !== undefined);
    return decidePrice({ quotes, timeMs: this.timeOf(slot), rules: this.rules });
  }

  honest(slot: number): PriceAnswer {
    const known = this.#honest.get(slot) ?? this.priced(slot, this.latest(slot));
    this.#honest.set(slot, known);
    return known;
  }

  /** The tick of a grid time; null where the quorum is missing. */
  tick(slot: number, listed?: readonly (Quote | undefined)[]): Tick | null {
    const { price, quotes } = listed ? this.priced(slot, listed) : this.honest(slot);
    if (price === null) return null;
    const { freshMs } = this.rules;
    return { kind: 'tick', n: slot + 1, timeMs: this.timeOf(slot), price, quotes, freshMs };
  }
  gap(slot: number): Gap {
    return { kind: 'gap', n: slot + 1, timeMs: this.timeOf(slot), reason: 'quorum', quotes: [] };
  }
}
