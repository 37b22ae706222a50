import { at, listOf, millisOf, saidOf, textOf, type Venue, type Written, wholeOf } from '../venue.ts';

interface Book {
  readonly bid: string | null;
  readonly ask: string | null;
}

/**
 * Bybit v5 spot. `orderbook.1` has the best bid and ask at each change, and repeats them after 3 s without one; older servers send a
 * side that changed alone. `cts` is the time of the matching engine. It shows prices and settles none.
 * https://bybit-exchange.github.io/docs/v5/websocket/public/orderbook
 */
export const bybit: Venue = {
  source: 'bybit',
  url: 'wss://stream.bybit.com/v5/public/spot',
  carrier: 'socket',
  marketOf: (base, quote) => `${base}${quote}`,
  // One for each: a market that the venue does not have may end a request for others too.
  subscribe: (markets) =>
    markets.map((market) => JSON.stringify({ op: 'subscribe', args: [`orderbook.1.${market}`] })),
  ping: { text: JSON.stringify({ op: 'ping' }), everyMs: 20_000 },
  silenceMs: 10_000,
  reader(markets) {
    const books = new Map<string, Book>();
    return (data) => {
      if (at(data, 'success') === false)
        return [{ kind: 'refused', why: textOf(at(data, 'ret_msg')) ?? 'refused' }];
      const topic = textOf(at(data, 'topic'));
      const market = textOf(at(data, 'data', 's'));
      if (market === null || !markets.has(market) || topic !== `orderbook.1.${market}`) return [];
      const before = books.get(market);
      const known = textOf(at(data, 'type')) === 'delta' ? before : undefined;
      const bid = bestOf(at(data, 'data', 'b'), known?.bid);
      const ask = bestOf(at(data, 'data', 'a'), known?.ask);
      const order = wholeOf(at(data, 'data', 'u'));
      books.set(market, { bid, ask });
      const sentMs = millisOf(at(data, 'ts'));
      const sourceMs = millisOf(at(data, 'cts')) ?? sentMs;
      const said = saidOf(market, [bid, ask], { sourceMs, order });
      // The numbers restart when the service does.
      return order === 1n ? [{ kind: 'gap', market }, said] : [said];
    };
  },
};

/**
 * The price of the first level that is not taken away; null where there is none.
 * @param known the side as it was, where the frame tells changes alone
 */
function bestOf(levels: Written, known: string | null = null): string | null {
  if (listOf(levels).length === 0) return known;
  const level = listOf(levels).find((one) => !/^0*(?:\.0*)?$/.test(textOf(at(one, 1)) ?? ''));
  return textOf(at(level, 0));
}
