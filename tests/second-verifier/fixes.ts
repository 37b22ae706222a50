import { named } from './checks.ts';
import type { Move, Receipt, VoidReason } from './document.ts';
import type { Gap, Quote, Rules, Tick } from './entries.ts';
import { fail, GRID_MS, must, unitsOf } from './ground.ts';

/** Checks 9 and 10: when an order opens and settles. */

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
}

/** Check 9. Returns why the order is void, or null if it opens. */
export function checkOpening({ acceptance, form, opening, rules }: Receipt, own: Rules): VoidReason | null {
  if (form === 'late') return 'not_logged';
  const { opensAt, symbol } = acceptance;
  checkRun(opening, symbol, 'opening');
  const [first, ...others] = opening as [Move, ...Move[]];
  must(first.entry.timeMs < opensAt, 'opening', 'the entry before is not shown');
  const areSince = others.every(({ entry }) => entry.timeMs >= opensAt);
  must(areSince, 'opening', 'more entries before than needed');
  const moves = opening.map(({ entry }) => entry);
  const { reason, entries } = decide(
    moves,
    opensAt,
    own,
    (tick) => isCurrent(tick, rules) && isSince(tick, opensAt - own.delayMs),
  );
  must(entries === opening.length, 'opening', 'decided before the last entry');
  must((reason === null) === (form === 'opened'), 'opening', 'decided otherwise');
  return reason;
}

function decide(
  moves: readonly (Tick | Gap)[],
  opensAt: number,
  { openWithinMs }: Rules,
  opens: (tick: Tick) => boolean,
): Decision {
  const undecided = (): never => fail('opening', 'nothing shows how it went on');
  const [first] = moves as [Tick | Gap];
  if (first.type === 'gap' || first.timeMs < opensAt - GRID_MS) {
    const reason = first.type === 'gap' ? 'gap' : 'hole';
    return moves.length > 1 ? { reason, entries: 2 } : undecided();
  }
  for (let at = 1, time = opensAt; ; at += 1, time += GRID_MS) {
    if (time > opensAt + openWithinMs) return { reason: 'no_open', entries: at };
    const next = moves[at] ?? undecided();
    if (next.timeMs > time) return { reason: 'hole', entries: at + 1 };
    if (next.type === 'gap') return { reason: 'gap', entries: at + 1 };
    if (opens(next)) return { reason: null, entries: at + 1 };
  }
}

const usedOf = ({ quotes }: Tick): Quote[] => quotes.filter((quote): quote is Quote => quote.use === 'use');

/** None is where the rules that the tick names are not shown. */
function isFreshIn(tick: Tick, rules: Receipt['rules']): (quote: Quote) => boolean {
  const freshMs = named(rules, tick.rulesHash)?.entry.freshMs ?? Number.NEGATIVE_INFINITY;
  return ({ sourceMs, receivedMs }) => tick.timeMs - Math.min(sourceMs, receivedMs) <= freshMs;
}

export const isCurrent = (tick: Tick, rules: Receipt['rules']): boolean =>
  usedOf(tick).filter(isFreshIn(tick, rules)).length * 2 > tick.quotes.length;

function isSince(tick: Tick, sinceMs: number): boolean {
  const used = usedOf(tick);
  const since = used.filter(({ sourceMs, receivedMs }) => sourceMs >= sinceMs && receivedMs >= sinceMs);
  return since.length * 2 > used.length;
}

/** What a current tick is worth to an order that wants it high, or low, in units of its last decimal. */
export function worthOf(tick: Tick, rules: Receipt['rules'], wantsHigh: boolean): bigint {
  const isFresh = isFreshIn(tick, rules);
  const counts = tick.quotes.every((quote) => isJudged(quote) && quote.use !== 'stale' && isFresh(quote));
  if (counts) return unitsOf(tick.price);
  return usedOf(tick)
    .filter(isFresh)
    .map(({ price }) => price)
    .reduce((best, price) => (wantsHigh === price > best ? price : best));
}
const isJudged = (quote: Tick['quotes'][number]): quote is Quote => quote.use !== 'none';

/** Check 10. */
export function checkSettlement({ acceptance, form, opening, settling }: Receipt): void {
  if (form !== 'opened') return;
  const { settlesAt, symbol } = acceptance;
  checkRun(settling, symbol, 'settlement');
  const [first, second] = settling as [Move, Move?];
  if (second) {
    const isAround = first.entry.timeMs < settlesAt && second.entry.timeMs > settlesAt;
    must(isAround, 'settlement', 'two entries that are not before and after the settlement time');
  } else must(first.entry.timeMs === settlesAt, 'settlement', 'an entry of another time');
  checkBoth(opening, settling);
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
        order === Math.sign(one.entry.timeMs - other.entry.timeMs);
      must(isOrdered, 'settlement', 'numbers, places and times contradict each other');
    }
}
