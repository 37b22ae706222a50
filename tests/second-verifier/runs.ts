import type { Move, Receipt, VoidReason } from './document.ts';
import type { Gap, Tick } from './entries.ts';
import { fail, must } from './ground.ts';

/** Checks 8 and 9: when an order opens and settles. */
export const GRID_MS = 250;
const WINDOW_MS = 5000;

function checkRun(run: readonly Move[], symbol: string, check: string): void {
  for (const [at, { entry, index }] of run.entries()) {
    must(entry.symbol === symbol, check, 'an entry of another symbol');
    const before = run[at - 1];
    if (!before) continue;
    must(entry.n === before.entry.n + 1, check, 'numbers that do not follow each other');
    must(
      index > before.index && entry.timeMs > before.entry.timeMs,
      check,
      'places or times that do not rise',
    );
  }
}

interface Decision {
  /** Null where it opens. */
  readonly reason: VoidReason | null;
  /** How many entries it takes, from the first on. */
  readonly entries: number;
  readonly byHead: boolean;
}

/** Returns why the order is void, or null if it opens. */
export function checkOpening(receipt: Receipt, fromMs: number): VoidReason | null {
  const { acceptance, form, opening, head } = receipt;
  if (form === 'late') return 'not_logged';
  checkRun(opening, acceptance.symbol, 'opening');
  const [first, ...others] = opening as [Move, ...Move[]];
  must(first.entry.timeMs < fromMs, 'opening', 'the entry before is not shown');
  must(
    others.every(({ entry }) => entry.timeMs >= fromMs),
    'opening',
    'more entries before than needed',
  );
  // The head of an order that opened shows how it settled.
  const silence = form === 'unopened' ? head : null;
  const last = opening.at(-1) as Move;
  must(silence === null || silence.index > last.index, 'opening', 'a head that is not the last');
  const decision = decide(receipt, fromMs, silence?.entry.timeMs ?? null);
  must(decision.entries === opening.length, 'opening', 'decided before the last entry');
  must(decision.byHead === (silence !== null), 'opening', 'a head that decides nothing');
  must((decision.reason === null) === (form === 'opened'), 'opening', 'decided otherwise');
  return decision.reason;
}

function decide({ acceptance, opening }: Receipt, fromMs: number, headMs: number | null): Decision {
  const until = Math.min(fromMs + WINDOW_MS, acceptance.settlesAt);
  const grid = (Math.ceil(fromMs / GRID_MS) - 1) * GRID_MS;
  const undecided = (): never => fail('opening', 'nothing shows how it went on');
  const first = (opening[0] as Move).entry;
  if (first.type === 'gap' || first.timeMs < grid) {
    const reason = first.type === 'gap' ? 'gap' : 'hole';
    if (opening.length > 1) return { reason, entries: 2, byHead: false };
    return headMs !== null && headMs > grid ? { reason, entries: 1, byHead: true } : undecided();
  }
  for (let at = 1, time = grid + GRID_MS; ; at += 1, time += GRID_MS) {
    if (time > until) return { reason: 'no_open', entries: at, byHead: false };
    const next = opening[at]?.entry;
    if (!next)
      return headMs !== null && headMs > time ? { reason: 'hole', entries: at, byHead: true } : undecided();
    if (next.timeMs > time) return { reason: 'hole', entries: at + 1, byHead: false };
    if (next.type === 'gap') return { reason: 'gap', entries: at + 1, byHead: false };
    if (isFresh(next, acceptance.acceptedAt)) return { reason: null, entries: at + 1, byHead: false };
  }
}

function isFresh({ quotes }: Tick, sinceMs: number): boolean {
  const used = quotes.filter((quote) => quote.use === 'use');
  const fresh = used.filter(
    (quote) => 'sourceMs' in quote && quote.sourceMs >= sinceMs && quote.receivedMs >= sinceMs,
  );
  return fresh.length * 2 > used.length;
}

export function checkSettlement({ acceptance, form, opening, settling, head }: Receipt): void {
  if (form !== 'opened') return;
  const { settlesAt, symbol } = acceptance;
  checkRun(settling, symbol, 'settlement');
  const [first, last] = [settling[0] as Move, settling.at(-1) as Move];
  const isTick = first.entry.type === 'tick' && first.entry.timeMs <= settlesAt;
  must(isTick, 'settlement', 'not from the last tick at or before the settlement time');
  if (first.entry.timeMs === settlesAt)
    must(settling.length === 1 && head === null, 'settlement', 'more than the tick that settles it');
  else checkSilence(settling, head, settlesAt);
  checkBoth(opening, settling);
  const open = opening.at(-1) as Move;
  must(first.entry.n >= open.entry.n, 'settlement', 'settled before it opened');
  must(last.index >= open.index, 'settlement', 'settled before it opened');
}

/** That no other tick came by the settlement time. */
function checkSilence(settling: readonly Move[], head: Receipt['head'], settlesAt: number): void {
  const last = settling.at(-1) as Move;
  const isInTime = ({ entry }: Move): boolean => entry.timeMs <= settlesAt;
  const between = settling.slice(1).filter(isInTime);
  must(
    between.every(({ entry }) => entry.type === 'gap'),
    'settlement',
    'a later tick in time',
  );
  must(between.length + 2 >= settling.length, 'settlement', 'more entries after it than needed');
  const isShown = head !== null && head.index > last.index && head.entry.timeMs > settlesAt;
  if (isInTime(last)) must(isShown, 'settlement', 'nothing shows that no tick came');
  else must(head === null, 'settlement', 'a head that decides nothing');
}

/** What both runs show fits together. */
function checkBoth(opening: readonly Move[], settling: readonly Move[]): void {
  for (const one of opening)
    for (const other of settling) {
      const order = Math.sign(one.entry.n - other.entry.n);
      const isSame = order !== 0 || (one.text === other.text && one.index === other.index);
      must(isSame, 'settlement', 'two entries of one number');
      const isOrdered =
        order === Math.sign(one.index - other.index) &&
        order === Math.sign((one.entry as Tick | Gap).timeMs - other.entry.timeMs);
      must(isOrdered, 'settlement', 'numbers, places and times contradict each other');
    }
}
