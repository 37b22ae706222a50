/** Why the database refuses an order before any money moves (orders_place in schema/trading/placement.sql). */
export const PLACEMENT_REFUSALS = [
  'ON_BREAK',
  'SELF_EXCLUDED',
  'ORDERS_FROZEN',
  'TRADING_HALTED',
  'EXPIRED',
  'LATE',
  'OPENS_TOO_FAR',
  'PRICE_UNAVAILABLE',
  'MARKET_CLOSED',
  'CYCLE_NOT_OFFERED',
  'ASSET_NOT_ACCEPTED',
  'SESSION_ENDS',
  'AMOUNT_TOO_SMALL',
  'AMOUNT_TOO_LARGE',
  'BALANCE_TOO_LOW',
  'INSUFFICIENT_BALANCE',
  'STAKE_LIMIT',
  'LOSS_LIMIT',
  'EXPOSURE_LIMIT',
  'SHARE_LIMIT',
] as const;
export type PlacementRefusal = (typeof PLACEMENT_REFUSALS)[number];
