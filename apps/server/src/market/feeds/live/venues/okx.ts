import { at, listOf, millisOf, textOf, tradeSaid, type Venue } from '../venue.ts';

const CHANNEL = 'trades-all';

/**
 * OKX v5. `trades-all` has each trade; `trades` would leave out the numbers of those that it adds up. The answer to a ping, in plain
 * text, shows that the connection lives.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-ws-all-trades-channel
 */
export const okx: Venue = {
  source: 'okx',
  url: 'wss://ws.okx.com:8443/ws/v5/business',
  carrier: 'socket',
  marketOf: (base, quote) => `${base}-${quote}`,
  // One for each: a market that the venue does not have may end a request for others too.
  subscribe: (markets) =>
    markets.map((instId) => JSON.stringify({ op: 'subscribe', args: [{ channel: CHANNEL, instId }] })),
  ping: { text: 'ping', everyMs: 5_000 },
  silenceMs: 10_000,
  reader: () => (data) => {
    if (data === 'pong') return [{ kind: 'alive' }];
    const event = textOf(at(data, 'event'));
    if (event === 'error') return [{ kind: 'refused', why: textOf(at(data, 'msg')) ?? 'refused' }];
    if (event === 'notice') return [{ kind: 'leaving' }];
    const market = textOf(at(data, 'arg', 'instId'));
    if (market === null || textOf(at(data, 'arg', 'channel')) !== CHANNEL) return [];
    return listOf(at(data, 'data')).flatMap((one) =>
      tradeSaid(market, {
        number: at(one, 'tradeId'),
        price: at(one, 'px'),
        sourceMs: millisOf(at(one, 'ts')),
      }),
    );
  },
};
