import { at, millisOf, requestsOf, textOf, tradeSaid, type Venue } from '../venue.ts';

const PER_REQUEST = 100;

/**
 * Binance spot, market data alone. `aggTrade` is sent for each aggregate trade, with a number that rises by one. The answer to a question
 * for our own subscriptions shows that the connection lives.
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams
 */
export const binance: Venue = {
  source: 'binance',
  url: 'wss://data-stream.binance.vision/ws',
  carrier: 'socket',
  marketOf: (base, quote) => `${base}${quote}`,
  subscribe: (markets) =>
    requestsOf(
      markets.map((market) => `${market.toLowerCase()}@aggTrade`),
      PER_REQUEST,
    ).map((params, id) => JSON.stringify({ method: 'SUBSCRIBE', params, id: id + 1 })),
  // The WebSocket library answers this exchange's own pings.
  ping: { text: JSON.stringify({ method: 'LIST_SUBSCRIPTIONS', id: 0 }), everyMs: 5_000 },
  silenceMs: 15_000,
  lifeMs: 24 * 3_600_000,
  reader: () => (frame) => {
    const data = at(frame, 'data') ?? frame;
    const event = textOf(at(data, 'e'));
    const market = textOf(at(data, 's'));
    if (event === 'serverShutdown') return [{ kind: 'leaving' }];
    if (event === 'aggTrade' && market !== null)
      return tradeSaid(market, {
        number: at(data, 'a'),
        price: at(data, 'p'),
        sourceMs: millisOf(at(data, 'T')),
      });
    if (at(data, 'id') === '0' && Array.isArray(at(data, 'result'))) return [{ kind: 'alive' }];
    const why = textOf(at(data, 'msg')) ?? textOf(at(data, 'error', 'msg'));
    return why === null ? [] : [{ kind: 'refused', why }];
  },
};
