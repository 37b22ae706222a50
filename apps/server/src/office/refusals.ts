import type { AnyErrorCode } from '@fairtick/protocol';
import { sqlState } from '../db/database.ts';
import { RefusalError } from '../http/context.ts';

/** Errors of the database's rules for the office (migration 005), by SQLSTATE, as refusals for staff. */
const REFUSALS: Readonly<Record<string, AnyErrorCode>> = {
  FT101: 'ROLE_MISSING',
  FT102: 'APPROVER_TOO_NEW',
  FT103: 'OWN_EDIT',
  FT104: 'ABOUT_ONESELF',
  FT105: 'APPROVALS_MISSING',
  FT107: 'CHANGE_NOT_FOUND',
  FT108: 'TOO_FEW_ADMINISTRATORS',
  FT109: 'NOTHING_NEW',
  FT110: 'ROLES_CONFLICT',
  FT111: 'SESSION_EXPIRED',
  FT112: 'REAUTH_REQUIRED',
  FT004: 'PRACTICE_MONEY',
  FT005: 'INVALID_AMOUNT',
  FT120: 'REQUEST_NOT_FOUND',
  FT121: 'REQUEST_CLOSED',
  FT122: 'REQUEST_CLAIMED',
  FT123: 'CONTENT_CHANGED',
  FT124: 'NOTHING_PROPOSED',
  FT125: 'HOLD_LASTS',
  FT126: 'DESTINATION_GONE',
  FT127: 'EVIDENCE_USED',
  FT128: 'CUSTOMER_UNVERIFIED',
  FT129: 'BALANCE_SMALLER',
  FT131: 'DEMO_CHANNEL',
  FT140: 'REVIEW_NOT_FOUND',
  FT141: 'REVIEW_CLAIMED',
  FT142: 'REVIEW_UNSEEN',
  FT143: 'REGION_RESTRICTED',
  FT150: 'RULES_OUT_OF_BOUNDS',
  FT151: 'RULES_TOO_SOON',
  FT152: 'RULES_MOVED',
  FT160: 'RATE_TOO_SOON',
  FT161: 'RATE_OUT_OF_BOUNDS',
  FT180: 'NEWS_NOT_FOUND',
  FT181: 'NEWS_MOVED',
  FT182: 'NEWS_WITHDRAWN',
  FT190: 'CHAT_NOT_FOUND',
  FT191: 'CHAT_CLAIMED',
  FT192: 'COLLEAGUE_NOT_FOUND',
  FT193: 'IDEMPOTENCY_MISMATCH',
  FT194: 'CANNED_FULL',
  FT196: 'RECOVERY_CLOSED',
  FT197: 'CUSTOMER_NOT_FOUND',
};

/** The refusal for a database error, or the error itself. */
export function asRefusal(error: unknown): unknown {
  const code = REFUSALS[sqlState(error) ?? ''];
  return code === undefined ? error : new RefusalError(code);
}
