/** Follows the fixes of a log, their closes, and the times in which a source is left out. */
import { MOST_FIX_WAIT_MS } from '@fairtick/trading';
import type { AwayEntry } from '../entry.ts';
import { type FixEntry, parseEntry } from '../entry.ts';
import { findClash, isCloseOf, isOpen, judgeClose } from '../receipt/fix-judge.ts';
import { textOfPrice } from '../receipt/fixed-result.ts';

const DAY_MS = 86_400_000;
/** A source that is left out for longer than this in one day is reported. */
const MOST_AWAY_MS = 300_000;

interface SymbolFixes {
  /** Number of the first that was read. */
  readonly first: number;
  n: number;
  fixMs: number;
  /** The text of the newest, or of its close. */
  newest: string;
  /** The texts of those that have an open record and no close, by number. */
  readonly open: Record<string, string>;
}

interface AwayTime {
  isOn: boolean;
  sinceMs: number;
  /** Number of the day since 1970, UTC, and the time in it before `sinceMs`. */
  day: number;
  spentMs: number;
  isTold: boolean;
}

export interface WatchState {
  readonly bySymbol: Record<string, SymbolFixes>;
  /** No open record is due before this time, Unix ms; null: none is open. */
  closeByMs: number | null;
  /** Number of the last `away` entry; null: none was read. */
  awayN: number | null;
  readonly away: Record<string, AwayTime>;
}

export const beginWatch = (): WatchState => ({ bySymbol: {}, closeByMs: null, awayN: null, away: {} });

export class FixWatch {
  readonly #state: WatchState;
  readonly #isWhole: boolean;
  readonly #report: (text: string) => void;

  constructor(state: WatchState, isWhole: boolean, report: (text: string) => void) {
    this.#state = state;
    this.#isWhole = isWhole;
    this.#report = report;
  }

  /** Takes a fix or close that is right by its rules. @returns the fault, or null */
  take(entry: FixEntry, text: string): string | null {
    if (entry.timeMs > entry.fixMs + MOST_FIX_WAIT_MS)
      return 'it was written more than 24 hours after its second';
    return entry.kind === 'fix' ? this.#takeFix(entry, text) : this.#takeClose(entry, text);
  }

  #takeFix(entry: FixEntry, text: string): string | null {
    const { symbol, n, fixMs, records, timeMs } = entry;
    const known = this.#state.bySymbol[symbol];
    const expected = known ? known.n + 1 : this.#isWhole ? 1 : n;
    if (n !== expected) return `fix ${n} of ${symbol} stands where ${expected} is next`;
    if (known && fixMs <= known.fixMs) return `${symbol} has a fix of this second or a later one already`;
    const stray = records.find(({ source, use }) => this.#isAway(source) === (use !== 'away'));
    if (stray)
      return stray.use === 'away'
        ? `${stray.source} is left out, which no entry says`
        : `${stray.source} takes part, though it is left out of all fixes`;
    const clash = known ? findClash(readFix(known.newest), entry) : null;
    if (clash !== null) return clash;
    for (const { source, use } of records) if (use === 'away') this.#countAway(source, timeMs);
    const open = known?.open ?? {};
    this.#state.bySymbol[symbol] = { first: known?.first ?? n, n, fixMs, newest: text, open };
    if (!records.some(isOpen)) return null;
    open[n] = text;
    this.#state.closeByMs ??= fixMs + MOST_FIX_WAIT_MS;
    return null;
  }

  #takeClose(entry: FixEntry, text: string): string | null {
    const { symbol, n } = entry;
    const known = this.#state.bySymbol[symbol];
    const fixText = known?.open[n];
    if (!known || fixText === undefined)
      return !this.#isWhole && n < (known?.first ?? Number.POSITIVE_INFINITY)
        ? null
        : 'no fix waits for this close';
    const fix = readFix(fixText);
    if (!isCloseOf(entry, fix)) return `it closes another fix than number ${n} of ${symbol}`;
    const newest = n === known.n ? fix : readFix(known.newest);
    const fault = judgeClose(fix, entry) ?? findClash(fix, entry) ?? findClash(newest, entry);
    if (fault !== null) return fault;
    delete known.open[n];
    if (n === known.n) known.newest = text;
    if (entry.price !== fix.price)
      this.#report(
        `the close of fix ${n} of ${symbol} makes its price ${textOfPrice(entry)} where it was ${textOfPrice(fix)}: its orders count by the better result`,
      );
    return null;
  }

  /** Checks that no close is overdue. @returns the fault, or null */
  passTime(timeMs: number): string | null {
    const { closeByMs, bySymbol } = this.#state;
    if (closeByMs === null || timeMs <= closeByMs) return null;
    this.#state.closeByMs = null;
    for (const [symbol, { open }] of Object.entries(bySymbol)) {
      for (const [n, text] of Object.entries(open)) {
        const byMs = readFix(text).fixMs + MOST_FIX_WAIT_MS;
        if (byMs < timeMs) return `fix ${n} of ${symbol} has an open record, and no close within 24 hours`;
        this.#state.closeByMs = Math.min(this.#state.closeByMs ?? byMs, byMs);
      }
    }
    return null;
  }

  takeAway({ n, timeMs, source, isOn }: AwayEntry): string | null {
    const { awayN, away } = this.#state;
    const expected = awayN === null ? (this.#isWhole ? 1 : n) : awayN + 1;
    if (n !== expected) return `away ${n} stands where ${expected} is next`;
    if (this.#isAway(source) === isOn)
      return isOn ? `${source} was left out already` : `${source} was not left out`;
    if (!isOn) this.#countAway(source, timeMs);
    this.#state.awayN = n;
    const before = Object.hasOwn(away, source) ? away[source] : {};
    away[source] = { day: 0, spentMs: 0, isTold: false, ...before, isOn, sinceMs: timeMs };
    return null;
  }

  #isAway(source: string): boolean | null {
    const known = Object.hasOwn(this.#state.away, source) ? this.#state.away[source] : undefined;
    return known ? known.isOn : this.#isWhole ? false : null;
  }

  #countAway(source: string, timeMs: number): void {
    const time = this.#state.away[source];
    if (!time?.isOn) return;
    const day = Math.floor(timeMs / DAY_MS);
    if (time.day !== day) Object.assign(time, { day, spentMs: 0, isTold: false });
    time.spentMs += timeMs - Math.max(time.sinceMs, day * DAY_MS);
    time.sinceMs = timeMs;
    if (time.isTold || time.spentMs <= MOST_AWAY_MS) return;
    time.isTold = true;
    this.#report(
      `${source} is left out of all fixes for more than ${MOST_AWAY_MS / 60_000} minutes of a day`,
    );
  }
}

/** Parses an entry that the monitor has read before. */
function readFix(text: string): FixEntry {
  const entry = parseEntry(text);
  if (entry?.kind !== 'fix' && entry?.kind !== 'close') throw new Error('the state of the monitor is broken');
  return entry;
}
