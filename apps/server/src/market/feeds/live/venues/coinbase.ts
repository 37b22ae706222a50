import { at, isoMillisOf, textOf, tradeSaid, type Venue, type VenueEvent, wholeOf } from '../venue.ts';

/**
 * Coinbase Exchange. `matches` has each trade, and the last one at the begin; `ticker` would leave out some of a burst. A heartbeat of
 * each second says which trade of the market was the last.
 * https://docs.cdp.coinbase.com/exchange/websocket-feed/channels
 */
export const coinbase: Venue = {
  source: 'coinbase',
  url: 'wss://ws-feed.exchange.coinbase.com',
  carrier: 'socket',
  marketOf: (base, quote) => `${base}-${quote}`,
  // A request that names one market too many is refused as a whole.
  subscribe: (markets) =>
    markets.map((market) =>
      JSON.stringify({ type: 'subscribe', product_ids: [market], channels: ['matches', 'heartbeat'] }),
    ),
  silenceMs: 5_000,
  reader: (markets) => (data) => {
    const type = textOf(at(data, 'type'));
    const market = textOf(at(data, 'product_id'));
    if (type === 'error')
      return [{ kind: 'refused', why: `${textOf(at(data, 'message'))}: ${textOf(at(data, 'reason'))}` }];
    if (market === null || !markets.has(market)) return [];
    const sourceMs = isoMillisOf(at(data, 'time'));
    if (type === 'heartbeat') return [lastOf(market, wholeOf(at(data, 'last_trade_id')), sourceMs)];
    if (type !== 'match' && type !== 'last_match') return [];
    return tradeSaid(market, { number: at(data, 'trade_id'), price: at(data, 'price'), sourceMs });
  },
};

const lastOf = (market: string, number: bigint | null, sourceMs: number | null): VenueEvent =>
  number === null || sourceMs === null ? { kind: 'alive' } : { kind: 'last', market, number, sourceMs };
