import { fieldOf, numberOf, type RecordVenue, recordOf, secondsMs } from './record-venue.ts';

const MOST = 1_000;
const NANOS_A_MS = 1_000_000n;
/** Kraken's own names in its REST addresses. */
const NAMES: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };
const [PRICE, TIME, NUMBER] = [0, 2, 6];

/**
 * Kraken spot. Records are asked for by time alone, in nanoseconds: an answer has those after it. Numbers rise, and not always by one.
 * https://docs.kraken.com/api/docs/rest-api/get-recent-trades
 */
export const krakenRecords: RecordVenue = {
  source: 'kraken',
  origin: 'https://api.kraken.com',
  isGapless: false,
  gaplessBy: 'documented',
  // The stream writes microseconds, an answer a float of seconds.
  roundingMs: 1,
  hasTimes: true,
  reachDays: null,
  reachBy: 'assumed',
  // One question a second and address is allowed for good.
  paceMs: 1_000,
  browsers: 'unmeasured',
  most: MOST,
  pathOf(symbol, question) {
    const [base = '', quote = ''] = symbol.split('/');
    const path = `/0/public/Trades?pair=${NAMES[base] ?? base}${quote}&count=${MOST}`;
    if (question.by === 'newest') return path;
    const fromMs = question.timeMs - (question.by === 'time' ? question.backMs : krakenRecords.roundingMs);
    return `${path}&since=${BigInt(fromMs) * NANOS_A_MS - 1n}`;
  },
  isNewestFirst: false,
  listOf(answer) {
    const [faults, result] = [fieldOf(answer, 'error'), fieldOf(answer, 'result')];
    if (!Array.isArray(faults) || faults.length > 0 || typeof result !== 'object' || result === null)
      return null;
    const [market, ...others] = Object.keys(result).filter((key) => key !== 'last');
    const rows = market === undefined || others.length > 0 ? null : fieldOf(result, market);
    return Array.isArray(rows)
      ? rows.map((row) =>
          recordOf(numberOf(fieldOf(row, NUMBER)), secondsMs(fieldOf(row, TIME)), fieldOf(row, PRICE)),
        )
      : null;
  },
};
