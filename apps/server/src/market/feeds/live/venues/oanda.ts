import { at, isoMicrosOf, isoMillisOf, saidOf, textOf, type Venue, type Written } from '../venue.ts';

/**
 * OANDA v20, currencies and metals: JSON lines over HTTP. `PRICE` is sent at a change of a market, at most each quarter of a second;
 * `HEARTBEAT` each 5 s. It shows prices and settles none.
 * https://developer.oanda.com/rest-live-v20/pricing-ep/
 */
export const oanda: Venue = {
  source: 'oanda',
  url: 'https://stream-fxtrade.oanda.com',
  carrier: 'lines',
  needs: ['key', 'account'],
  marketOf: (base, quote) => `${base}_${quote}`,
  request: (markets, { url, key, account }) => ({
    url: `${url}/v3/accounts/${account}/pricing/stream?instruments=${markets.join('%2C')}`,
    headers: { authorization: `Bearer ${key}`, 'accept-datetime-format': 'RFC3339' },
  }),
  silenceMs: 12_000,
  reader: () => (data) => {
    const type = textOf(at(data, 'type'));
    const time = at(data, 'time');
    const sourceMs = isoMillisOf(time);
    if (type === 'HEARTBEAT') return [{ kind: 'alive' }];
    const market = textOf(at(data, 'instrument'));
    if (type !== 'PRICE' || market === null) {
      const why = textOf(at(data, 'errorMessage'));
      return why === null ? [] : [{ kind: 'refused', why }];
    }
    if (!isTraded(data)) return [{ kind: 'gap', market }];
    const prices = [bestOf(data, 'bids'), bestOf(data, 'asks')];
    return [saidOf(market, prices, { sourceMs, order: isoMicrosOf(time) })];
  },
};

/** Older servers say it by a status, newer ones by a flag: neither may deny it. */
const isTraded = (data: Written): boolean =>
  [true, undefined].includes(at(data, 'tradeable') as boolean) &&
  ['tradeable', null].includes(textOf(at(data, 'status')));

const bestOf = (data: Written, side: string): string | null => textOf(at(data, side, 0, 'price'));
