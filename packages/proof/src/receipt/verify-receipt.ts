import { type Acceptance, hashAsked } from '../acceptance.ts';
import { toHex } from '../encoding.ts';
import { isOpen } from './fix-judge.ts';
import { textOfPrice } from './fixed-result.ts';
import { limitsOf, type ReceiptLimit } from './limits.ts';
import {
  checkAcceptance,
  checkCheckpoint,
  checkConsistency,
  checkEntries,
  checkHeld,
  checkKeys,
  checkLogged,
  checkRules,
  checkSeen,
  type Finding,
  type HeldCheckpoint,
  namesOf,
  type TimedCheckpoint,
  type TrustedKeys,
  type Values,
} from './log-steps.ts';
import { contradictionOf, type HeldLogged } from './logged.ts';
import { type Looseness, loosenessOf } from './loose-rules.ts';
import { checkOpening, checkOutcome, checkPrices, checkSettlement } from './order-steps.ts';
import { type Case, type PlacedFix, type ReceiptForm, takeApart } from './parsed-receipt.ts';
import { readReceipt } from './receipt.ts';
import { checkUpdates } from './updates-step.ts';

export const RECEIPT_STEPS = [
  'form',
  'kept',
  'keys',
  'acceptance',
  'rules',
  'checkpoint',
  'entries',
  'consistency',
  'seen',
  'logged',
  'held',
  'opening',
  'settlement',
  'prices',
  'updates',
  'outcome',
] as const;
export type ReceiptStepId = (typeof RECEIPT_STEPS)[number];

/**
 * `proved`: recomputed and correct. `refuted`: incorrect. `absent`: the receipt has nothing of this kind. `unchecked`: an earlier
 * step was refuted.
 */
export interface ReceiptStep {
  readonly id: ReceiptStepId;
  readonly state: 'proved' | 'refuted' | 'absent' | 'unchecked';
  readonly values: Values;
  readonly fault: string | null;
}

export interface ShownEntry {
  readonly index: number;
  /** When it was written. */
  readonly timeMs: number;
  readonly price: string;
}

export interface ReceiptReport {
  readonly isValid: boolean;
  readonly steps: readonly ReceiptStep[];
  readonly limits: readonly ReceiptLimit[];
  /** Null if the receipt can't be read. */
  readonly shown: {
    readonly form: ReceiptForm;
    readonly terms: Acceptance;
    /** Null unless it is signed; its time is the log's, Unix ms. */
    readonly checkpoint: { readonly size: number; readonly root: string; readonly timeMs: number } | null;
    /** The fix of the opening time and its close, where they are shown. */
    readonly opening: readonly ShownEntry[];
    readonly settling: readonly ShownEntry[];
    /** In what the rules shown are loose. */
    readonly loose: readonly Looseness[];
    /** Names of the pinned witnesses that cosigned the checkpoint in time. */
    readonly witnesses: readonly string[];
    /** Names of those that had cosigned the batch's place in the log before the order opened; null unless that is proved. */
    readonly witnessedBefore: readonly string[] | null;
  } | null;
}

export interface VerifyOptions {
  readonly keys: TrustedKeys;
  /** Documents that the customer kept from the time of the order or later; the receipt must agree with them. */
  readonly kept?: {
    readonly acceptanceText?: string;
    /** The evidence that the batch was logged. */
    readonly logged?: HeldLogged;
    /** The customer's secret of the opening time that was asked for. */
    readonly nonce?: string;
    /** A state of the log: size, and root in hex. */
    readonly checkpoint?: { readonly size: number; readonly root: string };
  };
  /** How many of the pinned witnesses must have cosigned; {@link WITNESSES_NEEDED} if absent. */
  readonly witnessesNeeded?: number;
}

/** A checkpoint that fewer witnesses have cosigned counts as not independently witnessed. */
const WITNESSES_NEEDED = 2;

/**
 * Judges a receipt: recomputes everything that it claims, from its entries and proofs alone. No content of a receipt makes it
 * throw; the receipt's size, which {@link readReceipt} limits, bounds the work.
 * @param value the receipt as parsed JSON
 */
export function verifyReceipt(value: unknown, options: VerifyOptions): ReceiptReport {
  const book = new StepBook();
  const receipt = readReceipt(value);
  const subject = receipt === null ? 'this is not a receipt of this version' : takeApart(receipt);
  if (typeof subject === 'string') {
    book.add('form', { fault: subject });
    return { isValid: false, steps: book.finish(), limits: [], shown: null };
  }
  book.add('form', { values: { form: subject.form } });
  const { checkpoint, witnesses, held, isUnsigned } = judge(subject, options, book);
  const isValid = book.isSound;
  const loose = [...new Set(subject.rules.flatMap(({ rules }) => loosenessOf(rules)))];
  const limits = limitsOf({
    instant: options.kept?.nonce === undefined,
    witnesses: witnesses.length < (options.witnessesNeeded ?? WITNESSES_NEEDED),
    updates: isUnsigned,
    open: [subject.opening, subject.settling].some((pair) => pair.at(-1)?.entry.records.some(isOpen)),
    rules: loose.length > 0,
  });
  return {
    isValid,
    steps: book.finish(),
    limits: isValid ? limits : [],
    shown: {
      form: subject.form,
      terms: subject.terms,
      checkpoint: checkpoint && {
        size: checkpoint.size,
        root: toHex(checkpoint.root),
        timeMs: checkpoint.timeMs,
      },
      opening: subject.opening.map(show),
      settling: subject.settling.map(show),
      loose,
      witnesses,
      witnessedBefore: held?.witnesses ?? null,
    },
  };
}

interface Judged {
  readonly checkpoint: TimedCheckpoint | null;
  readonly witnesses: readonly string[];
  readonly held: HeldCheckpoint | null;
  readonly isUnsigned: boolean;
}

/** Runs the steps after the first, and stops at the first fault. */
function judge(subject: Case, { keys: trusted, kept }: VerifyOptions, book: StepBook): Judged {
  const { receipt, terms } = subject;
  const nothing = { checkpoint: null, witnesses: [], held: null, isUnsigned: false };
  if (!book.add('kept', checkKept(subject, kept))) return nothing;
  const { finding: followed, keys } = checkKeys(subject.handOvers, trusted);
  if (!book.add('keys', followed)) return nothing;
  const accepted = checkAcceptance(receipt.acceptance, terms, keys);
  if (!book.add('acceptance', accepted.finding) || !accepted.batch) return nothing;
  if (!book.add('rules', checkRules(subject))) return nothing;
  const { finding: opened, checkpoint, cosigned } = checkCheckpoint(receipt, keys);
  if (!book.add('checkpoint', opened) || !checkpoint) return nothing;
  const signed = { ...nothing, checkpoint, witnesses: namesOf(cosigned) };
  const seenBefore = kept?.checkpoint;
  const isFork = seenBefore?.size === checkpoint.size && seenBefore.root !== toHex(checkpoint.root);
  if (isFork) book.add('entries', { fault: 'this device has seen another log of this size' });
  else book.add('entries', checkEntries(subject.all, checkpoint));
  if (!book.isSound) return signed;
  const grown = checkConsistency(subject, receipt.consistency, checkpoint);
  if (!book.add('consistency', grown)) return signed;
  if (!book.add('seen', checkSeen(subject))) return signed;
  const order = { terms, orders: subject.orders, batchProof: receipt.batch.proof };
  if (!book.add('logged', checkLogged(order, accepted.batch, subject.form === 'late'))) return signed;
  const early = checkHeld(subject, checkpoint, keys);
  if (!book.add('held', early.finding)) return signed;
  const found = { ...signed, held: early.held };
  if (!book.add('opening', checkOpening(subject))) return found;
  if (!book.add('settlement', checkSettlement(subject))) return found;
  if (!book.add('prices', checkPrices(subject))) return found;
  const { finding: signedRecords, isUnsigned } = checkUpdates(subject);
  if (!book.add('updates', signedRecords)) return found;
  book.add('outcome', checkOutcome(subject));
  return { ...found, isUnsigned };
}

function checkKept({ receipt, terms }: Case, kept: VerifyOptions['kept']): Finding | null {
  const { acceptanceText = receipt.acceptance.text, logged, nonce } = kept ?? {};
  if (kept?.acceptanceText === undefined && logged === undefined && nonce === undefined) return null;
  if (nonce !== undefined && toHex(hashAsked({ ...terms, nonce })) !== terms.asked)
    return { fault: 'the acceptance does not name what was asked for with this nonce' };
  const kind = contradictionOf({ acceptanceText, ...(logged ? { logged } : {}) }, receipt);
  if (receipt.acceptance.text !== acceptanceText)
    return { fault: 'the acceptance is not the one that was kept' };
  if (kind === 'checkpoint')
    return { fault: 'it does not show that its log continues the one that was kept' };
  if (kind !== null)
    return {
      fault:
        'its batch was in the log before, elsewhere: the entry that carries it is not the one that was kept',
    };
  const isKept = (document: unknown) => (document === undefined ? 0 : 1);
  return {
    values: { acceptance: isKept(kept?.acceptanceText), orders: isKept(logged), asked: isKept(nonce) },
  };
}

const show = ({ index, entry }: PlacedFix): ShownEntry => ({
  index,
  timeMs: entry.timeMs,
  price: textOfPrice(entry),
});

/** Collects the results of the steps. */
class StepBook {
  readonly #steps: ReceiptStep[] = [];
  isSound = true;

  /** @returns whether every step so far is sound */
  add(id: ReceiptStepId, finding: Finding | null): boolean {
    if (finding === null) this.#steps.push({ id, state: 'absent', values: {}, fault: null });
    else if ('fault' in finding) {
      this.#steps.push({ id, state: 'refuted', values: {}, fault: finding.fault });
      this.isSound = false;
    } else this.#steps.push({ id, state: 'proved', values: finding.values, fault: null });
    return this.isSound;
  }

  /** All steps, including those that did not run. */
  finish(): ReceiptStep[] {
    const rest = RECEIPT_STEPS.slice(this.#steps.length);
    return [
      ...this.#steps,
      ...rest.map((id) => ({ id, state: 'unchecked' as const, values: {}, fault: null })),
    ];
  }
}
