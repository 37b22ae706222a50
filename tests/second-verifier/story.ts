import {
  accept,
  fixEntry,
  hashOf,
  LATE,
  type Order,
  type Outcome,
  ordersEntry,
  type Recorded,
  rulesEntry,
  type Shown,
  SOURCES,
  STAKE,
  type Statement,
  SYMBOL,
  type Terms,
  termsOf,
  tickEntry,
  timeOf,
  UNFIXED,
  UNOPENED,
  WAIT,
  WON,
} from './house.ts';

/** One order's day, as an honest house writes it, with hooks for one that is not; and the page's rules read off a whole log. */
export const START = 1_780_000_000_000;
export const ACCEPTED = START + 3_100;
export const OPENS = START + 6_000;
/** The last time at which orders are logged in time. */
export const DUE = OPENS - 1_000;
export const SETTLES = START + 66_000;
export const END = START + 78_000;
export const DAY = 86_400_000;
export const NONCE = '0123456789abcdef0123456789abcdef';
/** Between two ticks. */
const BEAT = 500;
const CLOSED_AFTER = 6_000;

export interface Choices {
  readonly direction?: 'up' | 'down';
  /** The market's price in units of the last decimal; by default it rises. */
  readonly price?: (timeMs: number) => number;
  /** What the house says of a source in a fix in the place of what is on record. */
  readonly record?: (fixMs: number, source: string, honest: Held) => Recorded;
  /** The same of what is open or none, in the close. */
  readonly later?: (fixMs: number, source: string, honest: Held) => Recorded;
  /** The entry of a tick's time in the place of the honest one; null for none. */
  readonly at?: (timeMs: number, tick: string) => Entries;
  /** The same of fixes and closes. */
  readonly fix?: (fixMs: number, honest: string) => Entries;
  readonly close?: (fixMs: number, honest: string) => Entries;
  /** Entries that come at other times. */
  readonly more?: readonly (readonly [timeMs: number, entries: (told: Story) => readonly string[]])[];
  /** When the batch is logged; `Infinity` for never. */
  readonly ordersMs?: number;
  /** The entry that carries the batch. */
  readonly orders?: (order: Order, timeMs: number) => string;
  readonly rules?: string;
  readonly terms?: Partial<Terms>;
}
type Entries = string | readonly string[] | null;
export type Held = Statement & { readonly closing: Statement };
export interface Story {
  readonly entries: string[];
  readonly order: Order;
}

export const RULES = rulesEntry(1, START, null);
const rising = (timeMs: number): number => 110_000 + Math.floor((timeMs - START) / 1000);

/** Each source has a record every 400 ms, at times of its own, and Pyth one each second; the next one closes it. */
export function onRecord(
  fixMs: number,
  source: string,
  { price = rising }: Pick<Choices, 'price'>,
  before = 0,
): Held {
  const place = Math.max(0, SOURCES.indexOf(source as (typeof SOURCES)[number]));
  const [everyMs, from] = source === 'pyth' ? [1000, 0] : [400, START + 110 * (place + 1)];
  const last = Math.floor((fixMs - from) / everyMs) - before;
  const statement = (at: number): Statement => {
    const timeMs = from + at * everyMs;
    return { number: at + (source === 'pyth' ? 0 : 1_000), timeMs, price: price(timeMs) + place };
  };
  return { ...statement(last), closing: statement(last + 1) };
}

const isOpen = (record: Recorded): boolean => typeof record === 'object' && record.closing === 'open';
const isPending = (record: Recorded): boolean => record === 'none' || isOpen(record);

interface Step {
  readonly timeMs: number;
  readonly write: (entries: readonly string[]) => Entries;
}

/** The fix of a time, and its close where it needs one. */
function fixSteps(fixMs: number, n: number, choices: Choices, rules: string): Step[] {
  const { record, later, fix, close } = choices;
  const { sources } = termsOf(rules);
  const onFile = (source: string): Held => onRecord(fixMs, source, choices);
  const known = sources.map((source) => record?.(fixMs, source, onFile(source)) ?? onFile(source));
  const timeMs = fixMs + (known.some(isPending) ? WAIT : 450);
  const written = fixEntry({ n, timeMs, fixMs, rules }, known);
  const steps: Step[] = [{ timeMs, write: () => (fix ? fix(fixMs, written) : written) }];
  if (!known.some(isOpen)) return steps;
  const closed = known.map((each, at) => {
    const source = sources[at] as string;
    return isPending(each) ? (later?.(fixMs, source, onFile(source)) ?? onFile(source)) : each;
  });
  const closesMs = fixMs + CLOSED_AFTER;
  const closing = fixEntry({ kind: 'close', n, timeMs: closesMs, fixMs, rules }, closed);
  return [...steps, { timeMs: closesMs, write: () => (close ? close(fixMs, closing) : closing) }];
}

export function tell(choices: Choices = {}): Story {
  const { direction = 'up', rules = RULES, ordersMs = ACCEPTED + 150, more = [] } = choices;
  const entries: string[] = [rules];
  let order: Order | null = null;
  const steps: Step[] = [];
  for (let timeMs = START, n = 1; timeMs <= END; timeMs += BEAT, n += 1) {
    const tick = tickEntry(n, timeMs, hashOf(rules));
    steps.push({ timeMs, write: () => (choices.at ? choices.at(timeMs, tick) : tick) });
  }
  const terms = { direction, acceptedAt: ACCEPTED, opensAt: OPENS, nonce: NONCE, minutes: 1 };
  const own = { ...terms, rulesHash: hashOf(rules), ...choices.terms };
  steps.push({
    timeMs: ACCEPTED + 50,
    write: (log) => {
      order = accept({ logSize: log.length, ...own }, log);
      return null;
    },
  });
  const carry = choices.orders ?? ordersEntry;
  if (ordersMs < Infinity) steps.push({ timeMs: ordersMs, write: () => carry(order as Order, ordersMs) });
  const times = [OPENS - 2_000, own.opensAt, own.opensAt + own.minutes * 60_000];
  steps.push(...times.flatMap((fixMs, at) => fixSteps(fixMs, at + 1, choices, rules)));
  for (const [timeMs, write] of more)
    steps.push({ timeMs, write: () => write({ entries, order: order as Order }) });
  steps.sort((one, other) => one.timeMs - other.timeMs);
  for (const { write } of steps) {
    const made = write(entries);
    if (made !== null) entries.push(...[made].flat());
  }
  return { entries, order: order as unknown as Order };
}
export const endOf = ({ entries }: Story): number => Math.max(END, timeOf(entries.at(-1) as string));

/* ---- the rules of an order, read off a whole log ---- */

interface Line {
  readonly index: number;
  readonly kind: string;
  readonly fields: readonly string[];
  readonly timeMs: number;
}

/** What an honest house shows of an order, and what becomes of it. The log has to reach far enough beyond the settlement. */
export function honest({ entries, order }: Story): { shown: Shown; outcome: Outcome } {
  const all = entries.map((text, index): Line => {
    const fields = text.split('|');
    return { index, kind: fields[0] as string, fields, timeMs: timeOf(text) };
  });
  const { logSize } = order.terms;
  const orders = all.find(({ kind, index }) => kind === 'orders' && index >= logSize) as Line;
  const shown = (lists: Omit<Partial<Shown>, 'rules'>, ...fixes: readonly Line[]): Shown => {
    const named = new Set([order.terms.rulesHash, ...fixes.map(({ fields }) => fields[7])]);
    const rules = all.filter(
      ({ kind, index }) => kind === 'rules' && named.has(hashOf(entries[index] as string)),
    );
    return { rules: rules.map(({ index }) => index), orders: orders.index, ...lists };
  };
  if (orders.timeMs > order.opensAt - 1000) return { shown: shown({}), outcome: LATE };
  const open = fixOf(all, order.opensAt);
  if (open.length === 0)
    return { shown: shown({ waited: [waitedOf(all, order.opensAt)] }), outcome: UNFIXED };
  const opening = open.map(({ index }) => index);
  if (isThin(open[0] as Line, entries)) return { shown: shown({ opening }, ...open), outcome: UNOPENED };
  const settle = fixOf(all, order.settlesAt);
  const settling = settle.map(({ index }) => index);
  if (settle.length === 0) {
    const waited = [waitedOf(all, order.settlesAt)];
    return { shown: shown({ opening, waited }, ...open), outcome: UNFIXED };
  }
  return { shown: shown({ opening, settling }, ...open, ...settle), outcome: outcomeOf(order, open, settle) };
}

/** The fix of a time and its close, as far as the log has them within a day. */
function fixOf(all: readonly Line[], fixMs: number): Line[] {
  const of = (wanted: string): Line[] =>
    all
      .filter(({ kind, fields }) => kind === wanted && fields[2] === SYMBOL && fields[5] === String(fixMs))
      .filter(({ timeMs }) => timeMs <= fixMs + DAY)
      .slice(0, 1);
  const fix = of('fix');
  return fix.length > 0 ? [...fix, ...of('close')] : [];
}
const waitedOf = (all: readonly Line[], fixMs: number): number =>
  all.findIndex(({ kind, timeMs }) => !/^(rules|key)$/.test(kind) && timeMs >= fixMs + DAY);

function isThin({ fields }: Line, entries: readonly string[]): boolean {
  const rules = entries.find((text) => hashOf(text) === fields[7]) as string;
  return (fields[8] as string).split(',use,').length - 1 < termsOf(rules).quorum;
}

function outcomeOf({ terms }: Order, open: readonly Line[], settle: readonly Line[]): Outcome {
  const at = (openLine: Line, settleLine: Line): Outcome => {
    const [openPrice, settlePrice] = [openLine.fields[6] as string, settleLine.fields[6] as string];
    const moved = (Number(settlePrice) - Number(openPrice)) * (terms.direction === 'up' ? 1 : -1);
    const result = moved > 0 ? 'profit' : moved < 0 ? 'loss' : 'none';
    const payout = moved > 0 ? WON : moved < 0 ? '0.00' : STAKE;
    return { openPrice, settlePrice, result, payout, voidReason: null };
  };
  // From the fixes on, each close takes the place of its fix; what pays more counts.
  let [from, to] = [open[0] as Line, settle[0] as Line];
  let best = at(from, to);
  const closes = [...open.slice(1), ...settle.slice(1)].sort((one, other) => one.index - other.index);
  for (const close of closes) {
    if (open.includes(close)) from = close;
    else to = close;
    const next = at(from, to);
    if (Number(next.payout) > Number(best.payout)) best = next;
  }
  return best;
}
