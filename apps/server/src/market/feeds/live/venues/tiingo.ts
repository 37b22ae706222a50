import { at, isoMillisOf, saidOf, textOf, type Venue, type VenueEvent, type Written } from '../venue.ts';

/** The level at which every change of the best bid or ask is sent. */
const ALL_CHANGES = 5;
/** Places in a quote's list, after its type and before the sizes and the middle, which aren't used. */
const [TICKER, TIME, BID, ASK] = [1, 2, 4, 7];

/**
 * Tiingo, currencies and metals. A quote (`A`) is sent at each change of the best bid or ask, a heartbeat (`H`) each 30 s. The key
 * is in the request for the markets. It shows prices and settles none.
 * https://www.tiingo.com/documentation/websockets/forex
 */
export const tiingo: Venue = {
  source: 'tiingo',
  url: 'wss://api.tiingo.com/fx',
  carrier: 'socket',
  needs: ['key'],
  marketOf: (base, quote) => `${base}${quote}`.toLowerCase(),
  subscribe: (tickers, { key }) => [
    JSON.stringify({
      eventName: 'subscribe',
      authorization: key,
      eventData: { thresholdLevel: ALL_CHANGES, tickers },
    }),
  ],
  silenceMs: 40_000,
  reader: () => (message) => {
    const type = textOf(at(message, 'messageType'));
    if (type === 'H') return [{ kind: 'alive' }];
    if (type === 'E') return [errorOf(message)];
    const quote = at(message, 'data');
    const market = textOf(at(quote, TICKER));
    if (type !== 'A' || textOf(at(quote, 0)) !== 'Q' || market === null) return [];
    const sourceMs = isoMillisOf(at(quote, TIME));
    const prices = [textOf(at(quote, BID)), textOf(at(quote, ASK))];
    return [saidOf(market, prices, { sourceMs, order: null })];
  },
};

function errorOf(message: Written): VenueEvent {
  const code = textOf(at(message, 'response', 'code'));
  const why = `${code ?? 'error'} ${textOf(at(message, 'response', 'message')) ?? ''}`.trim();
  return { kind: code === '401' || code === '403' ? 'denied' : 'refused', why };
}
