/** The entries `fix` and `close`, and the records in them. */
import { formatDecimal, type Points } from '@fairtick/money';
import { hasRecord, type ListedRecord, type RecordUse, type SourceRecord } from '@fairtick/trading';
import { placesOf } from './decimal.ts';
import { parseWholeNumber } from './encoding.ts';
import { isSource, parseNumber, priceOf } from './entry-fields.ts';

/**
 * A symbol's price at `fixMs`. `close` states a fix again, with the same number and time, once its open records are closed. Fixes of a
 * symbol count from 1, in the order of their times.
 */
export interface FixEntry {
  readonly kind: 'fix' | 'close';
  readonly symbol: string;
  readonly n: number;
  /** When it was written. */
  readonly timeMs: number;
  /** T, a whole second, not later than `timeMs`. */
  readonly fixMs: number;
  readonly price: Points;
  /** Decimals of the prices in this entry. */
  readonly decimals: number;
  /** The rules in force at T; 64 lower-case hex digits. */
  readonly rulesHash: string;
  /** One part for each source that the rules name, ascending by source. */
  readonly records: readonly ListedRecord[];
}

const USES: readonly RecordUse[] = ['use', 'quiet', 'outlier'];

/** `source,none`, `source,away`, or `source,number,timeMs,price,use` with `said`, `open`, or the number, time and price of the record after it. */
export function formatRecords({ records, decimals }: Pick<FixEntry, 'records' | 'decimals'>): string {
  const recordText = ({ number, timeMs, price }: SourceRecord) =>
    `${number},${timeMs},${formatDecimal(price, decimals)}`;
  const partText = (part: ListedRecord) => {
    if (!hasRecord(part)) return `${part.source},${part.use}`;
    const { source, last, use, closing } = part;
    return `${source},${recordText(last)},${use},${closing.by === 'next' ? recordText(closing.next) : closing.by}`;
  };
  return records.map(partText).join(';');
}

export function parseListedRecord(fields: readonly string[], decimals: number): ListedRecord | null {
  const [source, second] = fields;
  if (!isSource(source)) return null;
  if (fields.length === 2) return second === 'none' || second === 'away' ? { source, use: second } : null;
  const last = parseRecord(fields.slice(1, 4), decimals);
  const use = fields[4] as RecordUse;
  if (last === null || !USES.includes(use)) return null;
  if (fields.length === 6) {
    const by = fields[5];
    return by === 'said' || by === 'open' ? { source, last, use, closing: { by } } : null;
  }
  const next = fields.length === 8 ? parseRecord(fields.slice(5), decimals) : null;
  return next && { source, last, use, closing: { by: 'next', next } };
}

function parseRecord(
  [numberText = '', timeText = '', priceText = '']: readonly string[],
  decimals: number,
): SourceRecord | null {
  const [number, timeMs, price] = [parseNumber(numberText), parseWholeNumber(timeText), priceOf(priceText)];
  if (number === null || timeMs === null || price === null || placesOf(priceText) !== decimals) return null;
  return { number, timeMs, price };
}
