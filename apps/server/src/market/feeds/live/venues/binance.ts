import { at, requestsOf, textOf, type Venue, type Written, wholeOf } from '../venue.ts';

const PER_REQUEST = 100;

/**
 * Binance spot, market data alone. `bookTicker` is sent at each change of the best bid or ask and has no time, so its time is that of
 * receipt. `avgPrice`, each second, proves that the market lives.
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams
 */
export const binance: Venue = {
  source: 'binance',
  url: 'wss://data-stream.binance.vision/ws',
  carrier: 'socket',
  needs: [],
  price: 'middle',
  marketOf: (base, quote) => `${base}${quote}`,
  subscribe(markets) {
    const streams = markets.flatMap((market) => [
      `${market.toLowerCase()}@bookTicker`,
      `${market.toLowerCase()}@avgPrice`,
    ]);
    return requestsOf(streams, PER_REQUEST).map((params, id) =>
      JSON.stringify({ method: 'SUBSCRIBE', params, id: id + 1 }),
    );
  },
  // The WebSocket library answers this exchange's pings.
  ping: null,
  silenceMs: 10_000,
  lifeMs: 24 * 3_600_000,
  reader: () => (frame) => {
    const data = at(frame as Written, 'data') ?? (frame as Written);
    const event = textOf(at(data, 'e'));
    const market = textOf(at(data, 's'));
    if (event === 'serverShutdown') return [{ kind: 'leaving' }];
    if (event === 'avgPrice' && market !== null) return [{ kind: 'alive', market, sourceMs: null }];
    if (event === null && market !== null) {
      const [bid, ask] = [textOf(at(data, 'b')), textOf(at(data, 'a'))];
      if (bid === null || ask === null) return [{ kind: 'gap', market }];
      return [{ kind: 'price', market, prices: [bid, ask], sourceMs: null, order: wholeOf(at(data, 'u')) }];
    }
    const why = textOf(at(data, 'msg')) ?? textOf(at(data, 'error', 'msg'));
    return why === null ? [] : [{ kind: 'refused', why }];
  },
};
