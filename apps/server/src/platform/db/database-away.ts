/** Codes of Node's errors when a database connection can't be made or breaks. */
const LOST_CONNECTION =
  /^E(CONNREFUSED|CONNRESET|NOENT|PIPE|AGAIN|TIMEDOUT|MFILE|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)$/;
/**
 * 08 connection, 40 rolled back because of others, 53 no resources, 57 operator, 58 system; lock not available, transaction ended as
 * idle, and a read-only server (a standby since a failover).
 */
const TEMPORARY_STATE = /^(08|40|53|57|58)...$|^55P03$|^25P03$|^25006$/;
const LOST_MESSAGE =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|not queryable|Query read timeout/;

export function isAway(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  return (
    LOST_CONNECTION.test(String(code)) || TEMPORARY_STATE.test(String(code)) || LOST_MESSAGE.test(message)
  );
}
