import { at, isoMillisOf, listOf, textOf, tradeSaid, type Venue, type Written, wholeOf } from '../venue.ts';

/**
 * Kraken spot v2. `trade` has each trade, with numbers for prices, and the last fifty at the begin; a heartbeat of the connection fills
 * each second without other frames.
 * https://docs.kraken.com/api/docs/websocket-v2/trade
 */
export const kraken: Venue = {
  source: 'kraken',
  url: 'wss://ws.kraken.com/v2',
  carrier: 'socket',
  marketOf: (base, quote) => `${base}/${quote}`,
  subscribe: (markets) => [
    JSON.stringify({ method: 'subscribe', params: { channel: 'trade', symbol: markets, snapshot: true } }),
  ],
  ping: { text: JSON.stringify({ method: 'ping' }), everyMs: 20_000 },
  silenceMs: 5_000,
  reader: () => (data) => {
    const channel = textOf(at(data, 'channel'));
    if (channel === 'heartbeat') return [{ kind: 'alive' }];
    if (at(data, 'success') === false)
      return [{ kind: 'refused', why: textOf(at(data, 'error')) ?? 'refused' }];
    if (channel === 'status' && textOf(at(data, 'data', 0, 'system')) !== 'online')
      return [{ kind: 'gap', market: null }];
    if (channel !== 'trade') return [];
    return [...listOf(at(data, 'data'))].sort(byNumber).flatMap((one) => {
      const market = textOf(at(one, 'symbol'));
      if (market === null) return [];
      return tradeSaid(market, {
        number: at(one, 'trade_id'),
        price: at(one, 'price'),
        sourceMs: isoMillisOf(at(one, 'timestamp')),
      });
    });
  },
};

/** No order within a frame is documented. */
function byNumber(a: Written, b: Written): number {
  const [first, second] = [a, b].map((one) => wholeOf(at(one, 'trade_id')) ?? 0n) as [bigint, bigint];
  return first < second ? -1 : first > second ? 1 : 0;
}
