import {
  at,
  listOf,
  millisOf,
  textOf,
  type Venue,
  type VenueEvent,
  type Written,
  wholeOf,
} from '../venue.ts';

/**
 * Bybit v5 spot. `orderbook.1` has the best bid and ask at each change, and repeats them after 3 s without one; older servers send a
 * side that changed alone. `cts` is the time of the matching engine.
 * https://bybit-exchange.github.io/docs/v5/websocket/public/orderbook
 */
export const bybit: Venue = {
  source: 'bybit',
  url: 'wss://stream.bybit.com/v5/public/spot',
  carrier: 'socket',
  needs: [],
  price: 'middle',
  marketOf: (base, quote) => `${base}${quote}`,
  // One for each: a market that the venue does not have may end a request for others too.
  subscribe: (markets) =>
    markets.map((market) => JSON.stringify({ op: 'subscribe', args: [`orderbook.1.${market}`] })),
  ping: { text: JSON.stringify({ op: 'ping' }), everyMs: 20_000 },
  silenceMs: 10_000,
  lifeMs: null,
  reader(markets) {
    const sides = new Map<string, { bid: string | null; ask: string | null }>();
    const orders = new Map<string, bigint>();
    return (frame) => {
      const data = frame as Written;
      if (at(data, 'success') === false)
        return [{ kind: 'refused', why: textOf(at(data, 'ret_msg')) ?? 'refused' }];
      const topic = textOf(at(data, 'topic'));
      const market = textOf(at(data, 'data', 's'));
      if (market === null || !markets.has(market) || topic !== `orderbook.1.${market}`) return [];
      const known = textOf(at(data, 'type')) === 'delta' ? sides.get(market) : undefined;
      const side = {
        bid: bestOf(at(data, 'data', 'b')) ?? known?.bid ?? null,
        ask: bestOf(at(data, 'data', 'a')) ?? known?.ask ?? null,
      };
      sides.set(market, side);
      if (side.bid === null || side.ask === null) return [{ kind: 'gap', market }];
      const sentMs = millisOf(at(data, 'ts'));
      const sourceMs = millisOf(at(data, 'cts')) ?? sentMs;
      const order = wholeOf(at(data, 'data', 'u'));
      const price: VenueEvent = { kind: 'price', market, prices: [side.bid, side.ask], sourceMs, order };
      // The numbers begin anew when the service does. A book that is repeated has the number of the one before.
      if (order === 1n) return [{ kind: 'gap', market }, price];
      const isRepeated = order !== null && order === orders.get(market);
      if (order !== null) orders.set(market, order);
      return isRepeated ? [{ kind: 'unchanged', market, sourceMs: sentMs }] : [price];
    };
  },
};

/** The price of the first level that is not taken away; null: the frame has none. */
function bestOf(levels: Written): string | null {
  const level = listOf(levels).find((one) => !/^0*\.?0*$/.test(textOf(at(one, 1)) ?? ''));
  return textOf(at(level, 0));
}
