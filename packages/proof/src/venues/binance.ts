import { fieldOf, numberOf, type RecordVenue, recordOf, wholeMs } from './record-venue.ts';

const MOST = 1_000;

/**
 * Binance spot. A record is an aggregate trade: the fills of one order at one price and time. Its stream has the same numbers.
 * https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints#compressedaggregate-trades-list
 */
export const binanceRecords: RecordVenue = {
  source: 'binance',
  origin: 'https://data-api.binance.vision',
  isGapless: true,
  gaplessBy: 'assumed',
  roundingMs: 0,
  hasTimes: true,
  reachDays: null,
  reachBy: 'assumed',
  // Each question weighs 4 of 6 000 a minute.
  paceMs: 100,
  browsers: 'unmeasured',
  most: MOST,
  pathOf(symbol, question) {
    const path = `/api/v3/aggTrades?symbol=${symbol.replace('/', '')}&limit=${MOST}`;
    if (question.by === 'number') return `${path}&fromId=${question.number}`;
    if (question.by === 'time') return `${path}&startTime=${question.timeMs - question.backMs}`;
    return path;
  },
  isNewestFirst: false,
  listOf: (answer) =>
    Array.isArray(answer)
      ? answer.map((row) =>
          recordOf(numberOf(fieldOf(row, 'a')), wholeMs(fieldOf(row, 'T')), fieldOf(row, 'p')),
        )
      : null,
};
