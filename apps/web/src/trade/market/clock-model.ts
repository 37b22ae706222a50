/** A difference of the clocks beyond what the measurement leaves open, up to which nothing is said. */
const APART_MS = 1_000;
/** The log is signed once a second; a signature up to this old is not worth a word. */
const OLD_MS = 10_000;

/** `apart`: the two clocks differ; `old`: they agree, and the log was not signed for a while. */
export interface ClockWord {
  readonly kind: 'apart' | 'old';
  readonly seconds: number;
}

/**
 * Compares the device's clock with the log's. All times are Unix ms of one moment.
 * @param times.signedMs the newest checkpoint's own time, which is up to a second old; null: it states none
 * @param times.serverMs the server's time as measured, and how much that may be wrong: half of the round trip; null: not measured yet
 */
export function clockWord(times: {
  readonly signedMs: number | null;
  readonly serverMs: number;
  readonly errorMs: number | null;
  readonly deviceMs: number;
}): ClockWord | null {
  const { signedMs, serverMs, errorMs, deviceMs } = times;
  if (signedMs === null || errorMs === null) return null;
  const word = (kind: ClockWord['kind'], ms: number) => ({ kind, seconds: Math.round(Math.abs(ms) / 1000) });
  if (Math.abs(serverMs - deviceMs) - errorMs > APART_MS) return word('apart', serverMs - deviceMs);
  // The signed time is the log's own: one ahead of both clocks is its fault, and told all the same.
  if (signedMs - deviceMs - errorMs > APART_MS) return word('apart', signedMs - deviceMs);
  return deviceMs - signedMs > OLD_MS ? word('old', deviceMs - signedMs) : null;
}
