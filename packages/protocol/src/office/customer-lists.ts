/** What staff choose from in a customer's page. Kept apart from schemas, so that the browser gets these lists alone. */

/** What a freeze closes. */
export const FROZEN_THINGS = ['login', 'orders', 'withdrawals'] as const;
/** Why something is frozen, for the customer to read. */
export const FREEZE_REASONS = ['security', 'review', 'request', 'authority'] as const;
export const CUSTOMER_FLAGS = ['vulnerable', 'complaint', 'watch', 'press'] as const;
/** Rules that find customers and make tasks of them. */
export const FLAG_RULES = ['shared_destination', 'improbable_wins', 'pass_through', 'name_list'] as const;
