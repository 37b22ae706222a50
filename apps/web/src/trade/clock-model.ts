/** A difference of clocks up to this is not worth a word. */
const APART_MS = 10_000;

/** `apart`: the two clocks differ; `old`: they agree, and the log was not signed for a while. */
export interface ClockWord {
  readonly kind: 'apart' | 'old';
  readonly seconds: number;
}

/**
 * Compares the device's clock with the log's. All times are Unix ms of one moment.
 * @param times.signedMs the newest checkpoint's own time, which is up to a second old; null: it states none
 * @param times.streamMs the server's time as the stream tells it
 */
export function clockWord(times: {
  readonly signedMs: number | null;
  readonly streamMs: number;
  readonly deviceMs: number;
}): ClockWord | null {
  const { signedMs, streamMs, deviceMs } = times;
  if (signedMs === null) return null;
  const apartMs = Math.abs(signedMs - deviceMs);
  if (apartMs <= APART_MS) return null;
  const isAgreed = Math.abs(streamMs - deviceMs) <= APART_MS;
  return { kind: isAgreed && signedMs < deviceMs ? 'old' : 'apart', seconds: Math.round(apartMs / 1000) };
}
