import type { Points } from '@fairtick/money';
import { RecentlyUsed } from '../../platform/recently-used.ts';
import { uniform } from './keystream.ts';
import { type PricedProduct, roundPoints } from './priced-product.ts';
import { DAY_MS, dayOf, type SeedSource, streamOf, WINDOW_MS, windowOf } from './walk.ts';

export const SOURCES = ['sim-a', 'sim-b', 'sim-c'] as const;
type Source = (typeof SOURCES)[number];

export interface SimulatedQuote {
  readonly source: Source;
  readonly price: Points;
  /** When the source saw the price, according to the source. */
  readonly sourceMs: number;
  /** Rises with time, for each product and source. */
  readonly sourceSeq: number;
  /** When the quote arrives: after `slotMs` - 250 and not after `slotMs`; the same holds for `sourceMs`. */
  readonly arrivesMs: number;
}

export const SLOT_MS = 250;
/** Sequence numbers count quarters of a second from this time. */
const SEQUENCE_FROM_MS = Date.UTC(2020, 0, 1);

/** How far behind its slot a source looks, and the least transport time of its quote; ms. */
const [LAG_LEAST, LAG_MOST, TRANSPORT_LEAST] = [20, 120, 5];
/** A source's own error is uniform within ± this: a point, or a twentieth of a basis point if that is more. */
const ERROR_POINTS = 1;
const ERROR_SHARE = 0.000_005;

/** Probability of a silence in each window of 15 minutes: about one in 20 minutes. */
const SILENCE_CHANCE = 0.75;
const [SILENCE_LEAST_MS, SILENCE_MOST_MS] = [5_000, 25_000];
/** Two chances of a spike per window: about one in 15 minutes. Sizes are multiples of the outlier limit. */
const SPIKE_CHANCE = 0.5;
const SPIKES_PER_WINDOW = 2;
const [SPIKE_LEAST, SPIKE_MOST] = [3, 10];

/** How many slots back a source's last quote is looked for: two silences, one before and one after a closing. */
const MOST_SLOTS_BACK = (2 * SILENCE_MOST_MS) / SLOT_MS + 10;

/** Words of a product's day in the stream: first the faults of the windows, then those of each slot, one for each source. */
const FAULT_WORDS = 16;
const SLOT_WORDS = 4;
const SLOTS_FROM = (DAY_MS / WINDOW_MS) * FAULT_WORDS;
/** Words are drawn for a minute's slots at once. */
const MINUTE_MS = 60_000;
const MINUTE_WORDS = (MINUTE_MS / SLOT_MS) * SLOT_WORDS;

interface Faults {
  readonly silence: { readonly source: Source; readonly fromMs: number; readonly toMs: number } | null;
  /** At the slot, the source's price is multiplied by the factor. */
  readonly spikes: readonly { readonly source: Source; readonly slotMs: number; readonly factor: number }[];
}

/** Quotes of three sources for one product: each sees the mid a little late and with a small error, and can fail. */
export class SimulatedSources {
  readonly #priced: PricedProduct;
  readonly #streams: RecentlyUsed<number, ReturnType<typeof streamOf>>;
  readonly #minutes = new RecentlyUsed(2, (minute: number) => {
    const day = dayOf(minute * MINUTE_MS);
    const ofDay = minute - (day * DAY_MS) / MINUTE_MS;
    return this.#streams.get(day).words(SLOTS_FROM + ofDay * MINUTE_WORDS, MINUTE_WORDS);
  });
  readonly #faults = new RecentlyUsed(2, (window: number) => this.#drawFaults(window));

  constructor(priced: PricedProduct, seeds: SeedSource) {
    this.#priced = priced;
    this.#streams = new RecentlyUsed(2, (day: number) =>
      streamOf(seeds, day, `quotes of ${priced.product.symbol}`),
    );
  }

  /** @param slotMs a multiple of 250  @returns no quotes while the product is closed, or if it was closed one slot ago */
  quotesAt(slotMs: number): SimulatedQuote[] {
    if (slotMs % SLOT_MS !== 0) throw new RangeError(`${slotMs} is not a slot`);
    const span = this.#priced.hours.spanAt(slotMs);
    return span.isOpen && slotMs - SLOT_MS >= span.startMs ? this.#makeQuotes(slotMs) : [];
  }

  /** Each source's last quote with a source time of `timeMs` or before; none of a source that is silent for longer than any silence. */
  lastQuotes(timeMs: number): SimulatedQuote[] {
    const found = new Map<Source, SimulatedQuote>();
    // A quote is from the quarter of a second before its slot.
    let slotMs = Math.floor(timeMs / SLOT_MS) * SLOT_MS + SLOT_MS;
    for (let looked = 0; looked < MOST_SLOTS_BACK && found.size < SOURCES.length; looked += 1) {
      for (const quote of this.quotesAt(slotMs))
        if (quote.sourceMs <= timeMs && !found.has(quote.source)) found.set(quote.source, quote);
      slotMs -= SLOT_MS;
      // While the product is closed there is none: the one before is from before the closing.
      const span = this.#priced.hours.spanAt(slotMs);
      if (!span.isOpen && Number.isFinite(span.startMs)) slotMs = Math.min(slotMs, span.startMs);
    }
    return [...found.values()];
  }

  #makeQuotes(slotMs: number): SimulatedQuote[] {
    const words = this.#minutes.get(Math.floor(slotMs / MINUTE_MS));
    const from = ((slotMs % MINUTE_MS) / SLOT_MS) * SLOT_WORDS;
    const { silence, spikes } = this.#faults.get(windowOf(slotMs));
    const isSilent = (source: Source) =>
      silence?.source === source && slotMs >= silence.fromMs && slotMs < silence.toMs;
    return SOURCES.flatMap((source, place) => {
      if (isSilent(source)) return [];
      const word = words[from + place] as number;
      const lag = LAG_LEAST + Math.floor(((word & 0x3ff) / 0x400) * (LAG_MOST - LAG_LEAST + 1));
      const transport =
        TRANSPORT_LEAST + Math.floor((((word >>> 10) & 0x3ff) / 0x400) * (lag - TRANSPORT_LEAST + 1));
      const sourceMs = slotMs - lag;
      let price = Math.exp(this.#priced.logAt(sourceMs));
      price += (((word >>> 20) + 0.5) / 0x800 - 1) * Math.max(ERROR_POINTS, price * ERROR_SHARE);
      for (const spike of spikes)
        if (spike.source === source && spike.slotMs === slotMs) price *= spike.factor;
      const sourceSeq = (slotMs - SEQUENCE_FROM_MS) / SLOT_MS;
      return [{ source, price: roundPoints(price), sourceMs, sourceSeq, arrivesMs: sourceMs + transport }];
    });
  }

  #drawFaults(window: number): Faults {
    const windowMs = window * WINDOW_MS;
    const day = dayOf(windowMs);
    const from = (window - windowOf(day * DAY_MS)) * FAULT_WORDS;
    const words = this.#streams.get(day).words(from, FAULT_WORDS);
    let next = 0;
    const draw = () => uniform(words[next++] as number);
    const between = (least: number, most: number) => least + draw() * (most - least);
    const drawSource = () => SOURCES[Math.floor(draw() * SOURCES.length)] as Source;
    const isSilent = draw() < SILENCE_CHANCE;
    const fromMs = windowMs + between(0, WINDOW_MS - SILENCE_MOST_MS);
    const toMs = fromMs + between(SILENCE_LEAST_MS, SILENCE_MOST_MS);
    const silence = isSilent ? { source: drawSource(), fromMs, toMs } : null;
    const spikes = Array.from({ length: SPIKES_PER_WINDOW }, () => {
      if (draw() >= SPIKE_CHANCE) return [];
      const slotMs = windowMs + Math.floor(draw() * (WINDOW_MS / SLOT_MS)) * SLOT_MS;
      const size = between(SPIKE_LEAST, SPIKE_MOST) * this.#priced.product.outlierBps * 0.0001;
      return [{ source: drawSource(), slotMs, factor: draw() < 0.5 ? 1 - size : 1 + size }];
    });
    return { silence, spikes: spikes.flat() };
  }
}
