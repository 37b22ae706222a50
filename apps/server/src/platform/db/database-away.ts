/** Codes of Node's errors when a database connection can't be made or breaks. */
const LOST_CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'EAGAIN',
  'ETIMEDOUT',
  'EMFILE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/**
 * SQLSTATE classes after which the same request may succeed shortly: 08 connection, 40 rolled back because of other
 * transactions, 53 no resources, 57 operator intervention, 58 system error; and three single codes: lock not available,
 * transaction ended as idle, and a read-only server (a standby since a failover).
 */
const TEMPORARY_STATE = /^(08|40|53|57|58)...$|^55P03$|^25P03$|^25006$/;
const LOST_MESSAGE =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|not queryable|Query read timeout/;

/** Whether an error says that the database is away or has no room: the same statement may succeed in a moment. */
export function isAway(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  return (
    LOST_CONNECTION.has(String(code)) || TEMPORARY_STATE.test(String(code)) || LOST_MESSAGE.test(message)
  );
}
