import { fieldOf, isoMs, numberOf, type RecordVenue, recordOf } from './record-venue.ts';

const MOST = 1_000;

/**
 * Coinbase Exchange. `after` answers trades below a number, newest first; `before` answers the newest of all, so it isn't used.
 * https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-trades
 */
export const coinbaseRecords: RecordVenue = {
  source: 'coinbase',
  origin: 'https://api.exchange.coinbase.com',
  isGapless: true,
  gaplessBy: 'assumed',
  roundingMs: 0,
  hasTimes: false,
  reachDays: null,
  reachBy: 'assumed',
  // Ten questions a second are allowed.
  paceMs: 200,
  browsers: 'unmeasured',
  most: MOST,
  pathOf(symbol, question) {
    const path = `/products/${symbol.replace('/', '-')}/trades?limit=${MOST}`;
    if (question.by === 'number') return `${path}&after=${question.number + BigInt(MOST)}`;
    return question.by === 'newest' ? path : null;
  },
  isNewestFirst: true,
  listOf: (answer) =>
    Array.isArray(answer)
      ? answer.map((row) =>
          recordOf(numberOf(fieldOf(row, 'trade_id')), isoMs(fieldOf(row, 'time')), fieldOf(row, 'price')),
        )
      : null,
};
