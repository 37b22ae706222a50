/** A small log and a monitor that follows it. */
import {
  beginMonitor,
  formatEntry,
  LogFault,
  leafHash,
  lookOnce,
  type MonitorState,
  toHex,
} from '../src/index.ts';
import { ShownLog } from './shown-log.ts';
import { ACCEPTANCES_KEY, agreed, LOG_KEY, ORIGIN, RULES_ENTRY, RULES_HASH, rules } from './story.ts';

export const START_MS = 1_780_000_000_000;
export const at = (grid: number) => START_MS + 250 * grid;
/** Accepted in the moment of the entry, unless said otherwise. */
export const orders = (
  grid: number,
  firstBatch: number,
  lastBatch = firstBatch,
  [firstMs, lastMs]: readonly [number, number] = [at(grid), at(grid)],
  asked: readonly string[] = [],
) =>
  formatEntry({
    kind: 'orders',
    timeMs: at(grid),
    firstBatch,
    lastBatch,
    firstMs,
    lastMs,
    root: 'ab'.repeat(32),
    asked,
  });
export const hash = (text: string) => toHex(leafHash(text));
export const second = (effectiveMs: number, change: object = {}, previous = RULES_HASH) =>
  rules(2, effectiveMs, previous, change);
export const price = (n: number, grid = n, text = '1.08410') => agreed(n, at(grid), text);

/** A rules entry, then a price four times a second. */
export const LOG = [RULES_ENTRY, ...Array.from({ length: 9 }, (_, n) => price(n + 1, n + 1, `1.0840${n}`))];

const KEYS = [LOG_KEY.verifierKey, ACCEPTANCES_KEY.verifierKey];
export const begin = (source: ShownLog, isFromNow = false): Promise<MonitorState> =>
  beginMonitor(source, { origin: ORIGIN, keys: KEYS, isFromNow });

/** The fault that a monitor reports after it followed the whole log; null: none. */
export async function faultIn(
  source: ShownLog,
  state?: MonitorState,
  onReport?: (text: string) => void,
): Promise<string | null> {
  const followed = state ?? (await begin(source));
  try {
    await lookOnce(source, followed, { onReport });
    return null;
  } catch (error) {
    if (error instanceof LogFault) return error.message;
    throw error;
  }
}

export const faultOf = (texts: readonly string[]): Promise<string | null> => faultIn(new ShownLog(texts));

/** What is reported of a log without a fault. */
export async function reportsOf(texts: readonly string[]): Promise<string[]> {
  const source = new ShownLog(texts);
  const reports: string[] = [];
  const fault = await faultIn(source, await begin(source), (text) => reports.push(text));
  if (fault !== null) throw new Error(fault);
  return reports;
}
