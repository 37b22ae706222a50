import {
  accept,
  DELAY,
  GRID,
  hashOf,
  type Order,
  type Outcome,
  ordersEntry,
  priced,
  rulesEntry,
  type Sent,
  type Shown,
  SOURCES,
  STAKE,
  SYMBOL,
  type Terms,
  timeOf,
  voided,
  WON,
} from './house.ts';

/** One order's day, as an honest house writes it, with hooks for one that is not; and the page's rules read off a whole log. */
export const START = 1_780_000_000_000;
export const ACCEPTED = START + 3_100;
export const OPENS = START + 5_250;
/** The last time at which orders are logged in time, and the earliest of quotes that may open. */
export const DUE = OPENS - 1_000;
export const SINCE = OPENS - DELAY;
export const SETTLES = START + 66_000;
export const END = START + 78_000;
export const NONCE = '0123456789abcdef0123456789abcdef';

export interface Choices {
  readonly direction?: 'up' | 'down';
  /** The market's price in units of the last decimal; by default it rises. */
  readonly price?: (timeMs: number) => number;
  /** What the house lists for a source in the place of what it has. */
  readonly sent?: (timeMs: number, source: string, honest: Sent) => Sent | null;
  /** The entry of a grid time in the place of the honest one; null for none. */
  readonly at?: (timeMs: number, n: number, honest: string) => string | readonly string[] | null;
  /** Entries that come before the prices of a grid time. */
  readonly before?: (timeMs: number, told: Story) => readonly string[];
  /** When the batch is logged; `Infinity` for never. */
  readonly ordersMs?: number;
  /** The entry that carries the batch. */
  readonly orders?: (order: Order, timeMs: number) => string;
  readonly rules?: string;
  readonly terms?: Partial<Terms>;
}
export interface Story {
  readonly entries: string[];
  readonly order: Order;
}

export const RULES = rulesEntry(1, START, null);
const rising = (timeMs: number): number => 110_000 + Math.floor((timeMs - START) / 1000);

/** Sources' quotes leave 80 ms before a grid time and arrive 30 ms later. */
function sourcesAt(timeMs: number, { price = rising, sent }: Choices): (Sent | null)[] {
  return SOURCES.map((source, at) => {
    const sourceMs = timeMs - 80;
    const honest = { price: price(timeMs) + at, sourceMs, receivedMs: sourceMs + 30 };
    return sent ? sent(timeMs, source, honest) : honest;
  });
}

export function tell(choices: Choices = {}): Story {
  const { direction = 'up', rules = RULES, ordersMs = ACCEPTED + 150 } = choices;
  const entries: string[] = [rules];
  let order: Order | null = null;
  let isCarried = false;
  let n = 0;
  for (let timeMs = START; timeMs <= END; timeMs += GRID) {
    if (timeMs > ACCEPTED && !order) {
      const terms = {
        direction,
        acceptedAt: ACCEPTED,
        opensAt: OPENS,
        nonce: NONCE,
        minutes: 1,
        rulesHash: hashOf(rules),
        logSize: entries.length,
      };
      order = accept({ ...terms, ...choices.terms }, entries);
    }
    if (order && !isCarried && ordersMs <= timeMs) {
      entries.push((choices.orders ?? ordersEntry)(order, ordersMs));
      isCarried = true;
    }
    if (order) entries.push(...(choices.before?.(timeMs, { entries, order }) ?? []));
    const honest = priced(n + 1, timeMs, hashOf(rules), sourcesAt(timeMs, choices));
    const chosen = choices.at ? choices.at(timeMs, n + 1, honest) : honest;
    const listed = chosen === null ? [] : [chosen].flat();
    entries.push(...listed);
    n += listed.filter((text) => text.split('|')[2] === SYMBOL).length;
  }
  return { entries, order: order as Order };
}

/* ---- the rules of an order, read off a whole log ---- */

interface Line {
  readonly index: number;
  readonly fields: readonly string[];
  readonly timeMs: number;
  /** Of the log's first rules. */
  readonly freshMs: number;
}

/** What an honest house shows of an order, and what becomes of it. The log has to reach far enough beyond the settlement. */
export function honest({ entries, order }: Story): { shown: Shown; outcome: Outcome } {
  const freshMs = Number(/"freshMs":([0-9]+)/.exec(entries[0] as string)?.[1]);
  const all = entries.map(
    (text, index): Line => ({ index, fields: text.split('|'), timeMs: timeOf(text), freshMs }),
  );
  const moves = all.filter(({ fields }) => /^(tick|gap)$/.test(fields[0] as string) && fields[2] === SYMBOL);
  const orders = all.find(
    ({ fields, index }) => fields[0] === 'orders' && index >= order.terms.logSize,
  ) as Line;
  const shown = { rules: [0], orders: orders.index };
  if (orders.timeMs > order.opensAt - 1000) return { shown, outcome: voided('not_logged') };
  const { run, reason } = openingOf(moves, order);
  const opening = run.map(({ index }) => index);
  if (reason !== null) return { shown: { ...shown, opening }, outcome: voided(reason) };
  const { settlesAt } = order;
  const last = moves.findLastIndex(({ timeMs }) => timeMs <= settlesAt);
  const isExact = (moves[last] as Line).timeMs === settlesAt;
  const settling = moves.slice(last, last + (isExact ? 1 : 2)).map(({ index }) => index);
  const settle = isExact ? (moves[last] as Line) : null;
  return { shown: { ...shown, opening, settling }, outcome: outcomeOf(order, run.at(-1) as Line, settle) };
}

function openingOf(moves: readonly Line[], { opensAt }: Order): { run: Line[]; reason: string | null } {
  const start = moves.findLastIndex(({ timeMs }) => timeMs < opensAt);
  let expected = opensAt - GRID;
  for (let at = start; ; at += 1, expected += GRID) {
    const move = moves[at] as Line;
    const upTo = (count: number): Line[] => moves.slice(start, start + count);
    const shownUpTo = at - start + 1;
    if (at > start && expected > opensAt + 5000) return { run: upTo(shownUpTo - 1), reason: 'no_open' };
    const isGap = move.fields[0] === 'gap';
    const isMissing = at === start ? move.timeMs < expected : move.timeMs > expected;
    const isVoid = isGap || isMissing;
    const isGapFirst = at === start ? isGap : isGap && !isMissing;
    if (isVoid) return { run: upTo(Math.max(2, shownUpTo)), reason: isGapFirst ? 'gap' : 'hole' };
    if (at > start && isCurrent(move) && isSince(move, opensAt - DELAY))
      return { run: upTo(shownUpTo), reason: null };
  }
}

interface Listed {
  readonly price: string;
  readonly oldestMs: number;
  readonly isFresh: boolean;
  readonly use: string;
}
const listedOf = ({ fields, timeMs, freshMs }: Line): Listed[] =>
  (fields[7] as string).split(';').map((quote) => {
    const [, price = '', sourceMs, , receivedMs, use = 'none'] = quote.split(',');
    const oldestMs = Math.min(Number(sourceMs), Number(receivedMs));
    return { price, oldestMs, isFresh: timeMs - oldestMs <= freshMs, use };
  });

/** Whether more than half of a tick's quotes of use are from this time on, by both of their times. */
function isSince(line: Line, sinceMs: number): boolean {
  const used = listedOf(line).filter(({ use }) => use === 'use');
  return used.filter(({ oldestMs }) => oldestMs >= sinceMs).length > used.length / 2;
}
const isCurrent = (line: Line): boolean => {
  const listed = listedOf(line);
  return listed.filter((quote) => quote.use === 'use' && quote.isFresh).length > listed.length / 2;
};

function worthOf(line: Line, wantsHigh: boolean): string {
  const listed = listedOf(line);
  const fresh = listed.filter(({ isFresh }) => isFresh);
  const isComplete = fresh.length === listed.length && fresh.every(({ use }) => /^(use|outlier)$/.test(use));
  if (isComplete) return line.fields[5] as string;
  const prices = fresh.flatMap(({ price, use }) => (use === 'use' ? [price] : []));
  prices.sort((one, other) => Number(one) - Number(other));
  return prices.at(wantsHigh ? -1 : 0) as string;
}

function outcomeOf({ terms }: Order, open: Line, settle: Line | null): Outcome {
  const isUp = terms.direction === 'up';
  const openPrice = worthOf(open, !isUp);
  const isDecided = settle?.fields[0] === 'tick' && isCurrent(settle);
  if (!isDecided) return { openPrice, settlePrice: null, result: 'profit', payout: WON, voidReason: null };
  const settlePrice = worthOf(settle, isUp);
  const prices = { openPrice, settlePrice };
  const moved = (Number(settlePrice) - Number(openPrice)) * (isUp ? 1 : -1);
  if (moved > 0) return { ...prices, result: 'profit', payout: WON, voidReason: null };
  if (moved === 0) return { ...prices, result: 'none', payout: STAKE, voidReason: null };
  return { ...prices, result: 'loss', payout: '0.00', voidReason: null };
}
