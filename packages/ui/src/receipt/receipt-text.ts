import type { RangeScan, ReceiptReport } from '@fairtick/proof';
import type { Data } from '@fairtick/protocol';
import type zh from '../messages/receipt/zh.json';

/** What a receipt's view needs of the app that shows it: texts of the reader's language, and formats. */
export interface ReceiptText {
  t(id: keyof typeof zh, values?: Readonly<Record<string, string | number>>): string;
  amount(amount: string): string;
  price(price: string): string;
  count(count: number): string;
  /** A time of the log, to the millisecond. */
  time(ms: number): string;
}

/** A receipt with the result of its verification. */
export interface Verified {
  readonly receipt: Data<'orderReceipt'>;
  readonly report: ReceiptReport;
  /** Whether this is the log that this device last checked; null if that could not be determined. */
  readonly isSame: boolean | null;
  /** Result of reading both ranges of the log; null if they could not be read. */
  readonly scan: RangeScan | null;
}

/** Whether all that was checked holds. What could not be read counts as neither. */
export const isProved = ({ report, isSame, scan }: Omit<Verified, 'receipt'>): boolean =>
  report.isValid && isSame !== false && (scan?.fault ?? null) === null;
