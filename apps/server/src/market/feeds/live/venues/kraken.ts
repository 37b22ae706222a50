import {
  at,
  isoMicrosOf,
  isoMillisOf,
  listOf,
  saidOf,
  textOf,
  type Venue,
  type VenueEvent,
  type Written,
} from '../venue.ts';

/**
 * Kraken spot v2. `ticker` with the trigger `bbo` is sent at each change of the best bid or ask, with numbers for prices; a heartbeat
 * of the connection fills each second without other frames, so any frame proves that all its markets live.
 * https://docs.kraken.com/api/docs/websocket-v2/ticker
 */
export const kraken: Venue = {
  source: 'kraken',
  url: 'wss://ws.kraken.com/v2',
  carrier: 'socket',
  needs: [],
  price: 'middle',
  marketOf: (base, quote) => `${base}/${quote}`,
  subscribe: (markets) => [
    JSON.stringify({
      method: 'subscribe',
      params: { channel: 'ticker', symbol: markets, event_trigger: 'bbo', snapshot: true },
    }),
  ],
  ping: { text: JSON.stringify({ method: 'ping' }), everyMs: 20_000 },
  silenceMs: 5_000,
  lifeMs: null,
  reader: () => (frame) => {
    const data = frame as Written;
    const channel = textOf(at(data, 'channel'));
    const alive: VenueEvent = { kind: 'alive', market: null, sourceMs: null };
    if (channel === 'heartbeat') return [alive];
    if (at(data, 'success') === false)
      return [{ kind: 'refused', why: textOf(at(data, 'error')) ?? 'refused' }];
    if (channel === 'status' && textOf(at(data, 'data', 0, 'system')) !== 'online')
      return [{ kind: 'gap', market: null }];
    if (channel !== 'ticker') return [];
    const said = listOf(at(data, 'data')).flatMap(tickerOf);
    return said.some(({ kind }) => kind === 'gap') ? said : [alive, ...said];
  },
};

function tickerOf(one: Written): VenueEvent[] {
  const market = textOf(at(one, 'symbol'));
  const time = at(one, 'timestamp');
  if (market === null) return [];
  const prices = [textOf(at(one, 'bid')), textOf(at(one, 'ask'))];
  return [saidOf(market, prices, { sourceMs: isoMillisOf(time), order: isoMicrosOf(time) })];
}
