/** The meanings of a statement's columns. An amount has a sign, or each direction has a column. */
export const STATEMENT_FIELDS = [
  'date',
  'amount',
  'paidIn',
  'paidOut',
  'direction',
  'reference',
  'counterparty',
] as const;

export type StatementField = (typeof STATEMENT_FIELDS)[number];

/** How staff want a statement's file read, where it does not say so itself. */
export interface StatementChoice {
  readonly columns?: string | undefined;
  readonly dayOrder?: 'dayFirst' | 'monthFirst' | undefined;
  readonly decimalMark?: '.' | ',' | undefined;
}
