import { at, millisOf, saidOf, textOf, type Venue, wholeOf } from '../venue.ts';

const CHANNEL = 'order_book_';

/**
 * Bitstamp. `order_book` has the best hundred bids and asks at each change, with a time in microseconds. The answer to a heartbeat
 * shows that the connection lives. It shows prices and settles none.
 * https://www.bitstamp.net/websocket/v2/
 */
export const bitstamp: Venue = {
  source: 'bitstamp',
  url: 'wss://ws.bitstamp.net',
  carrier: 'socket',
  marketOf: (base, quote) => `${base}${quote}`.toLowerCase(),
  subscribe: (markets) =>
    markets.map((market) =>
      JSON.stringify({ event: 'bts:subscribe', data: { channel: `${CHANNEL}${market}` } }),
    ),
  ping: { text: JSON.stringify({ event: 'bts:heartbeat' }), everyMs: 5_000 },
  silenceMs: 10_000,
  lifeMs: 90 * 24 * 3_600_000,
  reader: () => (data) => {
    const event = textOf(at(data, 'event'));
    if (event === 'bts:heartbeat') return [{ kind: 'alive' }];
    if (event === 'bts:request_reconnect') return [{ kind: 'leaving' }];
    if (event === 'bts:error')
      return [{ kind: 'refused', why: textOf(at(data, 'data', 'message')) ?? 'refused' }];
    const channel = textOf(at(data, 'channel')) ?? '';
    if (event !== 'data' || !channel.startsWith(CHANNEL)) return [];
    const market = channel.slice(CHANNEL.length);
    const prices = [textOf(at(data, 'data', 'bids', 0, 0)), textOf(at(data, 'data', 'asks', 0, 0))];
    const time = at(data, 'data', 'microtimestamp');
    return [saidOf(market, prices, { sourceMs: millisOf(time, 1_000n), order: wholeOf(time) })];
  },
};
