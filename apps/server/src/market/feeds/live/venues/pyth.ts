import {
  PYTH_FEEDS,
  PYTH_KEYS,
  type PythKeys,
  type PythPrice,
  pythTimeMs,
  verifyPythUpdate,
} from '@fairtick/proof';
import { at, listOf, textOf, type Venue, type VenueEvent, type Written } from '../venue.ts';

/** Above this share of the price, in 1/10 000, the confidence interval is too wide for a tick. */
const MOST_CONFIDENCE_BPS = 20n;
const BPS = 10_000n;
/** Checking an update takes 7 ms and more, so of those that come within this time only the first is read, and those that have a record. */
const READ_EVERY_MS = 200;
/** The update's own bound is lower. */
const MOST_HEX = 1 << 19;

/**
 * Pyth's Hermes: Server-Sent Events with updates that three of Pyth's five routers signed. A price is read from the signed bytes alone;
 * what the server says beside them isn't asked for. A record is the first update of each second: its number is that second, and it names
 * the second of the one before it.
 * https://docs.pyth.network/price-feeds/core/api-reference
 */
export function pythVenue(keys: readonly PythKeys[], { readEveryMs = READ_EVERY_MS } = {}): Venue {
  return {
    source: 'pyth',
    url: 'https://pyth.dourolabs.app/hermes',
    carrier: 'events',
    needs: ['key'],
    marketOf: (base, quote) => PYTH_FEEDS[quote === '' ? base : `${base}/${quote}`] ?? '',
    request: (feeds, { url, key }) => ({
      url: `${url}/v2/updates/price/stream?encoding=hex&parsed=false&ignore_invalid_price_ids=true${feeds.map((feed) => `&ids[]=${feed}`).join('')}`,
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    }),
    silenceMs: 10_000,
    lifeMs: 24 * 3_600_000,
    reader(feeds) {
      let readMs = Number.NEGATIVE_INFINITY;
      /** The second of the last record that was read, by feed. */
      const seconds = new Map<string, number>();
      return (frame) => {
        const updates = updatesOf(frame);
        const nowMs = performance.now();
        const isDue = updates.length > 0 && nowMs - readMs >= readEveryMs;
        if (isDue) readMs = nowMs;
        return updates.flatMap((bytes) => {
          const isNew = (feed: string, second: number) =>
            feeds.has(feed) && second > (seconds.get(feed) ?? Number.NEGATIVE_INFINITY);
          if (!isDue && !(bytes && mayHaveRecord(bytes, isNew))) return [];
          const events = eventsOf(bytes, feeds, keys);
          for (const event of events)
            if (event.kind === 'record') seconds.set(event.market, Number(event.number));
          return events;
        });
      };
    },
  };
}

export const pyth: Venue = pythVenue(PYTH_KEYS);

/** The updates of a frame, or of an answer of the history; null stands for one that is no bytes. */
export const updatesOf = (frame: Written): (Uint8Array | null)[] =>
  listOf(at(frame, 'binary', 'data')).map((hex) => bytesOf(textOf(hex)));

/** What an update says of the feeds, each in a price and, if it is the first of its second, in a record. */
export function eventsOf(
  signed: Uint8Array | null,
  feeds: ReadonlySet<string>,
  keys: readonly PythKeys[],
): VenueEvent[] {
  const update = signed === null ? { fault: 'form' as const } : verifyPythUpdate(signed, keys);
  if ('fault' in update || signed === null) {
    const fault = 'fault' in update ? update.fault : 'form';
    return [{ kind: 'refused', why: `an update without Pyth's signatures (${fault})` }];
  }
  return [...update.prices.values()]
    .filter(({ feed }) => feeds.has(feed))
    .flatMap((price) => [
      ...(price.publishTime > price.previousPublishTime ? [recordOf(price, signed)] : []),
      priceOf(price, update.slot),
    ]);
}

const writtenOf = ({ mantissa, exponent }: PythPrice): string => `${mantissa}e${exponent}`;

/** It counts however wide its confidence is: whoever asks for that second finds it. */
const recordOf = (price: PythPrice, signed: Uint8Array): VenueEvent => ({
  kind: 'record',
  market: price.feed,
  number: BigInt(price.publishTime),
  price: writtenOf(price),
  sourceMs: price.publishTime * 1_000,
  previous: BigInt(price.previousPublishTime),
  signed,
});

function priceOf(price: PythPrice, slot: bigint): VenueEvent {
  const { feed: market, mantissa, conf } = price;
  if (conf * BPS > mantissa * MOST_CONFIDENCE_BPS) return { kind: 'gap', market };
  return {
    kind: 'price',
    market,
    prices: [writtenOf(price)],
    sourceMs: pythTimeMs({ slot }, price),
    order: slot,
  };
}

function bytesOf(hex: string | null): Uint8Array | null {
  if (hex === null || hex.length > MOST_HEX || !/^(?:[\da-f]{2})+$/i.test(hex)) return null;
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

/** Places in the bytes of an update, which `pyth-update.ts` describes. */
const [TRAILING, FEED, FEED_END, PUBLISH, PREVIOUS, MESSAGE_BYTES, NODE_BYTES] = [6, 1, 33, 53, 61, 85, 20];

/**
 * Whether an update, which is not checked yet, says to have the first price of a new second of a feed.
 * @param isNew whether a second of a feed is later than what was read
 */
function mayHaveRecord(bytes: Uint8Array, isNew: (feed: string, second: number) => boolean): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    let place = TRAILING + 1 + buffer.readUInt8(TRAILING) + 1;
    place += 2 + buffer.readUInt16BE(place);
    let left = buffer.readUInt8(place);
    for (place += 1; left > 0; left -= 1) {
      const message = place + 2;
      const publish = buffer.readBigInt64BE(message + PUBLISH);
      const isFirst = publish > buffer.readBigInt64BE(message + PREVIOUS);
      const feed = buffer.toString('hex', message + FEED, message + FEED_END);
      if (isFirst && isNew(feed, Number(publish))) return true;
      place = message + MESSAGE_BYTES;
      place += 1 + buffer.readUInt8(place) * NODE_BYTES;
    }
    return false;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
