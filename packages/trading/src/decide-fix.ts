import type { Points } from '@fairtick/money';
import { isOutlier, medianOf } from './median.ts';
import {
  type AbsentRecord,
  hasRecord,
  type JudgedRecord,
  type KnownRecord,
  type ListedRecord,
} from './record.ts';
import type { ProductRules } from './rules.ts';

export type FixRules = Pick<ProductRules, 'sources' | 'quorum' | 'quietMs' | 'outlierBps'>;

export interface FixQuestion {
  /** T, a multiple of {@link FIX_MS}. */
  readonly fixMs: number;
  /** At most one per source, each with a last record at or before T. Sources that the rules don't name are ignored. */
  readonly records: readonly (KnownRecord | AbsentRecord)[];
  readonly rules: FixRules;
}

export interface FixAnswer {
  /** Null where no source has a record. */
  readonly price: Points | null;
  /** Fewer sources than the quorum count: nothing opens at this price. It settles orders all the same. */
  readonly isThin: boolean;
  /** One part for each source that the rules name, ascending by source. */
  readonly records: readonly ListedRecord[];
}

/**
 * The price of a product at T: the median of its sources' last records at or before T. A record is quiet if it is more than
 * `quietMs` older than T, and an outlier if it is further than `outlierBps` from the median of those that are not quiet. The others
 * count. Where they are fewer than the quorum, the price is the median of all records, whatever their age.
 */
export function decideFix({ fixMs, records, rules }: FixQuestion): FixAnswer {
  const bySource = new Map(records.map((record) => [record.source, record]));
  const known = rules.sources.flatMap((source) => {
    const record = bySource.get(source);
    return record && 'last' in record ? [record] : [];
  });
  const isQuiet = ({ last }: KnownRecord) => fixMs - last.timeMs > rules.quietMs;
  const prices = known.filter((record) => !isQuiet(record)).map(({ last }) => last.price);
  const centre = prices.length > 0 ? medianOf(prices) : null;
  const judge = (record: KnownRecord): JudgedRecord => {
    const { source, last, closing } = record;
    if (centre === null || isQuiet(record)) return { source, last, closing, use: 'quiet' };
    return {
      source,
      last,
      closing,
      use: isOutlier(last.price, centre, rules.outlierBps) ? 'outlier' : 'use',
    };
  };
  const listed = [...rules.sources].sort().map((source): ListedRecord => {
    const record = bySource.get(source);
    if (!record) return { source, use: 'none' };
    return 'last' in record ? judge(record) : { source, use: record.use };
  });
  const used = listed.filter((record): record is JudgedRecord => record.use === 'use');
  const isThin = used.length < rules.quorum;
  const deciding = isThin ? listed.filter(hasRecord) : used;
  const price = deciding.length > 0 ? medianOf(deciding.map(({ last }) => last.price)) : null;
  return { price, isThin, records: listed };
}

/** Whether nothing is left to be learned of a source: it is known to the end, or left out. */
export const isRecordClosed = (record: ListedRecord): boolean =>
  record.use === 'away' || (hasRecord(record) && record.closing.by !== 'open');

/**
 * Whether a fix may be written: every source that the rules name is known to the end, or, once `waitMs` has passed since T, so many
 * of those that count that the quorum does not rest on an open one.
 */
export function isFixReady(
  answer: FixAnswer,
  { quorum }: Pick<ProductRules, 'quorum'>,
  isWaitOver: boolean,
): boolean {
  if (answer.price === null) return false;
  if (answer.records.every(isRecordClosed)) return true;
  const counting = answer.records.filter((record) => record.use === 'use' && isRecordClosed(record));
  return isWaitOver && counting.length >= quorum;
}

/**
 * The records of a fix again, each with what is known of it later: a part that was known to the end stays as it is, an open one keeps
 * its record or takes one with a higher number, and one without a record takes any.
 */
export function laterRecords(
  fixed: readonly ListedRecord[],
  known: readonly (KnownRecord | AbsentRecord)[],
): readonly (KnownRecord | AbsentRecord)[] {
  const bySource = new Map(known.map((record) => [record.source, record]));
  return fixed.map((part) => {
    const later = bySource.get(part.source);
    if (isRecordClosed(part) || !later || !('last' in later)) return part;
    if (!hasRecord(part) || later.last.number > part.last.number) return later;
    return later.last.number === part.last.number ? { ...part, closing: later.closing } : part;
  });
}
