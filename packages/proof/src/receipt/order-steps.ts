/** The verifier's checks of an order's rules: opening, settlement, prices, outcome. */
import { formatDecimal } from '@fairtick/money';
import { type Direction, MOST_FIX_WAIT_MS, type Verdict, voidPayout } from '@fairtick/trading';
import type { Acceptance } from '../acceptance.ts';
import { placesOf, rateOf, unitsOf } from '../decimal.ts';
import { findClash, isCloseOf, judgeClose, judgeFix } from './fix-judge.ts';
import { type FixPair, resultsOf, textOfPrice } from './fixed-result.ts';
import { type Finding, fault, rulesInForce, type Values } from './log-steps.ts';
import { type Case, type PlacedFix, timeOf } from './parsed-receipt.ts';
import type { ReceiptOutcome } from './receipt.ts';

/** The product's fix of a time, and its close where a second entry is shown. @returns the fault, or null */
function findStranger([fix, close]: readonly PlacedFix[], symbol: string, fixMs: number): string | null {
  if (fix?.entry.kind !== 'fix') return 'no fix is shown';
  if (fix.entry.symbol !== symbol) return `the fix at ${fix.index} is of another product`;
  if (fix.entry.fixMs !== fixMs) return `the fix at ${fix.index} is of another second`;
  if (close && (close.entry.kind !== 'close' || !isCloseOf(close.entry, fix.entry)))
    return `the entry at ${close.index} does not close that fix`;
  const late = [fix, close].find((place) => place && place.entry.timeMs > fixMs + MOST_FIX_WAIT_MS);
  return late ? `the entry at ${late.index} was written more than 24 hours after its second` : null;
}

const valuesOf = ([fix, close]: readonly PlacedFix[]): Values => ({
  ...(fix ? { index: fix.index, timeMs: fix.entry.fixMs, price: textOfPrice(fix.entry) } : {}),
  ...(close ? { closeIndex: close.index, closePrice: textOfPrice(close.entry) } : {}),
});

/** Whether too few sources count in a fix, as it says itself; null where its rules are not shown, which {@link checkPrices} refuses. */
function isThin({ rules }: Case, { entry: { rulesHash, records } }: PlacedFix): boolean | null {
  const named = rules.find(({ hash }) => hash === rulesHash)?.rules;
  return named ? records.filter(({ use }) => use === 'use').length < named.quorum : null;
}

/** Null: no fix of the opening time is shown. */
export function checkOpening(subject: Case): Finding | null {
  const { form, terms, opening } = subject;
  const [fix] = opening;
  if (!fix) return null;
  const stranger = findStranger(opening, terms.symbol, terms.opensAt);
  if (stranger !== null) return fault(stranger);
  const isVoid = form === 'unopened';
  if (isThin(subject, fix) === !isVoid)
    return fault(
      isVoid
        ? 'enough sources count in the fix, so it opens the order'
        : 'too few sources count in the fix, so it opens nothing',
    );
  const { index, timeMs } = valuesOf([fix]);
  return { values: isVoid ? { index: index ?? '', timeMs: timeMs ?? '' } : valuesOf(opening) };
}

/** Null: the order did not open. */
export function checkSettlement({ form, terms, opening, settling, waited }: Case): Finding | null {
  if (waited) {
    const missingMs = opening.length === 0 ? terms.opensAt : terms.settlesAt;
    const timeMs = timeOf(waited.entry) ?? Number.NaN;
    return timeMs >= missingMs + MOST_FIX_WAIT_MS
      ? { values: { index: waited.index, timeMs: missingMs } }
      : fault('the entry shown is not 24 hours later than the fix that is missing');
  }
  const [open, settle] = [opening[0], settling[0]];
  if (form !== 'opened' || !open || !settle) return null;
  const stranger = findStranger(settling, terms.symbol, terms.settlesAt);
  if (stranger !== null) return fault(stranger);
  if (settle.entry.n <= open.entry.n || settle.index <= open.index)
    return fault('the fix that settles does not come after the one that opens');
  return { values: valuesOf(settling) };
}

/** Checks each fix and close by the price rule, and that their records agree. Null: none is shown. */
export function checkPrices(subject: Case): Finding | null {
  const { opening, settling, rules, terms } = subject;
  const places = [...opening, ...settling].sort((one, other) => one.index - other.index);
  const wrong = ({ entry, index }: PlacedFix, text: string) =>
    fault(`the ${entry.kind} at ${index}: ${text}`);
  for (const place of places) {
    const found = rulesInForce(subject, place.entry.fixMs);
    if (found?.hash !== place.entry.rulesHash || found.index >= place.index)
      return wrong(place, 'its rules are not shown, or were not in force');
    const text = judgeFix(place.entry, found.rules);
    if (text !== null) return wrong(place, text);
  }
  for (const [fix, close] of [opening, settling]) {
    const text = fix && close ? judgeClose(fix.entry, close.entry) : null;
    if (close && text !== null) return wrong(close, text);
  }
  for (const [at, later] of places.entries()) {
    for (const earlier of places.slice(0, at)) {
      const text = findClash(earlier.entry, later.entry);
      if (text !== null) return wrong(later, text);
    }
  }
  const named = new Set([terms.rulesHash, ...places.map(({ entry }) => entry.rulesHash)]);
  if (rules.some(({ hash }) => !named.has(hash)))
    return fault('rules are shown that no entry and no acceptance names');
  return places.length === 0 ? null : { values: { count: places.length } };
}

/** What a result pays, with the decimals of the amount; null if the acceptance has no amount or rate. */
export function payoutOf(
  { amount, payoutRate }: Acceptance,
  { result, voidReason }: Verdict[Direction],
): string | null {
  const [stake, rate] = [unitsOf(amount), rateOf(payoutRate)];
  if (stake === null || rate === null) return null;
  const paid = {
    profit: stake + (stake * rate) / 10_000n,
    none: voidReason === null ? stake : voidPayout(stake, voidReason),
    loss: 0n,
  }[result];
  return formatDecimal(paid, placesOf(amount));
}

/** Null prices where no fix decided. */
function resultOf({ form, terms, opening, settling }: Case): Omit<ReceiptOutcome, 'payout'> {
  const nothing = { openPrice: null, settlePrice: null, voidReason: null };
  if (form === 'late') return { ...nothing, result: 'none', voidReason: 'not_logged' };
  if (form === 'unopened') return { ...nothing, result: 'none', voidReason: 'no_price' };
  const [open, settle] = [pairOf(opening), pairOf(settling)];
  if (!open || !settle) return { ...nothing, result: 'profit' };
  const counted = resultsOf(open, settle)[terms.direction];
  return {
    ...nothing,
    openPrice: textOfPrice(counted.open),
    settlePrice: textOfPrice(counted.settle),
    result: counted.result,
  };
}

type Priced = PlacedFix['entry'] & { readonly index: number };

function pairOf([fix, close]: readonly PlacedFix[]): FixPair<Priced> | null {
  const priced = ({ entry, index }: PlacedFix): Priced => ({ ...entry, index });
  return fix ? { fix: priced(fix), close: close ? priced(close) : null } : null;
}

export function checkOutcome(subject: Case): Finding {
  const { terms, receipt } = subject;
  const counted = resultOf(subject);
  const payout = payoutOf(terms, counted);
  if (payout === null) return fault('the amount is none');
  const expected: ReceiptOutcome = { ...counted, payout };
  for (const name of ['openPrice', 'settlePrice', 'result', 'payout', 'voidReason'] as const) {
    if (receipt.outcome[name] !== expected[name])
      return fault(`the ${name} is ${receipt.outcome[name]} where the rules make it ${expected[name]}`);
  }
  const { result, voidReason } = expected;
  return { values: { result, payout, asset: terms.asset, voidReason: voidReason ?? '' } };
}
