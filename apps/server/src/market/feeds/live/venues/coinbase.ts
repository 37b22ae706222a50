import {
  at,
  isoMillisOf,
  saidOf,
  textOf,
  type Venue,
  type VenueEvent,
  type Written,
  wholeOf,
} from '../venue.ts';

/**
 * Coinbase Exchange. `ticker` is sent at each trade and has its price and time. A heartbeat of each second says which trade was the
 * last, so that a market without trades is proven to live; where it names a later trade than the ticker did, frames were lost.
 * https://docs.cdp.coinbase.com/exchange/websocket-feed/channels
 */
export const coinbase: Venue = {
  source: 'coinbase',
  url: 'wss://ws-feed.exchange.coinbase.com',
  carrier: 'socket',
  needs: [],
  price: 'trade',
  marketOf: (base, quote) => `${base}-${quote}`,
  // A request that names one market too many is refused as a whole.
  subscribe: (markets) =>
    markets.map((market) =>
      JSON.stringify({ type: 'subscribe', product_ids: [market], channels: ['ticker', 'heartbeat'] }),
    ),
  ping: null,
  silenceMs: 5_000,
  lifeMs: null,
  reader(markets) {
    const lastTrades = new Map<string, bigint>();
    return (frame) => {
      const data = frame as Written;
      const type = textOf(at(data, 'type'));
      const market = textOf(at(data, 'product_id'));
      if (type === 'error')
        return [{ kind: 'refused', why: `${textOf(at(data, 'message'))}: ${textOf(at(data, 'reason'))}` }];
      if (market === null || !markets.has(market)) return [];
      const sourceMs = isoMillisOf(at(data, 'time'));
      if (type === 'heartbeat') return [provenBy(data, { market, sourceMs, last: lastTrades.get(market) })];
      if (type !== 'ticker') return [];
      const trade = wholeOf(at(data, 'trade_id'));
      if (trade !== null) lastTrades.set(market, trade);
      return [saidOf(market, [textOf(at(data, 'price'))], { sourceMs, order: trade })];
    };
  },
};

function provenBy(
  data: Written,
  { market, sourceMs, last }: { market: string; sourceMs: number | null; last: bigint | undefined },
): VenueEvent {
  const named = wholeOf(at(data, 'last_trade_id'));
  if (named !== null && last !== undefined && named > last) return { kind: 'gap', market };
  return { kind: named === last ? 'unchanged' : 'alive', market, sourceMs };
}
