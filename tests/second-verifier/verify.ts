import {
  type Form,
  fail,
  type Move,
  must,
  type Outcome,
  type Receipt,
  readReceipt,
  type Shown,
} from './document.ts';
import { type Gap, type Quote, type Rules, type Tick, unitsOf } from './entries.ts';
import { follow, validAt } from './hand-overs.ts';
import {
  type Checkpoint,
  isConsistent,
  isIncluded,
  leafOf,
  Refused,
  readCheckpoint,
  readJson,
  sizeNamed,
  type TrustedKey,
} from './reading.ts';

/**
 * A second verifier of receipts, written from docs/receipt-format.md alone. It shares no code with packages/proof or with the
 * server, so that an error must be made twice to go unnoticed.
 */
export type Verdict =
  | {
      readonly valid: true;
      readonly form: Form;
      readonly outcome: Outcome;
      readonly limits: readonly string[];
    }
  | { readonly valid: false; readonly refusedBy: string; readonly why: string };

/** @param keys of the log and of its acceptances, from any source but the receipt */
export function verify(text: string, keys: { log: TrustedKey; acceptances: TrustedKey }): Verdict {
  try {
    must(text.length <= 2_000_000, 'form', 'too long');
    const receipt = readReceipt(readJson(text, 'form'));
    const followed = follow(keys, receipt.handOvers);
    const accepting = validAt(followed.acceptances, receipt.acceptance.logSize, 'acceptance');
    const own = checkAcceptance(receipt, accepting);
    const rules = checkRules(receipt);
    const size = sizeNamed(receipt.checkpoint) ?? fail('checkpoint', 'not a checkpoint');
    const checkpoint = readCheckpoint(
      receipt.checkpoint,
      validAt(followed.log, size, 'checkpoint'),
      'checkpoint',
    );
    must(
      keys.acceptances.name === `${keys.log.name}/acceptances`,
      'checkpoint',
      'acceptances of another log',
    );
    checkEntries(receipt, checkpoint);
    checkConsistency(receipt, checkpoint);
    checkSeen(receipt);
    checkLogged(receipt, own);
    const voidReason = checkOpening(receipt, rules);
    checkSettlement(receipt);
    checkPrices(receipt, receipt.opening);
    checkPrices(receipt, receipt.settling);
    checkRulesShown(receipt);
    const outcome = settle(receipt, rules, voidReason);
    must(JSON.stringify(outcome) === JSON.stringify(receipt.outcome), 'outcome', 'another outcome');
    return { valid: true, form: receipt.form, outcome, limits: limitsOf(receipt) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { valid: false, refusedBy: error.check, why: error.message };
  }
}

/* ---- the checks, by their numbers on the page ---- */

function checkAcceptance(receipt: Receipt, key: TrustedKey): Checkpoint {
  const note = readCheckpoint(receipt.signed, key, 'acceptance');
  must(note.size === receipt.size, 'acceptance', 'another size than the note');
  const included = isIncluded(leafOf(receipt.text), receipt.index, note.size, receipt.proof, note.root);
  must(included, 'acceptance', 'the text is not in the batch');
  return note;
}

const shownRules = (receipt: Receipt, rulesHash: string): Shown<Rules> | undefined =>
  receipt.rules.find(({ leaf }) => leaf.toString('hex') === rulesHash);

function checkRules(receipt: Receipt): Rules {
  const { acceptance } = receipt;
  const shown = shownRules(receipt, acceptance.rulesHash) ?? fail('rules', 'not shown');
  const rules = shown.entry;
  must(rules.symbol === acceptance.symbol, 'rules', 'of another product');
  must(shown.index < acceptance.logSize, 'rules', 'logged after the acceptance');
  must(rules.effectiveMs <= acceptance.acceptedAt, 'rules', 'not in force yet');
  const cycle = rules.cycles.find(({ minutes }) => minutes === acceptance.minutes);
  const rate = cycle && tenThousandths(cycle.payoutRate);
  must(rate === tenThousandths(acceptance.payoutRate), 'rules', 'another payout rate');
  const due = BigInt(acceptance.acceptedAt) + BigInt(acceptance.minutes) * 60_000n;
  must(
    BigInt(acceptance.settlesAt) === ((due + 999n) / 1000n) * 1000n,
    'rules',
    'another time of settlement',
  );
  return rules;
}

/** Normalizes a rate: 0.8 and 0.80 are the same. */
const tenThousandths = (rate: string): bigint => {
  const [whole = '', part = ''] = rate.split('.');
  return BigInt(whole + part.padEnd(4, '0'));
};

function checkRulesShown({ acceptance, rules, opening, settling }: Receipt): void {
  const ticks = [...opening, ...settling].map(({ entry }) => entry).filter((entry) => entry.type === 'tick');
  const wanted = [...new Set([acceptance.rulesHash, ...ticks.map((tick) => tick.rulesHash)])].sort();
  const there = rules.map(({ leaf }) => leaf.toString('hex')).sort();
  must(wanted.join() === there.join(), 'prices', 'rules that nothing names, or the other way round');
}

function checkEntries({ all }: Receipt, { size, root }: Checkpoint): void {
  for (const { leaf, index, proof, role } of all)
    must(isIncluded(leaf, index, size, proof, root), 'entries', `${role} ${index} is not in the log`);
}

function checkConsistency({ acceptance, consistency, beforeAccept }: Receipt, log: Checkpoint): void {
  const { fromSize, fromRoot, proof } = consistency;
  const same = fromSize === acceptance.logSize && fromRoot.equals(acceptance.logRoot);
  must(same, 'consistency', 'from another log than that of the acceptance');
  must(isConsistent(fromSize, log.size, proof, fromRoot, log.root), 'consistency', 'not the same log');
  must(beforeAccept.index === acceptance.logSize - 1, 'consistency', 'another entry before the acceptance');
  const { entry } = beforeAccept;
  if (entry.type !== 'rules' && entry.type !== 'other')
    must(entry.timeMs <= acceptance.acceptedAt, 'consistency', 'the log was later than the acceptance says');
}

function checkSeen({ acceptance, seen }: Receipt): void {
  must((seen === null) === (acceptance.seen === null), 'seen', 'something seen, or the other way round');
  if (!seen || !acceptance.seen) return;
  const same = seen.fromSize === acceptance.seen.size && seen.fromRoot.equals(acceptance.seen.root);
  must(same && seen.fromSize <= acceptance.logSize, 'seen', 'another log than the one seen');
  const leads = isConsistent(
    seen.fromSize,
    acceptance.logSize,
    seen.proof,
    seen.fromRoot,
    acceptance.logRoot,
  );
  must(leads, 'seen', 'the log seen is not the log of the acceptance');
}

function checkLogged(receipt: Receipt, own: Checkpoint): void {
  const { acceptance, batch, form } = receipt;
  const latest = acceptance.acceptedAt + 2000;
  if (batch === null) {
    const head = receipt.head ?? fail('logged', 'nothing shows how late it is');
    must(head.entry.timeMs > latest && head.index >= acceptance.logSize, 'logged', 'there is still time');
    return;
  }
  const orders = receipt.orders ?? fail('logged', 'no entry carries the batch');
  const { first, last, root, timeMs } = orders.entry;
  must(first <= batch.number && batch.number <= last, 'logged', 'of other batches');
  const place = batch.number - first;
  const there = isIncluded(leafOf(own.root), place, last - first + 1, batch.proof, root);
  must(there, 'logged', 'the batch is not in this entry');
  must(orders.index >= acceptance.logSize, 'logged', 'before the acceptance, by its place');
  must(timeMs >= acceptance.acceptedAt, 'logged', 'before the acceptance, by its time');
  must(timeMs > latest === (form === 'late'), 'logged', 'late, or the other way round');
}

function checkRun(run: readonly Move[], check: string): void {
  run.forEach(({ entry, index }, at) => {
    const before = run[at - 1];
    if (!before) must(entry.type === 'tick', check, 'a run that begins with a gap');
    else {
      must(entry.n === before.entry.n + 1, check, 'numbers');
      must(index > before.index && entry.timeMs >= before.entry.timeMs, check, 'order of the run');
    }
  });
}

/** Returns the reason if the order is void, else null. */
function checkOpening(receipt: Receipt, rules: Rules): string | null {
  const { acceptance, opening, open, head, form } = receipt;
  if (form === 'late' || form === 'unlogged') return 'not_logged';
  const orders = receipt.orders ?? fail('opening', 'no orders');
  checkRun(opening, 'opening');
  const before = opening.filter(({ index }) => index < orders.index);
  const after = opening.filter(({ index }) => index > orders.index);
  must(before.length + after.length === opening.length, 'opening', 'orders are no prices');
  must(before.length > 0, 'opening', 'not from before the orders on');
  must(
    before.slice(1).every(({ entry }) => entry.type === 'gap'),
    'opening',
    'from an earlier tick than needed',
  );
  const around = [before.at(-1)?.entry.timeMs ?? 0, orders.entry.timeMs, after[0]?.entry.timeMs ?? Infinity];
  must(
    around.every((time, at) => at === 0 || time >= (around[at - 1] ?? 0)),
    'opening',
    'orders out of time',
  );
  const from = acceptance.acceptedAt + rules.delayMs;
  const by = Math.min(from + 5000, acceptance.settlesAt);
  const decided = after.map(({ entry }) => decide(entry, from, by));
  if (form === 'unopened' && head) {
    const last = opening.at(-1);
    must(
      decided.every((each) => each === null),
      'opening',
      'decided before it was too late',
    );
    must(last?.entry.type === 'gap' && head.index > last.index, 'opening', 'not after a gap');
    must(head.entry.timeMs > by, 'opening', 'there is still time to open');
    return 'no_open';
  }
  const last = decided.at(-1);
  must(open !== null && after.at(-1) === open, 'opening', 'opened before it was logged');
  must(
    decided.slice(0, -1).every((each) => each === null),
    'opening',
    'decided earlier',
  );
  must(last != null && (last === 'opens') === (form === 'opened'), 'opening', 'decided otherwise');
  return last === 'opens' ? null : (last ?? null);
}

function decide(entry: Tick | Gap, from: number, by: number): 'no_open' | 'gap' | 'opens' | null {
  if (entry.timeMs > by) return 'no_open';
  if (entry.type === 'gap') return 'gap';
  const used = entry.quotes.filter(({ use }) => use === 'use');
  const fresh = used.filter(({ receivedMs }) => receivedMs >= from);
  return entry.timeMs >= from && fresh.length * 2 > used.length ? 'opens' : null;
}

function checkSettlement(receipt: Receipt): void {
  const { acceptance, opening, settling, head } = receipt;
  if (receipt.form !== 'opened') return;
  const open = receipt.open ?? fail('settlement', 'not opened');
  const settle = receipt.settle ?? fail('settlement', 'not settled');
  checkRun(settling, 'settlement');
  const at = settling.indexOf(settle);
  const after = settling.slice(at + 1);
  const last = after.at(-1) ?? fail('settlement', 'nothing after it');
  must(
    settling.slice(1, at).every(({ entry }) => entry.type === 'gap'),
    'settlement',
    'from an earlier tick than needed',
  );
  for (const one of opening)
    for (const two of settling) {
      const order = Math.sign(one.entry.n - two.entry.n);
      must(order === Math.sign(one.index - two.index), 'settlement', 'the runs contradict each other');
      must(order !== 0 || one.text === two.text, 'settlement', 'one number, two entries');
    }
  must(settle.entry.timeMs <= acceptance.settlesAt, 'settlement', 'settled by a later tick');
  must(settle.entry.n >= open.entry.n, 'settlement', 'settled before it opened');
  const inTime = (move: Move) => move.entry.type === 'gap' && move.entry.timeMs <= acceptance.settlesAt;
  must(after.slice(0, -1).every(inTime), 'settlement', 'a later tick in time');
  if (head === null) must(last.entry.timeMs > acceptance.settlesAt, 'settlement', 'there may be a later one');
  else {
    const silent = inTime(last) && head.index > last.index && head.entry.timeMs > acceptance.settlesAt;
    must(silent, 'settlement', 'nothing shows that no price came');
  }
}

/* ---- prices ---- */

function checkPrices(receipt: Receipt, run: readonly Move[]): void {
  let previous: Tick | null = null;
  for (const { entry, index } of run) {
    if (entry.type === 'gap') continue;
    const shown = shownRules(receipt, entry.rulesHash) ?? fail('prices', 'rules of a tick are not shown');
    const rules = shown.entry;
    must(rules.symbol === entry.symbol, 'prices', 'rules of another product');
    must(shown.index < index && rules.effectiveMs <= entry.timeMs, 'prices', 'rules that came later');
    must(entry.decimals === rules.decimals, 'prices', 'decimals');
    must(
      entry.quotes.every(({ source }) => rules.sources.includes(source)),
      'prices',
      'a source of none',
    );
    must(entry.timeMs % 250 === 0, 'prices', 'off the grid');
    if (previous) checkTick(entry, previous, rules);
    previous = entry;
  }
}

function checkTick(tick: Tick, previous: Tick, rules: Rules): void {
  const isStale = ({ sourceMs, receivedMs }: Quote) =>
    receivedMs > tick.timeMs || tick.timeMs - Math.min(sourceMs, receivedMs) > rules.staleMs;
  const alive = tick.quotes.filter((quote) => !isStale(quote));
  const m = medianOf(alive, previous.units);
  const isFar = ({ price }: Quote) =>
    (price > m ? price - m : m - price) * 10_000n > m * BigInt(rules.outlierBps);
  for (const quote of tick.quotes) {
    const use = isStale(quote) ? 'stale' : isFar(quote) ? 'outlier' : 'use';
    must(quote.use === use, 'prices', `${quote.source} is ${use}`);
  }
  const used = tick.quotes.filter(({ use }) => use === 'use');
  must(used.length >= Math.max(1, rules.quorum), 'prices', 'too few sources');
  const isNew = used.some(({ receivedMs }) => receivedMs > previous.timeMs);
  must(tick.isNew === isNew, 'prices', 'new, or the other way round');
  const price = isNew ? medianOf(used, previous.units) : previous.units;
  must(tick.units === price, 'prices', 'another price than the sources give');
}

function medianOf(quotes: readonly Quote[], near: bigint): bigint {
  const sorted = quotes.map(({ price }) => price).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0n;
  const high = sorted[Math.floor(sorted.length / 2)] ?? 0n;
  const away = (price: bigint) => (price > near ? price - near : near - price);
  return away(high) < away(low) ? high : low;
}

/* ---- the outcome ---- */

function settle(receipt: Receipt, rules: Rules, voided: string | null): Outcome {
  const { amount, payoutRate, direction, settlesAt } = receipt.acceptance;
  const decimals = amount.split('.')[1]?.length ?? 0;
  const stake = unitsOf(amount);
  const payout = (units: bigint): string => {
    const digits = units.toString().padStart(decimals + 1, '0');
    return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  };
  const { open, settle: last } = receipt;
  if (voided !== null || open?.entry.type !== 'tick' || last === null)
    return {
      openPrice: null,
      settlePrice: null,
      result: 'none',
      payout: payout(stake),
      voidReason: voided,
    };
  const prices = { openPrice: open.entry.price, settlePrice: last.entry.price };
  const moved = last.entry.units - open.entry.units;
  if (direction === 'up' ? moved > 0n : moved < 0n) {
    const scale = 10n ** BigInt(payoutRate.split('.')[1]?.length ?? 0);
    const profit = (stake * unitsOf(payoutRate)) / scale;
    return { ...prices, result: 'profit', payout: payout(stake + profit), voidReason: null };
  }
  if (settlesAt - last.entry.timeMs > rules.settleBoundMs)
    return { ...prices, result: 'none', payout: payout(stake), voidReason: 'stale' };
  if (moved === 0n) return { ...prices, result: 'none', payout: payout(stake), voidReason: null };
  return { ...prices, result: 'loss', payout: payout(0n), voidReason: null };
}

function limitsOf({ form, head }: Receipt): string[] {
  const silent = form === 'unlogged' ? ['unlogged'] : head ? ['silence'] : [];
  return [...silent, 'witnesses', 'uniqueness', 'quotes', 'clicks', 'solvency'];
}
