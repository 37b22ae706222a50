/**
 * The meanings of a statement's columns. An amount has a sign, or each direction has a column. `ignore`: staff have looked at the
 * column and it changes nothing. A few of these may have several columns ({@link SHARED_FIELDS}).
 */
export const STATEMENT_FIELDS = [
  'date',
  'amount',
  'paidIn',
  'paidOut',
  'direction',
  'state',
  'currency',
  'reference',
  'counterparty',
  'number',
  'balance',
  'ignore',
] as const;

export type StatementField = (typeof STATEMENT_FIELDS)[number];

export const SHARED_FIELDS: readonly StatementField[] = ['direction', 'state', 'currency', 'ignore'];

/**
 * Why a row is no line that an import takes: it is another currency's, not final, taken back by its payer or bank, never made, between
 * a customer's own accounts, or no payment at all.
 */
export const LEFT_OUT = ['currency', 'pending', 'undone', 'failed', 'neutral', 'note'] as const;

export type LeftOut = (typeof LEFT_OUT)[number];

/** Why a line that came in or went out was no customer's payment; `none` withdraws the explanation before it. */
export const LINE_KINDS = ['interest', 'charge', 'own_transfer', 'returned', 'other', 'none'] as const;

export type LineKind = (typeof LINE_KINDS)[number];

/**
 * What a line's references say (statement_sign). `match`: it pays a deposit under review. `paid` and `returned`: a payment of a file
 * of ours went out or came back. The others say why it waits for staff.
 */
export const LINE_SIGNS = [
  'match',
  'paid',
  'returned',
  'no_reference',
  'unknown_reference',
  'not_submitted',
  'other_amount',
  'other_currency',
  'already_matched',
  'closed',
] as const;

/** How staff want a statement's file read, where it does not say so itself. */
export interface StatementChoice {
  readonly columns?: string | undefined;
  readonly dayOrder?: 'dayFirst' | 'monthFirst' | undefined;
  readonly decimalMark?: '.' | ',' | undefined;
  /** Lines in question that are taken, by their line in the file, separated by commas. */
  readonly take?: string | undefined;
}
