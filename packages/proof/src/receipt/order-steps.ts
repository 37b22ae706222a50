/** The verifier's checks of an order's rules: opening, settlement, prices, outcome. */
import { formatDecimal } from '@fairtick/money';
import {
  type Direction,
  decideOpening,
  decidePrice,
  GRID_MS,
  isCurrent,
  type JudgedQuote,
  type Opening,
  type Verdict,
  type VoidReason,
  voidPayout,
} from '@fairtick/trading';
import type { Acceptance } from '../acceptance.ts';
import { MOST_PLACES, placesOf, rateOf, unitsOf } from '../decimal.ts';
import type { GapEntry, TickEntry } from '../entry.ts';
import type { Case, SymbolPlaced } from './case.ts';
import type { DecidingRules } from './rules-json.ts';
import { type Finding, fault, isSameLeaf, rulesInForce } from './steps.ts';
import { atOpening, atSettlement, type LoggedTick, textOf, type Valued, verdictOf } from './valued-tick.ts';

/** Entries of the product without an omission: numbers rise by one, log indexes and times rise. */
function findBreak(run: readonly SymbolPlaced[], symbol: string): string | null {
  for (const [at, { index, entry }] of run.entries()) {
    if (entry.symbol !== symbol) return `the entry at ${index} is of another product`;
    const before = run[at - 1];
    if (!before) continue;
    if (entry.n !== before.entry.n + 1)
      return `between ${before.index} and ${index} the numbers do not follow`;
    if (index <= before.index || entry.timeMs <= before.entry.timeMs)
      return `the entry at ${index} is not later than the one before it`;
  }
  return null;
}

/** Checks that both runs are of one sequence: one number is one entry, and a higher number has a higher log index and time. */
function findClash({ opening, settling }: Case): string | null {
  for (const early of opening) {
    for (const late of settling) {
      const order = Math.sign(late.entry.n - early.entry.n);
      const isRight =
        order === 0
          ? late.index === early.index && isSameLeaf(late, early)
          : Math.sign(late.index - early.index) === order &&
            Math.sign(late.entry.timeMs - early.entry.timeMs) === order;
      if (!isRight) return `the entries at ${early.index} and ${late.index} are not of one sequence`;
    }
  }
  return null;
}

/** D of the rules that the acceptance names. */
const namedRules = ({ rules, terms }: Case) => rules.find(({ hash }) => hash === terms.rulesHash)?.rules;

export const delayOf = (subject: Case): number => namedRules(subject)?.delayMs ?? Number.NaN;

/**
 * An entry as the package `trading` takes it. No tick whose rules are not shown is current; {@link checkPrices} refuses it in any case.
 */
function withFreshMs({ rules }: Case, entry: TickEntry | GapEntry): LoggedTick | GapEntry {
  if (entry.kind === 'gap') return entry;
  const named = rules.find(({ hash }) => hash === entry.rulesHash)?.rules;
  return { ...entry, freshMs: named?.freshMs ?? Number.NEGATIVE_INFINITY };
}

/** Rules 3 and 5: every entry of the product since the opening time is shown, and the last one decides. */
export function checkOpening(subject: Case): { finding: Finding; voidReason: VoidReason | null } {
  const wrong = (text: string) => ({ finding: fault(text), voidReason: null });
  const { form, terms, orders, opening } = subject;
  const [first, last] = [opening[0], opening.at(-1)];
  if (!first || !last) return { finding: { values: {} }, voidReason: 'not_logged' };
  const broken = findBreak(opening, terms.symbol);
  if (broken !== null) return wrong(broken);
  const question = {
    opensAtMs: terms.opensAt,
    settlesAtMs: terms.settlesAt,
    delayMs: delayOf(subject),
    openWithinMs: namedRules(subject)?.openWithinMs ?? 0,
    loggedAtMs: orders.entry.timeMs,
  };
  const fromMs = terms.opensAt;
  if (first.entry.timeMs >= fromMs) return wrong('no entry from before the opening time is shown');
  const early = opening.find(({ entry }, at) => at > 0 && entry.timeMs < fromMs);
  if (early) return wrong('earlier entries are shown than the last before the opening time');

  const entries = opening.map(({ entry }) => withFreshMs(subject, entry));
  const decide = (count: number): Opening => decideOpening({ ...question, entries: entries.slice(0, count) });
  if (entries.length > 1 && decide(entries.length - 1).state !== 'pending')
    return wrong('an entry before the last one shown decides about the opening');
  const answer = decide(entries.length);
  if (answer.state === 'pending') return wrong('nothing that is shown decides about the opening');
  if ((answer.state === 'open') !== (form === 'opened'))
    return wrong(form === 'opened' ? 'no tick shown opens the order' : 'the last tick shown opens the order');
  const { index, entry } = last;
  const values = { index, timeMs: entry.timeMs, fromMs, count: opening.length - 1 };
  if (answer.state === 'void') return { finding: { values }, voidReason: answer.reason };
  const { open } = valuesOf(subject);
  const price = open ? textOf(open, terms.direction) : '';
  return { finding: { values: { ...values, price } }, voidReason: null };
}

/** What the ticks that decide about an opened order are worth; null where there is none. */
function valuesOf(subject: Case): { open: Valued | null; settle: Valued | null } {
  const { opening, settling } = subject;
  const [open, settle] = [opening.at(-1), settling[0]].map((place) => {
    const entry = place && withFreshMs(subject, place.entry);
    return entry?.kind === 'tick' ? entry : null;
  });
  const isDeciding = settle && settling.length === 1 && isCurrent(settle);
  return { open: open ? atOpening(open) : null, settle: isDeciding ? atSettlement(settle) : null };
}

/** Rule 4: the entry of the settlement time, or the two around it, which show that there is none. Null: the order did not open. */
export function checkSettlement(subject: Case): Finding | null {
  const { form, terms, settling } = subject;
  const [first, second] = settling;
  if (form !== 'opened' || !first) return null;
  const broken = findBreak(settling, terms.symbol);
  if (broken !== null) return fault(broken);
  if (!second && first.entry.timeMs !== terms.settlesAt)
    return fault('the entry shown is not of the settlement time');
  if (second && (first.entry.timeMs >= terms.settlesAt || second.entry.timeMs <= terms.settlesAt))
    return fault('the settlement time is not between the two entries shown');
  const clash = findClash(subject);
  if (clash !== null) return fault(clash);
  const { settle } = valuesOf(subject);
  const { index, entry } = second ?? first;
  const values = { index, timeMs: entry.timeMs };
  if (settle) return { values: { ...values, what: 'current', price: textOf(settle, terms.direction) } };
  return { values: { ...values, what: second ? 'none' : entry.kind === 'gap' ? 'gap' : 'old' } };
}

/** The price rule for every tick and gap shown, each by itself, and quotes of sources that do not go back. */
export function checkPrices(subject: Case): Finding | null {
  const { opening, settling, rules, terms } = subject;
  const own = new Map([...opening, ...settling].map((place) => [place.index, place]));
  const places = [...own.values()].sort((one, other) => one.index - other.index);
  const named = new Set([terms.rulesHash]);
  const sources = new SourceQuotes();
  for (const { index, entry } of places) {
    named.add(entry.rulesHash);
    const found = rulesInForce(subject, entry.timeMs);
    const kind = `the ${entry.kind} at ${index}`;
    if (found?.hash !== entry.rulesHash || found.index >= index)
      return fault(`${kind}: its rules are not shown, or were not in force`);
    const wrong = judgeEntry(entry, found.rules) ?? sources.take(entry);
    if (wrong !== null) return fault(`${kind}: ${wrong}`);
  }
  if (rules.some(({ hash }) => !named.has(hash)))
    return fault('rules are shown that no entry and no acceptance names');
  return places.length === 0 ? null : { values: { count: places.length } };
}

/** Judges a tick or gap by its rules alone. @returns the fault, or null */
export function judgeEntry(entry: TickEntry | GapEntry, rules: DecidingRules): string | null {
  const { quotes, timeMs } = entry;
  if (timeMs % GRID_MS !== 0) return 'its time is not on the grid';
  if (quotes.length === 0 && entry.kind === 'gap' && entry.reason !== 'quorum') return null;
  const isComplete =
    quotes.length === rules.sources.length && quotes.every(({ source }, at) => source === rules.sources[at]);
  if (!isComplete) return 'its sources are not exactly those of the rules';
  const priced = quotes.filter((quote): quote is JudgedQuote => quote.use !== 'none');
  if ((entry.kind === 'tick' || priced.length > 0) && entry.decimals !== rules.decimals)
    return 'its prices have not the decimals of the product';
  const answer = decidePrice({ quotes: priced, timeMs, rules });
  if (answer.quotes.some(({ use }, at) => use !== quotes[at]?.use))
    return 'a quote was judged against the rule';
  if (entry.kind === 'gap')
    return entry.reason === 'quorum' && answer.price !== null
      ? 'there were enough sources for a price'
      : null;
  if (answer.price === null) return 'there were too few sources for a price';
  return answer.price === entry.price ? null : 'its price is not what the rule makes of its quotes';
}

/** A source's newest quote in the log, as plain JSON. */
export interface KnownQuote {
  readonly sourceMs: number;
  readonly receivedMs: number;
  /** The number, and the price in units of the 18th decimal, as decimal texts: rules may change a product's decimals. */
  readonly sourceSeq: string;
  readonly price: string;
}

/**
 * The newest quote of each source of a product. From entry to entry its number and times do not fall, one number has one price and one
 * set of times, and a source does not lose its quote.
 */
export class SourceQuotes {
  readonly known: Record<string, KnownQuote>;

  constructor(known: Record<string, KnownQuote> = {}) {
    this.known = known;
  }

  /** Takes the next entry. @returns the fault, or null */
  take({ quotes, decimals }: TickEntry | GapEntry): string | null {
    const unit = 10n ** BigInt(MOST_PLACES - decimals);
    for (const quote of quotes) {
      const before = Object.hasOwn(this.known, quote.source) ? this.known[quote.source] : undefined;
      if (quote.use === 'none') {
        if (before) return `${quote.source} had a quote before and has none`;
        continue;
      }
      const { sourceMs, receivedMs } = quote;
      const next = {
        sourceMs,
        receivedMs,
        sourceSeq: String(quote.sourceSeq),
        price: String(quote.price * unit),
      };
      if (before && (sourceMs < before.sourceMs || receivedMs < before.receivedMs))
        return `a time of ${quote.source} is older than before`;
      if (before && quote.sourceSeq < BigInt(before.sourceSeq))
        return `the number of ${quote.source}’s quote is lower than before`;
      if (before?.sourceSeq === next.sourceSeq && JSON.stringify(before) !== JSON.stringify(next))
        return `one number of ${quote.source} has two quotes`;
      this.known[quote.source] = next;
    }
    return null;
  }
}

/** What an outcome pays, with the decimals of the amount; null if the acceptance has no amount or rate. */
export function payoutOf(
  { amount, payoutRate }: Acceptance,
  { result, voidReason }: Verdict[Direction],
): string | null {
  const [stake, rate] = [unitsOf(amount), rateOf(payoutRate)];
  if (stake === null || rate === null) return null;
  const paid = {
    profit: stake + (stake * rate) / 10_000n,
    none: voidReason === null ? stake : voidPayout(stake),
    loss: 0n,
  }[result];
  return formatDecimal(paid, placesOf(amount));
}

/** Rules 4 to 6: recomputes the outcome and compares it with the receipt's. */
export function checkOutcome(subject: Case, unopened: VoidReason | null): Finding {
  const { terms, receipt } = subject;
  const { open, settle } = unopened === null ? valuesOf(subject) : { open: null, settle: null };
  const verdict = open
    ? verdictOf(open, settle)[terms.direction]
    : ({ result: 'none', voidReason: unopened } as const);
  const due = payoutOf(terms, verdict);
  if (due === null) return fault('the amount is none');
  const expected = {
    openPrice: open && textOf(open, terms.direction),
    settlePrice: settle && textOf(settle, terms.direction),
    result: verdict.result,
    payout: due,
    voidReason: verdict.voidReason,
  };
  for (const name of ['openPrice', 'settlePrice', 'result', 'payout', 'voidReason'] as const) {
    if (receipt.outcome[name] !== expected[name])
      return fault(`the ${name} is ${receipt.outcome[name]} where the rules make it ${expected[name]}`);
  }
  const { result, payout, voidReason } = expected;
  return { values: { result, payout, asset: terms.asset, voidReason: voidReason ?? '' } };
}
