import type { OfficeInput } from '@fairtick/protocol/office';
import type { PlacementRefusal } from '@fairtick/trading';
import type { MessageId } from '../messages/text.ts';

const REFUSALS: Readonly<Record<PlacementRefusal, MessageId>> = {
  ON_BREAK: 'open.refused.ON_BREAK',
  SELF_EXCLUDED: 'open.refused.SELF_EXCLUDED',
  ORDERS_FROZEN: 'open.refused.ORDERS_FROZEN',
  TRADING_HALTED: 'open.refused.TRADING_HALTED',
  EXPIRED: 'open.refused.EXPIRED',
  LATE: 'open.refused.LATE',
  OPENS_TOO_FAR: 'open.refused.OPENS_TOO_FAR',
  PRICE_UNAVAILABLE: 'open.refused.PRICE_UNAVAILABLE',
  MARKET_CLOSED: 'open.refused.MARKET_CLOSED',
  CYCLE_NOT_OFFERED: 'open.refused.CYCLE_NOT_OFFERED',
  ASSET_NOT_ACCEPTED: 'open.refused.ASSET_NOT_ACCEPTED',
  SESSION_ENDS: 'open.refused.SESSION_ENDS',
  AMOUNT_TOO_SMALL: 'open.refused.AMOUNT_TOO_SMALL',
  AMOUNT_TOO_LARGE: 'open.refused.AMOUNT_TOO_LARGE',
  BALANCE_TOO_LOW: 'open.refused.BALANCE_TOO_LOW',
  INSUFFICIENT_BALANCE: 'open.refused.INSUFFICIENT_BALANCE',
  STAKE_LIMIT: 'open.refused.STAKE_LIMIT',
  LOSS_LIMIT: 'open.refused.LOSS_LIMIT',
  EXPOSURE_LIMIT: 'open.refused.EXPOSURE_LIMIT',
  SHARE_LIMIT: 'open.refused.SHARE_LIMIT',
};

const REJECTIONS: Readonly<Record<OfficeInput<'withdrawal/refuse'>['reason'], MessageId>> = {
  destination_wrong: 'open.rejected.destination_wrong',
  destination_house: 'open.rejected.destination_house',
  name_mismatch: 'open.rejected.name_mismatch',
  payout_returned: 'open.rejected.payout_returned',
  security: 'open.rejected.security',
  other: 'open.rejected.other',
};

const ALL: Readonly<Record<string, MessageId>> = { ...REJECTIONS, ...REFUSALS };
/** The words for a published code; null for a code that this version of the app does not know. */
export const reasonWords = (code: string): MessageId | null => ALL[code] ?? null;
