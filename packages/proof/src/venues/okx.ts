import { fieldOf, numberOf, type RecordVenue, recordOf, wholeMs } from './record-venue.ts';

const MOST = 100;

/**
 * OKX. `after` answers trades below a number (`type=1`) or before a time (`type=2`), newest first.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-trades-history
 */
export const okxRecords: RecordVenue = {
  source: 'okx',
  origin: 'https://www.okx.com',
  isGapless: true,
  gaplessBy: 'assumed',
  roundingMs: 0,
  hasTimes: true,
  reachDays: 90,
  reachBy: 'documented',
  // Twenty questions in two seconds are allowed.
  paceMs: 200,
  browsers: 'unmeasured',
  most: MOST,
  pathOf(symbol, question) {
    const path = `/api/v5/market/history-trades?instId=${symbol.replace('/', '-')}&limit=${MOST}`;
    if (question.by === 'number') return `${path}&type=1&after=${question.number + BigInt(MOST)}`;
    if (question.by === 'time') return `${path}&type=2&after=${question.timeMs + 1}`;
    return path;
  },
  isNewestFirst: true,
  listOf(answer) {
    const rows = fieldOf(answer, 'data');
    if (fieldOf(answer, 'code') !== '0' || !Array.isArray(rows)) return null;
    return rows.map((row) =>
      recordOf(numberOf(fieldOf(row, 'tradeId')), wholeMs(fieldOf(row, 'ts')), fieldOf(row, 'px')),
    );
  },
};
