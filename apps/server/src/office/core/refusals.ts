import type { AnyErrorCode } from '@fairtick/protocol';
import { failureOf } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';

/** Refusals of the database's functions that staff may see. Any other one is a fault of the office. */
const SHOWN: ReadonlySet<string> = new Set<AnyErrorCode>([
  'ROLE_MISSING',
  'APPROVER_TOO_NEW',
  'OWN_EDIT',
  'ABOUT_ONESELF',
  'APPROVALS_MISSING',
  'CHANGE_NOT_FOUND',
  'TOO_FEW_ADMINISTRATORS',
  'NOTHING_NEW',
  'ROLES_CONFLICT',
  'SESSION_EXPIRED',
  'ONE_TIME_EXPIRED',
  'REAUTH_REQUIRED',
  'PRACTICE_MONEY',
  'INVALID_AMOUNT',
  'REQUEST_NOT_FOUND',
  'REQUEST_CLOSED',
  'REQUEST_CLAIMED',
  'PAYOUT_TAKEN',
  'PAYOUT_NOT_TAKEN',
  'BANK_FILE_OVER',
  'CHANNEL_NOT_FOUND',
  'CONTENT_CHANGED',
  'NOTHING_PROPOSED',
  'HOLD_LASTS',
  'DESTINATION_GONE',
  'EVIDENCE_USED',
  'EVIDENCE_UNCLEAR',
  'CUSTOMER_EXCLUDED',
  'CUSTOMER_UNVERIFIED',
  'CUSTOMER_FROZEN',
  'CUSTOMER_OWES',
  'FREEZE_NEEDS_TWO',
  'BALANCE_SMALLER',
  'DEMO_CHANNEL',
  'REVIEW_NOT_FOUND',
  'REVIEW_CLAIMED',
  'REVIEW_UNSEEN',
  'REGION_RESTRICTED',
  'RULES_OUT_OF_BOUNDS',
  'RULES_TOO_SOON',
  'RULES_MOVED',
  'RATE_TOO_SOON',
  'RATE_OUT_OF_BOUNDS',
  'NEWS_NOT_FOUND',
  'NEWS_MOVED',
  'NEWS_WITHDRAWN',
  'CHAT_NOT_FOUND',
  'CHAT_CLAIMED',
  'COLLEAGUE_NOT_FOUND',
  'IDEMPOTENCY_MISMATCH',
  'CANNED_FULL',
  'SEARCHES_FULL',
  'STATEMENT_USED',
  'RECOVERY_CLOSED',
  'CUSTOMER_NOT_FOUND',
]);

/** The refusal for a database error, or the error itself. */
export function asRefusal(error: unknown): unknown {
  const name = failureOf(error) ?? '';
  return SHOWN.has(name) ? new RefusalError(name as AnyErrorCode) : error;
}
