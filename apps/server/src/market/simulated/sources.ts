import type { Points } from '@fairtick/money';
import type { SeedSource } from './factor.ts';
import { Keystream, uniform } from './keystream.ts';
import { type PricedProduct, roundPoints } from './priced-product.ts';
import { DAY_MS, dateOf, dayOf, WINDOW_MS, WINDOWS_PER_DAY } from './timeline.ts';

export const SOURCES = ['sim-a', 'sim-b', 'sim-c'] as const;

export interface SimulatedQuote {
  readonly source: (typeof SOURCES)[number];
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
const LAG_LEAST = 20;
const LAG_MOST = 120;
const TRANSPORT_LEAST = 5;
/** A source's own error is uniform within ± this: a point, or a twentieth of a basis point if that is more. */
const ERROR_POINTS = 1;
const ERROR_SHARE = 0.000_005;

/** Probability of a silence in each window of 15 minutes: about one in 20 minutes. */
const SILENCE_CHANCE = 0.75;
const SILENCE_LEAST_MS = 5_000;
const SILENCE_MOST_MS = 25_000;
/** Two chances of a spike per window: about one in 15 minutes. Sizes are multiples of the outlier limit. */
const SPIKE_CHANCE = 0.5;
const SPIKES_PER_WINDOW = 2;
const SPIKE_LEAST = 3;
const SPIKE_MOST = 10;

/** How many slots back a source's last quote is looked for: two silences, one before and one after a closing. */
const MOST_SLOTS_BACK = (2 * SILENCE_MOST_MS) / SLOT_MS + 10;

/** Words of a product's day in the stream: first the faults of the windows, then 4 words per slot in blocks of a minute. */
const FAULT_WORDS = 16;
const SLOT_WORDS = 4;
const SLOTS_PER_BLOCK = 240;
const BLOCK_MS = SLOTS_PER_BLOCK * SLOT_MS;

interface Silence {
  readonly source: number;
  readonly fromMs: number;
  readonly toMs: number;
}

interface Spike {
  readonly source: number;
  readonly slotMs: number;
  /** The price is multiplied by this. */
  readonly factor: number;
}

interface Faults {
  readonly window: number;
  readonly silence: Silence | null;
  readonly spikes: readonly Spike[];
}

/** Quotes of three sources for one product: each sees the mid a little late and with a small error, and can fail. */
export class SourceDesk {
  readonly #priced: PricedProduct;
  readonly #seeds: SeedSource;
  #stream: { readonly day: number; readonly keys: Keystream } | null = null;
  #faults: Faults | null = null;
  #block: { readonly number: number; readonly words: Uint32Array } | null = null;

  constructor(priced: PricedProduct, seeds: SeedSource) {
    this.#priced = priced;
    this.#seeds = seeds;
  }

  /** @param slotMs a multiple of 250  @returns no quotes while the product is closed, or if it was closed one slot ago */
  quotesAt(slotMs: number): SimulatedQuote[] {
    if (slotMs % SLOT_MS !== 0) throw new RangeError(`${slotMs} is not a slot`);
    const span = this.#priced.hours.spanAt(slotMs);
    if (!span.open || slotMs - SLOT_MS < span.startMs) return [];
    const words = this.#blockOf(Math.floor(slotMs / BLOCK_MS));
    const from = ((slotMs % BLOCK_MS) / SLOT_MS) * SLOT_WORDS;
    const { silence, spikes } = this.#faultsOf(Math.floor(slotMs / WINDOW_MS));
    const quotes: SimulatedQuote[] = [];
    SOURCES.forEach((source, index) => {
      if (silence?.source === index && slotMs >= silence.fromMs && slotMs < silence.toMs) return;
      const word = words[from + index] as number;
      const lag = LAG_LEAST + Math.floor(((word & 0x3ff) / 0x400) * (LAG_MOST - LAG_LEAST + 1));
      const transport =
        TRANSPORT_LEAST + Math.floor((((word >>> 10) & 0x3ff) / 0x400) * (lag - TRANSPORT_LEAST + 1));
      const sourceMs = slotMs - lag;
      let price = Math.exp(this.#priced.logAt(sourceMs));
      price += (((word >>> 20) + 0.5) / 0x800 - 1) * Math.max(ERROR_POINTS, price * ERROR_SHARE);
      for (const spike of spikes) {
        if (spike.source === index && spike.slotMs === slotMs) price *= spike.factor;
      }
      quotes.push({
        source,
        price: roundPoints(price),
        sourceMs,
        sourceSeq: (slotMs - SEQUENCE_FROM_MS) / SLOT_MS,
        arrivesMs: sourceMs + transport,
      });
    });
    return quotes;
  }

  /** Each source's last quote with a source time of `timeMs` or before; none of a source that is silent for longer than any silence. */
  lastQuotes(timeMs: number): SimulatedQuote[] {
    const found = new Map<string, SimulatedQuote>();
    // A quote is from the quarter of a second before its slot.
    let slotMs = Math.floor(timeMs / SLOT_MS) * SLOT_MS + SLOT_MS;
    for (let looked = 0; looked < MOST_SLOTS_BACK && found.size < SOURCES.length; looked += 1) {
      for (const quote of this.quotesAt(slotMs))
        if (quote.sourceMs <= timeMs && !found.has(quote.source)) found.set(quote.source, quote);
      slotMs -= SLOT_MS;
      // While the product is closed there is none: the one before is from before the closing.
      const span = this.#priced.hours.spanAt(slotMs);
      if (!span.open && Number.isFinite(span.startMs)) slotMs = Math.min(slotMs, span.startMs);
    }
    return [...found.values()];
  }

  #streamOf(day: number): Keystream {
    if (this.#stream?.day !== day) {
      const secret = this.#seeds.seedOf(dateOf(day));
      this.#stream = { day, keys: new Keystream(secret, `quotes of ${this.#priced.product.symbol}`) };
    }
    return this.#stream.keys;
  }

  #blockOf(number: number): Uint32Array {
    if (this.#block?.number !== number) {
      const day = dayOf(number * BLOCK_MS);
      const perBlock = SLOTS_PER_BLOCK * SLOT_WORDS;
      const from = WINDOWS_PER_DAY * FAULT_WORDS + (number - (day * DAY_MS) / BLOCK_MS) * perBlock;
      this.#block = { number, words: this.#streamOf(day).words(from, perBlock) };
    }
    return this.#block.words;
  }

  #faultsOf(window: number): Faults {
    if (this.#faults?.window !== window) {
      const day = Math.floor(window / WINDOWS_PER_DAY);
      const words = this.#streamOf(day).words((window - day * WINDOWS_PER_DAY) * FAULT_WORDS, FAULT_WORDS);
      this.#faults = drawFaults(window, words, this.#priced.product.outlierBps);
    }
    return this.#faults;
  }
}

function drawFaults(window: number, words: Uint32Array, outlierBps: number): Faults {
  let next = 0;
  const draw = () => uniform(words[next++] as number);
  const drawSource = () => Math.floor(draw() * SOURCES.length);
  const windowMs = window * WINDOW_MS;

  // All draws are made even if no fault happens, so that each word of the stream always has the same use.
  const happens = draw() < SILENCE_CHANCE;
  const fromMs = windowMs + draw() * (WINDOW_MS - SILENCE_MOST_MS);
  const toMs = fromMs + SILENCE_LEAST_MS + draw() * (SILENCE_MOST_MS - SILENCE_LEAST_MS);
  const silence = { source: drawSource(), fromMs, toMs };

  const spikes: Spike[] = [];
  for (let chance = 0; chance < SPIKES_PER_WINDOW; chance += 1) {
    const spiked = draw() < SPIKE_CHANCE;
    const slotMs = windowMs + Math.floor(draw() * (WINDOW_MS / SLOT_MS)) * SLOT_MS;
    const source = drawSource();
    const size = (SPIKE_LEAST + draw() * (SPIKE_MOST - SPIKE_LEAST)) * outlierBps * 0.0001;
    const factor = draw() < 0.5 ? 1 - size : 1 + size;
    if (spiked) spikes.push({ source, slotMs, factor });
  }
  return { window, silence: happens ? silence : null, spikes };
}
