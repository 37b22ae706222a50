import { formatDecimal, readDigits } from '@fairtick/money';
import type { Destination, WithdrawOptions } from '@fairtick/protocol';
import type { Fault, Faults } from '../../parts/use-form.ts';
import { minorOf, scaleOf, typedMinor } from '../../state/decimal-strings.ts';
import { amountFault } from '../../state/typed-amount.ts';

/** The fields of the withdrawal form. The asset determines the method: dollars go to a card, coins to an address. */
export interface WithdrawalForm {
  readonly asset: string | null;
  readonly destinationId: string | null;
  readonly amount: string;
  readonly payWord: string;
}

export const EMPTY_WITHDRAWAL: WithdrawalForm = { asset: null, destinationId: null, amount: '', payWord: '' };

/** The asset that is paid to bank cards. */
const BANK_ASSET = 'USD';
const WORD_LENGTH = 6;

/** An amount means something else in another asset, so it is cleared. */
export function chooseAsset(form: WithdrawalForm, asset: string): Partial<WithdrawalForm> {
  if (asset === form.asset) return {};
  return { asset, destinationId: null, amount: form.asset === null ? form.amount : '' };
}

export type Step = WithdrawOptions['missing'][number];

export interface WithdrawalSummary {
  readonly kind: Destination['kind'];
  /** Limits and fee of the asset; null if it is not offered. */
  readonly terms: WithdrawOptions['assets'][number] | null;
  /** The spendable balance; null while unknown. */
  readonly available: string | null;
  readonly destinations: readonly Destination[];
  readonly destination: Destination | null;
  /** The steps that this method requires, in the recommended order; a pending one waits for our staff. */
  readonly steps: readonly { readonly step: Step; readonly isDone: boolean; readonly isPending: boolean }[];
  /** The next step that the customer can take, or a pending one if only that is left; null once all are done. */
  readonly missing: Step | null;
  /** The most that can be withdrawn at once: the balance or the maximum, whichever is smaller. */
  readonly all: string | null;
  readonly arrives: string | null;
  /** Until when a hold prevents approval: Unix ms, or the decision of a claim; null without one. */
  readonly heldUntil: number | 'claim' | null;
}

export interface WithdrawalFacts {
  readonly options: WithdrawOptions;
  /** The balance from the stream; the one in `options` is older. */
  readonly available: string | null;
  readonly nowMs: number;
  readonly isNamePending: boolean;
}

const kindOf = (asset: string | null): Destination['kind'] => (asset === BANK_ASSET ? 'bank' : 'address');

export function summarise(form: WithdrawalForm, facts: WithdrawalFacts): WithdrawalSummary {
  const { options, available: live, nowMs, isNamePending } = facts;
  const kind = kindOf(form.asset);
  const terms = options.assets.find(({ asset }) => asset === form.asset) ?? null;
  const destinations = options.destinations.filter(({ asset }) => asset === form.asset);
  const destination = destinations.find(({ id }) => id === form.destinationId) ?? destinations[0] ?? null;
  const available = live ?? terms?.available ?? null;
  const steps = (['realName', 'payWord', kind] as const).map((step) => ({
    step,
    isDone: step === kind ? destination !== null : !options.missing.includes(step),
    isPending: step === 'realName' && isNamePending && options.missing.includes(step),
  }));
  const left = steps.filter(({ isDone }) => !isDone);
  return {
    kind,
    terms,
    available,
    destinations,
    destination,
    steps,
    missing: (left.find(({ isPending }) => !isPending) ?? left[0])?.step ?? null,
    ...amounts(form, terms, available),
    heldUntil: heldUntil(destination, nowMs),
  };
}

function heldUntil(destination: Destination | null, nowMs: number): WithdrawalSummary['heldUntil'] {
  if (destination === null) return null;
  if (destination.usableAt === null) return 'claim';
  return destination.usableAt > nowMs ? destination.usableAt : null;
}

function amounts(form: WithdrawalForm, terms: WithdrawalSummary['terms'], available: string | null) {
  if (!terms) return { all: null, arrives: null };
  const scale = scaleOf(terms.min);
  const most = [available, terms.max].flatMap((bound) => (bound === null ? [] : [minorOf(bound, scale)]));
  const amount = typedMinor(form.amount, scale);
  const isCovered = amount !== null && (available === null || amount <= minorOf(available, scale));
  const arrives = amount !== null && isCovered ? amount - minorOf(terms.fee, scale) : null;
  return {
    all:
      available === null
        ? null
        : formatDecimal(
            most.reduce((a, b) => (a < b ? a : b)),
            scale,
          ),
    arrives: arrives === null || arrives <= 0n ? null : formatDecimal(arrives, scale),
  };
}

/**
 * Faults that prevent sending, by field.
 * @param isAgain the same content was sent without an answer: its amount may be held by now, so it is not checked again
 */
export function errors(
  form: WithdrawalForm,
  facts: WithdrawalFacts,
  isAgain = false,
): Faults<keyof WithdrawalForm, Fault> {
  const summary = summarise(form, facts);
  const faults: Faults<keyof WithdrawalForm, Fault> = {};
  if (!summary.terms) faults.asset = { id: 'withdrawal.fault.methodRequired' };
  else if (!summary.destination) faults.destinationId = { id: 'withdrawal.fault.methodRequired' };
  const amount = isAgain
    ? null
    : (amountFault(form.amount, summary.terms, TOO) ?? uncovered(form.amount, summary));
  if (amount) faults.amount = amount;
  if (form.payWord === '') faults.payWord = { id: 'withdrawal.fault.passwordRequired' };
  else if (readDigits(form.payWord)?.length !== WORD_LENGTH)
    faults.payWord = { id: 'withdrawal.fault.passwordFormat' };
  return faults;
}

const TOO = ['withdrawal.fault.tooSmall', 'withdrawal.fault.tooLarge'] as const;

function uncovered(text: string, { terms, available }: WithdrawalSummary): Fault | null {
  if (!terms || available === null) return null;
  const scale = scaleOf(terms.min);
  const amount = typedMinor(text, scale) ?? 0n;
  return amount > minorOf(available, scale) ? { id: 'withdrawal.fault.insufficient' } : null;
}
