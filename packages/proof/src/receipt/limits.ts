/** What even a valid receipt does not prove, in plain English and in the order of a report. */
export const LIMIT_WORDS = {
  instant:
    'that the customer named the opening time: only the nonce that was kept can show it, and the server may have chosen the time',
  witnesses: 'that others see the same log: it is not independently witnessed',
  updates: 'that Pyth has the record that the log names as its own: no signed update of it is shown',
  open: 'that a source had no later record at the time of a price: the log knew of none yet, and will close it',
  rules: 'that the prices are those of a public market: the rules of the order are loose',
  uniqueness:
    'that no number and no batch stands in the log twice, and that no newer rules were there: that rests on those who read the whole log (fairtick monitor)',
  records:
    'that the sources have these records, and none between them: their numbers are in the log, for anybody to ask the sources',
  clicks: 'that no order was delayed or dropped before it was accepted: refusals and delays are published',
  solvency: 'that the operator can pay',
} as const;
export type ReceiptLimit = keyof typeof LIMIT_WORDS;

/** @param applies by limit; those that are not named apply to every receipt */
export const limitsOf = (applies: Partial<Record<ReceiptLimit, boolean>>): ReceiptLimit[] =>
  (Object.keys(LIMIT_WORDS) as ReceiptLimit[]).filter((limit) => applies[limit] ?? true);
