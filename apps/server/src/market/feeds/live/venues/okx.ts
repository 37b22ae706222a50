import {
  at,
  listOf,
  millisOf,
  saidOf,
  textOf,
  type Venue,
  type VenueEvent,
  type Written,
  wholeOf,
} from '../venue.ts';

/**
 * OKX v5. `bbo-tbt` is sent each 10 ms in which the best bid or ask changed. The answer to a ping, in plain text, proves that all
 * markets of the connection live.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-ws-order-book-channel
 */
export const okx: Venue = {
  source: 'okx',
  url: 'wss://ws.okx.com:8443/ws/v5/public',
  carrier: 'socket',
  needs: [],
  price: 'middle',
  marketOf: (base, quote) => `${base}-${quote}`,
  // One for each: a market that the venue does not have may end a request for others too.
  subscribe: (markets) =>
    markets.map((instId) => JSON.stringify({ op: 'subscribe', args: [{ channel: 'bbo-tbt', instId }] })),
  ping: { text: 'ping', everyMs: 5_000 },
  silenceMs: 10_000,
  lifeMs: null,
  reader: () => (frame) => {
    if (frame === 'pong') return [{ kind: 'alive', market: null, sourceMs: null }];
    const data = frame as Written;
    const event = textOf(at(data, 'event'));
    if (event === 'error') return [{ kind: 'refused', why: textOf(at(data, 'msg')) ?? 'refused' }];
    if (event === 'notice') return [{ kind: 'leaving' }];
    const market = textOf(at(data, 'arg', 'instId'));
    if (market === null || textOf(at(data, 'arg', 'channel')) !== 'bbo-tbt') return [];
    return listOf(at(data, 'data')).flatMap((one): VenueEvent[] => {
      const prices = [textOf(at(one, 'bids', 0, 0)), textOf(at(one, 'asks', 0, 0))];
      return [
        saidOf(market, prices, { sourceMs: millisOf(at(one, 'ts')), order: wholeOf(at(one, 'seqId')) }),
      ];
    });
  },
};
