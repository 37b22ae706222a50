/** The kinds of log entries as the database numbers them (`log_kind` in schema/values.sql); `text` is any other entry. */
export const LOG_KINDS = { tick: 1, gap: 2, orders: 3, rules: 4, text: 5, fix: 6, close: 7 } as const;
