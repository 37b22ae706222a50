/** Prices of a market as a venue writes them: one price of a trade, or the best bid and ask. */
export type Prices = readonly [trade: string] | readonly [bid: string, ask: string];

/** An event of a venue, as a frame tells it. Times are the venue's own, Unix ms; null where the frame has none. */
export type VenueEvent =
  /** A price of one market. `order` rises with every new one of a market; null where the venue numbers none. */
  | {
      readonly kind: 'price';
      readonly market: string;
      readonly prices: Prices;
      readonly sourceMs: number | null;
      readonly order: bigint | null;
    }
  /**
   * A record of one market, with the venue's own number. `previous`: no record of the market lies between this number and its own;
   * null where the venue names none.
   */
  | {
      readonly kind: 'record';
      readonly market: string;
      readonly number: bigint;
      readonly price: string;
      readonly sourceMs: number;
      readonly previous: bigint | null;
      readonly signed?: Uint8Array;
    }
  /** The venue says which record of the market was the last one at a time. */
  | { readonly kind: 'last'; readonly market: string; readonly number: bigint; readonly sourceMs: number }
  /** The connection lives. */
  | { readonly kind: 'alive' }
  /** Frames of the market (null: of all) were lost: its price is unknown until the next one. */
  | { readonly kind: 'gap'; readonly market: string | null }
  /** Another connection begins, with prices, times and numbers of its own. */
  | { readonly kind: 'reconnected' }
  /** The venue is about to close the connection, or asks for a new one. */
  | { readonly kind: 'leaving' }
  /** The venue refused something, such as a market that it does not have; or what it sent is refused, such as a price without its signature. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The venue refuses the operator's key. */
  | { readonly kind: 'denied'; readonly why: string };

/** Reads the frames of one connection; it may remember what earlier frames said. */
export type FrameReader = (frame: Written) => readonly VenueEvent[];

/** With what the operator connects to a venue. Key and account are empty where the venue asks for none. */
export interface Access {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
  readonly account: string;
}

/** How one venue is spoken with. Its documents are the source of every number. */
export interface Venue {
  /** The source's name in the rules of a product. */
  readonly source: string;
  readonly url: string;
  /** What carries its frames: a WebSocket, or an HTTP answer without an end, of JSON lines or of Server-Sent Events. */
  readonly carrier: 'socket' | 'lines' | 'events';
  /** What the operator must have at the venue. Absent: nothing. */
  readonly needs?: readonly ('key' | 'account')[];
  /** Where a connection goes to, and the headers of its request, if that is more than the address. */
  request?(
    markets: readonly string[],
    access: Access,
  ): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** The venue's name of a market, such as BTC/USDT; `quote` is empty for a stock. */
  marketOf(base: string, quote: string): string;
  /** Frames that ask for the prices of these markets, in the order to be sent. Absent: the request asks for them. */
  subscribe?(markets: readonly string[], access: Access): readonly string[];
  /** A frame that keeps the connection open; absent where the venue asks for none. */
  readonly ping?: { readonly text: string; readonly everyMs: number };
  /** A connection that brings no frame for this long is cut. */
  readonly silenceMs: number;
  /** The venue ends a connection at this age; a new one is opened before. Absent: it names no age. */
  readonly lifeMs?: number;
  /** @param markets those that were asked for; frames of others are ignored */
  reader(markets: ReadonlySet<string>): FrameReader;
}

/** Topics in requests of at most `most` each. */
export function requestsOf(topics: readonly string[], most: number): string[][] {
  return Array.from({ length: Math.ceil(topics.length / most) }, (_, part) =>
    topics.slice(part * most, (part + 1) * most),
  );
}

/** A JSON value whose numbers are the digits that were written, so that no price passes through a float. */
export type Written =
  | string
  | boolean
  | null
  | undefined
  | readonly Written[]
  | { readonly [key: string]: Written };

/** @throws SyntaxError when the text is no JSON */
export function readFrame(text: string): Written {
  const keepDigits = (_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' ? context.source : value;
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown) as Written;
}

/** The value of a key; undefined where there is none. */
export function at(value: Written, ...keys: readonly (string | number)[]): Written {
  let found = value;
  for (const key of keys) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, Written>>)[key];
  }
  return found;
}

/** The event of a frame whose prices and time are all required: a price, or a gap if one of them is missing. */
export function saidOf(
  market: string,
  prices: readonly (string | null)[],
  times: { readonly sourceMs: number | null; readonly order: bigint | null },
): VenueEvent {
  const written = prices.filter((price) => price !== null);
  if (written.length < prices.length || times.sourceMs === null) return { kind: 'gap', market };
  return { kind: 'price', market, prices: written as unknown as Prices, ...times };
}

/** The events of a public trade, which is a record and the price that ticks show; a gap if a field of it is missing. */
export function tradeSaid(
  market: string,
  { number, price, sourceMs }: { number: Written; price: Written; sourceMs: number | null },
): VenueEvent[] {
  const [order, digits] = [wholeOf(number), textOf(price)];
  if (order === null || digits === null || sourceMs === null) return [{ kind: 'gap', market }];
  return [
    { kind: 'record', market, number: order, price: digits, sourceMs, previous: null },
    { kind: 'price', market, prices: [digits], sourceMs, order },
  ];
}

export const listOf = (value: Written): readonly Written[] => (Array.isArray(value) ? value : []);

export const textOf = (value: Written): string | null => (typeof value === 'string' ? value : null);

/** A whole number as written, of at most 20 digits; null for anything else. */
export function wholeOf(value: Written): bigint | null {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : null;
}

/** Unix ms of a number of ms, or of another unit by its divisor. */
export function millisOf(value: Written, perMs = 1n): number | null {
  const whole = wholeOf(value);
  return whole === null ? null : Number(whole / perMs);
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?(?:Z|[+-]\d\d:\d\d)$/;

/** Unix ms of a time in ISO 8601 that names its zone, with any number of decimals up to twelve. */
export function isoMillisOf(value: Written): number | null {
  const ms = typeof value === 'string' && ISO.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}

/** Microseconds of a time in ISO 8601, which order prices of one market; null where it has none. */
export function isoMicrosOf(value: Written): bigint | null {
  const ms = isoMillisOf(value);
  if (ms === null) return null;
  const fraction = /\.(\d+)/.exec(value as string)?.[1] ?? '';
  return BigInt(Math.floor(ms / 1000)) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}
