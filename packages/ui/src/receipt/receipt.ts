export { Checks, Limits, Story } from './checks.tsx';
export { isProved, type ReceiptText, type Verified } from './receipt-text.ts';
export { fixesIn, ReceiptRecords } from './records.tsx';
export { verifyByFirstKeys } from './verify.ts';
