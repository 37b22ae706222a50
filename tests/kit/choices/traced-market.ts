import { points } from '@fairtick/money';
import { CATALOGUE } from '../../../apps/server/src/market/catalogue/catalogue.ts';
import { createMarketModel, SOURCES } from '../../../apps/server/src/market/simulated/market-model.ts';
import { INSTALLED_MS, SEEDS } from '../../../apps/server/src/market/simulated/model-fixture.ts';
import {
  decidePrice,
  type Gap,
  GRID_MS,
  type PriceAnswer,
  type ProductRules,
  type Quote,
  type Tick,
} from '../../../packages/trading/src/index.ts';

/** What the house knows of a product at each grid time of a span: its sources' quotes, and the market's price. */
export class TracedMarket {
  readonly startMs: number;
  readonly rules: Pick<ProductRules, 'sources' | 'quorum' | 'lagMs' | 'staleMs' | 'outlierBps'>;
  readonly #quotes: (Quote | null)[][] = SOURCES.map(() => []);
  readonly #mids: number[] = [];
  readonly #squares: number[] = [0];
  readonly #honest = new Map<number, PriceAnswer>();

  constructor(symbol: string, hours: number) {
    const product = CATALOGUE.find((each) => each.symbol === symbol);
    if (!product) throw new Error(`no product ${symbol}`);
    this.startMs = Math.ceil(INSTALLED_MS / 3_600_000) * 3_600_000 + 3_600_000;
    const { staleMs, outlierBps } = product;
    this.rules = { sources: [...SOURCES], quorum: 2, lagMs: 0, staleMs, outlierBps };
    const model = createMarketModel({ products: CATALOGUE, seeds: SEEDS, installedMs: INSTALLED_MS });
    for (let slot = 0; slot <= hours * 14_400; slot += 1) {
      const timeMs = this.timeOf(slot);
      const quotes = model.quotesAt(symbol, timeMs);
      for (const [at, source] of SOURCES.entries()) {
        const found = quotes.find((quote) => quote.source === source);
        const { price, sourceMs, sourceSeq, arrivesMs } = found ?? {};
        (this.#quotes[at] as (Quote | null)[]).push(
          price === undefined || sourceMs === undefined
            ? null
            : {
                source,
                price,
                sourceMs,
                sourceSeq: BigInt(sourceSeq ?? 0),
                receivedMs: arrivesMs ?? sourceMs,
              },
        );
      }
      const mid = Number(model.priceAt(symbol, timeMs));
      this.#mids.push(mid);
      const step = mid - (this.#mids.at(-5) ?? mid);
      this.#squares.push((this.#squares.at(-1) as number) + step * step);
    }
  }

  timeOf(slot: number): number {
    return this.startMs + slot * GRID_MS;
  }
  slotOf(timeMs: number): number {
    return Math.floor((timeMs - this.startMs) / GRID_MS);
  }
  midAt(slot: number): number {
    return this.#mids[slot] as number;
  }

  /** The standard deviation of a minute's move, from the moves of a second in the five minutes before. */
  minuteMove(slot: number): number {
    const from = Math.max(0, slot - 1200);
    const sum = (this.#squares[slot] as number) - (this.#squares[from] as number);
    return Math.sqrt((sum / Math.max(1, slot - from)) * 60);
  }

  /** A source's quotes that came in the slots from one to another, the latest first. */
  *quotesOf(source: number, fromSlot: number, toSlot: number): Generator<Quote> {
    const all = this.#quotes[source] as (Quote | null)[];
    for (let slot = toSlot; slot >= Math.max(0, fromSlot); slot -= 1) {
      const quote = all[slot];
      if (quote) yield quote;
    }
  }

  /** Each source's latest quote at a grid time. */
  latest(slot: number): (Quote | undefined)[] {
    return SOURCES.map((_, source) => this.quotesOf(source, slot - 400, slot).next().value ?? undefined);
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

  /**
   * A source's quotes of earlier grid times that are at most `mostMs` old, the latest first. As if it quoted all the time, each is of
   * its grid time itself; else they are those that it sent.
   */
  heldBack(source: number, slot: number, mostMs: number, isSteady: boolean): Quote[] {
    const held: Quote[] = [];
    for (let at = slot - 1; at >= Math.max(1, slot - Math.floor(mostMs / GRID_MS)); at -= 1) {
      const sent = this.#quotes[source]?.[at];
      const quote = sent && isSteady ? this.#moved(sent, at) : sent;
      if (quote && this.timeOf(slot) - quote.sourceMs <= mostMs) held.push(quote);
    }
    return held;
  }

  /** The quote with the same error that the source gives a little later, at the grid time itself. */
  #moved(quote: Quote, slot: number): Quote {
    const timeMs = this.timeOf(slot);
    const late = (timeMs - quote.sourceMs) / GRID_MS;
    const moved = Math.round(late * (this.midAt(slot) - this.midAt(slot - 1)));
    return { ...quote, price: points(quote.price + BigInt(moved)), sourceMs: timeMs, receivedMs: timeMs };
  }

  /** The tick of a grid time; null where the quorum is missing. */
  tick(slot: number, freshMs: number, listed?: readonly (Quote | undefined)[]): Tick | null {
    const { price, quotes } = listed ? this.priced(slot, listed) : this.honest(slot);
    if (price === null) return null;
    return { kind: 'tick', n: slot + 1, timeMs: this.timeOf(slot), price, quotes, freshMs };
  }
  gap(slot: number): Gap {
    return { kind: 'gap', n: slot + 1, timeMs: this.timeOf(slot), reason: 'quorum', quotes: [] };
  }
}
