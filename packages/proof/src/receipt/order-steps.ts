/** The verifier's checks of an order's rules: opening, settlement, prices, outcome. */
import { formatDecimal, type Minor, parseAmount, parseRate, payoutFloor } from '@fairtick/money';
import {
  decideOpening,
  decidePrice,
  decideSettlement,
  GRID_MS,
  type Opening,
  type OpeningQuestion,
  type Result,
  type VoidReason,
} from '@fairtick/trading';
import type { TickEntry } from '../entry.ts';
import { type Case, type Placed, type SymbolPlaced, timeOf } from './case.ts';
import { type Finding, fault, isSameLeaf, rulesAt } from './steps.ts';

/** Numbers must rise by one from entry to entry of a run, and neither log index nor time may fall. */
function findBreak(run: readonly SymbolPlaced[]): string | null {
  for (const [at, { index, entry }] of run.entries()) {
    const before = run[at - 1];
    if (!before) continue;
    if (entry.n !== before.entry.n + 1)
      return `between ${before.index} and ${index} the numbers do not follow`;
    if (index <= before.index || entry.timeMs < before.entry.timeMs)
      return `the entry at ${index} is older than the one before it`;
  }
  return null;
}

/** Whether a run starts no earlier than necessary: only gaps stand between its first entry and log index `until`. */
const isTight = (run: readonly SymbolPlaced[], until: number): boolean =>
  run.every(({ index, entry }, at) => at === 0 || index >= until || entry.kind === 'gap');

/** Checks that both runs belong to one series: equal numbers mean the same entry, and a higher number a higher log index. */
function findClash({ opening, settling }: Case): string | null {
  for (const early of opening) {
    for (const late of settling) {
      const order = Math.sign(late.entry.n - early.entry.n);
      const isRight =
        order === 0
          ? late.index === early.index && isSameLeaf(late, early)
          : Math.sign(late.index - early.index) === order;
      if (!isRight) return `the entries at ${early.index} and ${late.index} are not of one series`;
    }
  }
  return null;
}

/** Rules 3 and 5: every entry of the product since the `orders` entry is shown, and the last one decided the opening. */
export function checkOpening(subject: Case): { finding: Finding; voidReason: VoidReason | null } {
  const wrong = (text: string) => ({ finding: fault(text), voidReason: null });
  const { form, terms, orders, opening, head } = subject;
  if (form === 'late' || form === 'unlogged') return { finding: { values: {} }, voidReason: 'not_logged' };
  const delayMs = subject.rules.get(terms.rulesHash)?.rules.delayMs;
  const [first, last] = [opening[0], opening.at(-1)];
  if (!orders || !first || !last || delayMs === undefined) return wrong('nothing is shown of the opening');
  const gap = findBreak(opening);
  if (gap !== null) return wrong(gap);
  if (first.entry.kind !== 'tick' || first.index >= orders.index)
    return wrong('the tick before the orders entry is not shown');
  if (!isTight(opening, orders.index))
    return wrong('earlier ticks are shown than the last before the orders entry');
  const after = opening.filter(({ index }) => index > orders.index).map(({ entry }) => entry);
  const before = opening[opening.length - after.length - 1]?.entry;
  const outOfTime =
    (before?.timeMs ?? 0) > orders.entry.timeMs || (after[0]?.timeMs ?? Infinity) < orders.entry.timeMs;
  if (outOfTime || opening.some(({ index }) => index === orders.index))
    return wrong('the orders entry does not stand in the order of times');

  const question = { acceptedAtMs: terms.acceptedAt, settlesAtMs: terms.settlesAt, delayMs };
  const decide = (entries: OpeningQuestion['entries'], logTimeMs: number): Opening =>
    decideOpening({ ...question, loggedAtMs: orders.entry.timeMs, entries, logTimeMs });
  const values = {
    index: last.index,
    timeMs: last.entry.timeMs,
    fromMs: terms.acceptedAt + delayMs,
    count: after.length,
  };
  if (form === 'opened') {
    const answer = decide(after, 0);
    if (answer.state !== 'open' || answer.tick !== last.entry)
      return wrong('the opening tick is not the first that may open the order');
    const price = formatDecimal(answer.tick.price, (last.entry as TickEntry).decimals);
    return { finding: { values: { ...values, price } }, voidReason: null };
  }
  if (head)
    return judgeSilence(last, head, {
      pending: decide(after, 0),
      passed: decide(after, timeOf(head.entry) ?? 0),
    });
  const answer = decide(after, 0);
  if (answer.state !== 'void' || decide(after.slice(0, -1), 0).state !== 'pending')
    return wrong('nothing shown kept the order from opening');
  return { finding: { values }, voidReason: answer.reason };
}

/** Checks that prices stopped before the `orders` entry and did not return within the time to open. */
function judgeSilence(
  last: SymbolPlaced,
  head: Placed,
  answers: { pending: Opening; passed: Opening },
): { finding: Finding; voidReason: VoidReason | null } {
  const { pending, passed } = answers;
  if (
    last.entry.kind !== 'gap' ||
    head.index <= last.index ||
    pending.state !== 'pending' ||
    passed.state !== 'void'
  )
    return {
      finding: fault('the log had not passed the time in which the order may open'),
      voidReason: null,
    };
  const values = { index: last.index, timeMs: timeOf(head.entry) ?? 0, fromMs: last.entry.timeMs, count: 0 };
  return { finding: { values }, voidReason: passed.reason };
}

/** Rule 4: the settlement tick is the last one at or before the settlement time. Null if the order did not open. */
export function checkSettlement(subject: Case): Finding | null {
  const { form, terms, opening, settling, settleAt, head } = subject;
  if (form !== 'opened') return null;
  const gap = findBreak(settling) ?? findClash(subject);
  if (gap !== null) return fault(gap);
  const settle = settling[settleAt] as Placed<TickEntry>;
  const open = opening.at(-1) as SymbolPlaced;
  if (settling[0]?.entry.kind !== 'tick') return fault('the tick before the settlement tick is not shown');
  if (!isTight(settling, settle.index))
    return fault('earlier ticks are shown than the last before the settlement tick');
  if (settle.entry.timeMs > terms.settlesAt)
    return fault('the settlement tick is later than the settlement time');
  if (settle.index < open.index) return fault('the settlement tick is older than the opening tick');
  const after = settling.slice(settleAt + 1);
  const last = after.at(-1) as SymbolPlaced;
  // Only gaps may stand between the settlement tick and the settlement time.
  const isEarly = ({ entry }: SymbolPlaced) => entry.timeMs <= terms.settlesAt;
  if (after.slice(0, -1).some((place) => !isEarly(place) || place.entry.kind !== 'gap'))
    return fault('the settlement tick is not the last at or before the settlement time');
  if (isEarly(last)) {
    const headMs = head ? timeOf(head.entry) : null;
    if (
      last.entry.kind !== 'gap' ||
      !head ||
      headMs === null ||
      headMs <= terms.settlesAt ||
      head.index <= last.index
    )
      return fault('the settlement tick is not the last at or before the settlement time');
  } else if (head) {
    return fault('an entry is shown that proves nothing');
  }
  const price = formatDecimal(settle.entry.price, settle.entry.decimals);
  const values = { index: settle.index, timeMs: settle.entry.timeMs, price, afterMs: last.entry.timeMs };
  return { values: { ...values, settlesAtMs: terms.settlesAt } };
}

/** Checks the price rule for every tick shown except the first of each run, whose previous price is not shown. */
export function checkPrices(subject: Case): Finding {
  const used = new Set([subject.terms.rulesHash]);
  let count = 0;
  for (const run of [subject.opening, subject.settling]) {
    let previous: TickEntry | null = null;
    for (const { index, entry } of run) {
      if (entry.kind === 'gap') continue;
      const wrong = judgeTick(subject, { index, entry }, previous);
      if (wrong !== null) return fault(`the tick at ${index}: ${wrong}`);
      if (previous !== null) count += 1;
      used.add(entry.rulesHash);
      previous = entry;
    }
  }
  if (used.size !== subject.rules.size) return fault('rules are shown that no tick and no acceptance names');
  return { values: { count } };
}

function judgeTick(
  subject: Case,
  { index, entry }: { index: number; entry: TickEntry },
  previous: TickEntry | null,
): string | null {
  const found = rulesAt(subject, entry.rulesHash, { index, timeMs: entry.timeMs });
  if (!found) return 'its rules are not shown, or were not in force';
  const { rules } = found;
  if (entry.decimals !== rules.decimals) return 'its price has not the decimals of the product';
  if (entry.timeMs % GRID_MS !== 0) return 'its time is not on the grid';
  if (entry.quotes.some(({ source }) => !rules.sources.includes(source)))
    return 'a source is none of the product’s';
  if (previous === null) return null;
  const answer = decidePrice({ quotes: entry.quotes, timeMs: entry.timeMs, previous, rules });
  if (answer.kind !== 'price') return 'there were too few sources for a price';
  if (answer.isNew !== entry.isNew)
    return entry.isNew ? 'it repeats a price but says new' : 'it is new but says the same';
  if (answer.price !== entry.price) return 'its price is not what the rule makes of its quotes';
  if (answer.quotes.some(({ use }, at) => use !== entry.quotes[at]?.use))
    return 'a quote was judged against the rule';
  return null;
}

/** Rules 5 and 6: recomputes the outcome and compares it with the receipt's. */
export function checkOutcome(subject: Case, unopened: VoidReason | null): Finding {
  const { terms, receipt, opening, settling, settleAt } = subject;
  const dot = terms.amount.indexOf('.');
  const scale = dot < 0 ? 0 : terms.amount.length - dot - 1;
  const stake = parseAmount(terms.amount, scale);
  const rate = parseRate(terms.payoutRate);
  const rules = subject.rules.get(terms.rulesHash)?.rules;
  if (stake === null || rate === null || !rules) return fault('the amount is none');
  const [open, settle] =
    unopened === null
      ? [opening.at(-1)?.entry as TickEntry, settling[settleAt]?.entry as TickEntry]
      : [null, null];
  let verdict: { result: Result; voidReason: VoidReason | null } = { result: 'none', voidReason: unopened };
  if (open && settle) {
    verdict = decideSettlement({
      openPrice: open.price,
      settleTick: settle,
      settlesAtMs: terms.settlesAt,
      settleBoundMs: rules.settleBoundMs,
    })[terms.direction];
  }
  const paid = { profit: (stake + payoutFloor(stake, rate)) as Minor, none: stake, loss: 0n }[verdict.result];
  const expected = {
    openPrice: open && formatDecimal(open.price, open.decimals),
    settlePrice: settle && formatDecimal(settle.price, settle.decimals),
    result: verdict.result,
    payout: formatDecimal(paid, scale),
    voidReason: verdict.voidReason,
  };
  for (const name of ['openPrice', 'settlePrice', 'result', 'payout', 'voidReason'] as const) {
    if (receipt.outcome[name] !== expected[name])
      return fault(`the ${name} is ${receipt.outcome[name]} where the rules make it ${expected[name]}`);
  }
  const { result, payout, voidReason } = expected;
  return { values: { result, payout, asset: terms.asset, voidReason: voidReason ?? '' } };
}
