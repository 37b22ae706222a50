import { PYTH_FEEDS, PYTH_KEYS, type PythKeys, type PythPrice, verifyPythUpdate } from '@fairtick/proof';
import { at, listOf, textOf, type Venue, type VenueEvent, type Written } from '../venue.ts';

/** Above this share of the price, in 1/10 000, the confidence interval is too wide for a price. */
const MOST_CONFIDENCE_BPS = 20n;
const BPS = 10_000n;
/** An update's number counts steps of this length. */
const SLOT_MS = 50;
const SLOTS_A_SECOND = 1_000 / SLOT_MS;
/** Checking an update takes 7 ms and more, so of those that come within this time the first alone is read. */
const READ_EVERY_MS = 200;
/** The update's own bound is lower. */
const MOST_HEX = 1 << 19;

/**
 * Pyth's Hermes: Server-Sent Events with updates that three of Pyth's five routers signed. A price is read from the signed bytes alone;
 * what the server says beside them isn't asked for. An update has all feeds, with whole seconds, and a number that counts 50 ms.
 * https://docs.pyth.network/price-feeds/core/api-reference
 */
export function pythVenue(keys: readonly PythKeys[], { readEveryMs = READ_EVERY_MS } = {}): Venue {
  return {
    source: 'pyth',
    url: 'https://pyth.dourolabs.app/hermes',
    carrier: 'events',
    needs: ['key'],
    price: 'aggregate',
    marketOf: (base, quote) => PYTH_FEEDS[quote === '' ? base : `${base}/${quote}`] ?? '',
    request: (feeds, { url, key }) => ({
      url: `${url}/v2/updates/price/stream?encoding=hex&parsed=false&ignore_invalid_price_ids=true${feeds.map((feed) => `&ids[]=${feed}`).join('')}`,
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    }),
    subscribe: () => [],
    ping: null,
    silenceMs: 10_000,
    lifeMs: 24 * 3_600_000,
    reader(feeds) {
      let readMs = Number.NEGATIVE_INFINITY;
      return (frame) => {
        const updates = listOf(at(frame as Written, 'binary', 'data'));
        const nowMs = performance.now();
        if (updates.length === 0 || nowMs - readMs < readEveryMs) return [];
        readMs = nowMs;
        return updates.flatMap((hex) => eventsOf(hex, feeds, keys));
      };
    },
  };
}

export const pyth: Venue = pythVenue(PYTH_KEYS);

function eventsOf(hex: Written, feeds: ReadonlySet<string>, keys: readonly PythKeys[]): VenueEvent[] {
  const signed = bytesOf(textOf(hex));
  const update = signed === null ? { fault: 'form' as const } : verifyPythUpdate(signed, keys);
  if ('fault' in update || signed === null)
    return [
      {
        kind: 'refused',
        why: `an update without Pyth's signatures (${'fault' in update ? update.fault : 'form'})`,
      },
    ];
  return [...update.prices.values()]
    .filter(({ feed }) => feeds.has(feed))
    .map((price) => eventOf(price, { slot: update.slot, signed }));
}

function eventOf(price: PythPrice, { slot, signed }: { slot: bigint; signed: Uint8Array }): VenueEvent {
  const { feed: market, mantissa, exponent, conf, publishTime } = price;
  if (conf * BPS > mantissa * MOST_CONFIDENCE_BPS) return { kind: 'gap', market };
  const slots = Number(slot);
  const isOfSlot = Math.floor(slots / SLOTS_A_SECOND) === publishTime;
  return {
    kind: 'price',
    market,
    prices: [`${mantissa}e${exponent}`],
    sourceMs: isOfSlot ? slots * SLOT_MS : publishTime * 1_000,
    order: slot,
    signed,
  };
}

function bytesOf(hex: string | null): Uint8Array | null {
  if (hex === null || hex.length > MOST_HEX || !/^(?:[\da-f]{2})+$/i.test(hex)) return null;
  return new Uint8Array(Buffer.from(hex, 'hex'));
}
