import {
  checkAcceptance,
  checkCheckpoint,
  checkConsistency,
  checkEntries,
  checkLogged,
  checkRules,
  checkSeen,
} from './checks.ts';
import {
  type Form,
  type Outcome,
  type Receipt,
  readAccepted,
  readLogged,
  readReceipt,
  type VoidReason,
} from './document.ts';
import { readEntry } from './entries.ts';
import { decimalsOf, fail, leafOf, must, Refused, readJson, unitsOf } from './ground.ts';
import { followHandOvers } from './keys.ts';
import { checkPrices } from './prices.ts';
import type { TrustedKey } from './reading.ts';
import { checkOpening, checkSettlement, isCurrent, worthOf } from './runs.ts';

/**
 * A second verifier of receipts, written from docs/receipt-format.md alone. It shares no code with packages/proof or with the
 * server, so that an error must be made twice to go unnoticed.
 */
export interface TrustedKeys {
  readonly log: TrustedKey;
  readonly acceptances: TrustedKey;
  /** Pinned witnesses, all of which are wanted. */
  readonly witnesses?: readonly TrustedKey[];
}
export interface Refusal {
  readonly valid: false;
  readonly refusedBy: string;
  readonly why: string;
}
export type Verdict =
  | {
      readonly valid: true;
      readonly form: Form;
      readonly outcome: Outcome;
      readonly limits: readonly string[];
    }
  | Refusal;

const LENGTH = 2_000_000;

function judged<T>(judge: () => T): T | Refusal {
  try {
    return judge();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { valid: false, refusedBy: error.check, why: error.message };
  }
}

/** @param keys of the log and of its acceptances, from any source but the receipt */
export function verify(text: string, keys: TrustedKeys): Verdict {
  return judged(() => {
    must([...text].length <= LENGTH, 'form', 'too long');
    const receipt = readReceipt(readJson(text));
    const ranges = followHandOvers(keys, receipt.handOvers);
    const witnesses = keys.witnesses ?? [];
    const batch = checkAcceptance(receipt, ranges, witnesses);
    const rules = checkRules(receipt);
    const log = checkCheckpoint(receipt.checkpoint, receipt.signed, ranges, witnesses);
    checkEntries(receipt.all, log);
    checkConsistency(receipt, log);
    checkSeen(receipt);
    const fromMs = receipt.acceptance.acceptedAt + rules.delayMs;
    checkLogged(receipt, receipt, batch.root, { fromMs, isLate: receipt.form === 'late' });
    const voided = checkOpening(receipt, fromMs);
    checkSettlement(receipt);
    checkPrices(receipt);
    const outcome = outcomeOf(receipt, voided);
    const isSame = JSON.stringify(outcome) === JSON.stringify(receipt.outcome);
    must(isSame, 'outcome', `another outcome than ${JSON.stringify(outcome)}`);
    const isWitnessed = witnesses.length > 0 && log.witnesses === witnesses.length;
    return { valid: true, form: receipt.form, outcome, limits: limitsOf(isWitnessed) } as const;
  });
}

/** Check 11. */
function outcomeOf({ acceptance, opening, settling, rules }: Receipt, voided: VoidReason | null): Outcome {
  const { amount, payoutRate, direction } = acceptance;
  const stake = unitsOf(amount);
  const written = (units: bigint): string => writtenAs(units, decimalsOf(amount));
  const back = { result: 'none', payout: written(stake) } as const;
  if (voided !== null) return { openPrice: null, settlePrice: null, ...back, voidReason: voided };
  const won = {
    result: 'profit',
    payout: written(stake + (stake * unitsOf(payoutRate)) / 10n ** BigInt(decimalsOf(payoutRate))),
    voidReason: null,
  } as const;
  const isUp = direction === 'up';
  const tick = opening.at(-1)?.entry;
  if (tick?.type !== 'tick') return fail('outcome', 'no price');
  const decimals = decimalsOf(tick.price);
  const open = worthOf(tick, rules, !isUp);
  const openPrice = writtenAs(open, decimals);
  const [only, second] = settling;
  const settledBy = second ? null : only?.entry;
  if (settledBy?.type !== 'tick' || !isCurrent(settledBy, rules))
    return { openPrice, settlePrice: null, ...won };
  const settle = worthOf(settledBy, rules, isUp);
  const places = decimalsOf(settledBy.price);
  const prices = { openPrice, settlePrice: writtenAs(settle, places) };
  const moved = settle * 10n ** BigInt(decimals) - open * 10n ** BigInt(places);
  if (isUp ? moved > 0n : moved < 0n) return { ...prices, ...won };
  if (moved === 0n) return { ...prices, ...back, voidReason: null };
  return { ...prices, result: 'loss', payout: written(0n), voidReason: null };
}

function writtenAs(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** What even a valid receipt does not prove. */
const limitsOf = (isWitnessed: boolean): string[] =>
  isWitnessed
    ? ['uniqueness', 'quotes', 'clicks', 'solvency']
    : ['witnesses', 'uniqueness', 'quotes', 'clicks', 'solvency'];

export type LoggedVerdict =
  | {
      readonly valid: true;
      /** The order is void. */
      readonly isLate: boolean;
      readonly index: number;
      readonly entry: string;
    }
  | Refusal;

/**
 * Judges what `/api/order/logged` answers.
 * @param text of the answer's `data`
 * @param accepted the acceptance that the customer holds: the member `acceptance` of a receipt
 * @param rulesEntry the log's entry of the rules that the acceptance names
 */
export function verifyLogged(
  text: string,
  accepted: string,
  rulesEntry: string,
  keys: TrustedKeys,
): LoggedVerdict {
  return judged(() => {
    must(
      [text, accepted].every((each) => [...each].length <= LENGTH),
      'form',
      'too long',
    );
    const logged = readLogged(readJson(text));
    const own = readAccepted(readJson(accepted));
    must(logged.batch === own.acceptance.batch, 'logged', 'another batch');
    const rules = readEntry(rulesEntry);
    const isNamed = leafOf(rulesEntry).toString('hex') === own.acceptance.rulesHash;
    if (rules.type !== 'rules' || !isNamed) return fail('rules', 'other rules than the acceptance names');
    const ranges = followHandOvers(keys, logged.handOvers);
    const witnesses = keys.witnesses ?? [];
    const batch = checkAcceptance(own, ranges, witnesses);
    const log = checkCheckpoint(logged.checkpoint, own.signed, ranges, witnesses);
    checkEntries([logged.orders, ...logged.handOvers], log);
    const fromMs = own.acceptance.acceptedAt + rules.delayMs;
    checkLogged(own, logged, batch.root, null);
    const { entry, index, text: line } = logged.orders;
    return { valid: true, isLate: entry.timeMs >= fromMs, index, entry: line } as const;
  });
}

/**
 * What of a receipt contradicts the evidence that a customer kept of the same order: the acceptance, the entry that carries it, or
 * nothing. Each is valid by itself.
 */
export function contradiction(
  receipt: string,
  logged: string,
  accepted: string,
): 'acceptance' | 'orders' | null {
  const later = readReceipt(readJson(receipt));
  const own = readAccepted(readJson(accepted)).acceptance;
  const { orders } = readLogged(readJson(logged));
  if (later.acceptance.orderId !== own.orderId) return null;
  if (later.acceptance.text !== own.text) return 'acceptance';
  const isSame = later.orders.index === orders.index && later.orders.text === orders.text;
  return isSame ? null : 'orders';
}
