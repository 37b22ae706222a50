import { named } from './checks.ts';
import type { Receipt, ShownFix } from './document.ts';
import type { Fix } from './entries.ts';
import { must } from './ground.ts';

/** Checks 9 and 10: the fixes at which an order opens and settles. */
const DAY_MS = 86_400_000;

/** A fix of this time, and its close where a second entry is shown. */
function checkPair([fix, close]: readonly ShownFix[], symbol: string, fixMs: number, check: string): void {
  const own = fix?.entry;
  must(own?.type === 'fix' && own.symbol === symbol && own.fixMs === fixMs, check, 'no fix of this time');
  const isSoon = [fix, close].every((shown) => !shown || shown.entry.timeMs - fixMs <= DAY_MS);
  must(isSoon, check, 'later than a day');
  if (!fix || !close) return;
  must(close.entry.type === 'close', check, 'two fixes');
  must(nameOf(close.entry) === nameOf(fix.entry), check, 'a close of another fix');
  must(close.index > fix.index, check, 'a close before its fix');
}
const nameOf = ({ symbol, n, fixMs, rulesHash }: Fix): string => [symbol, n, fixMs, rulesHash].join();

/** Whether too few sources count, as the fix says it; null where its rules are not shown. */
export function isThin({ parts, rulesHash }: Fix, rules: Receipt['rules']): boolean | null {
  const quorum = named(rules, rulesHash)?.entry.quorum;
  return quorum === undefined ? null : parts.filter(({ use }) => use === 'use').length < quorum;
}

/** Check 9. */
export function checkOpening({ acceptance, form, opening, rules }: Receipt): void {
  const [fix] = opening;
  if (!fix) return;
  checkPair(opening, acceptance.symbol, acceptance.opensAt, 'opening');
  // Where the rules are not shown, check 11 refuses.
  const isWrong = isThin(fix.entry, rules) === (form !== 'unopened');
  must(!isWrong, 'opening', 'a price where there is none, or none where there is one');
}

/** Check 10. */
export function checkSettlement({ acceptance, form, opening, settling, waited }: Receipt): void {
  const { symbol, opensAt, settlesAt } = acceptance;
  const [open] = opening;
  if (form === 'opened') {
    checkPair(settling, symbol, settlesAt, 'settlement');
    const [settle] = settling;
    const isLater = !!open && !!settle && settle.entry.n > open.entry.n && settle.index > open.index;
    must(isLater, 'settlement', 'settled before it opened, by number or place');
  }
  const missingMs = open ? settlesAt : opensAt;
  const isWaited = !waited || waited.entry.timeMs - missingMs >= DAY_MS;
  must(isWaited, 'settlement', 'not waited for a day');
}
