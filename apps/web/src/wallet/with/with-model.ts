import type { Destination, WithdrawOptions } from '@fairtick/protocol';
import { cleanAmount } from '../../state/format.ts';
import { amountOf, boundText, minorOf, scaleOf, typedMinor } from '../parts/decimals.ts';
import type { Fault, Faults } from '../parts/fault.ts';

/** What is filled in on the withdrawal form. An asset is a method: dollars go to a card, coins to an address. */
export interface WithForm {
  readonly asset: string | null;
  readonly destinationId: string | null;
  readonly amount: string;
  readonly payWord: string;
}

export type WithField = 'asset' | 'destinationId' | 'amount' | 'payWord';

export type WithAction =
  | { readonly type: 'asset'; readonly asset: string }
  | { readonly type: 'destination'; readonly id: string }
  | { readonly type: 'amount'; readonly text: string }
  | { readonly type: 'payWord'; readonly text: string };

export const EMPTY_WITH: WithForm = { asset: null, destinationId: null, amount: '', payWord: '' };

/** What bank cards carry. */
const BANK_ASSET = 'USD';
const WORD_LENGTH = 6;

export function reduce(form: WithForm, action: WithAction): WithForm {
  switch (action.type) {
    case 'asset':
      if (action.asset === form.asset) return form;
      // Of another asset, the amount means something else.
      return {
        ...form,
        asset: action.asset,
        destinationId: null,
        amount: form.asset === null ? form.amount : '',
      };
    case 'destination':
      return { ...form, destinationId: action.id };
    case 'amount':
      return { ...form, amount: cleanAmount(action.text) };
    case 'payWord':
      return { ...form, payWord: action.text.replace(/\D/g, '').slice(0, WORD_LENGTH) };
  }
}

export type Step = WithdrawOptions['missing'][number];

export interface WithSummary {
  readonly kind: Destination['kind'];
  /** Bounds and fee of the asset; null where it is not offered. */
  readonly terms: WithdrawOptions['assets'][number] | null;
  /** What can be spent now; null where that is not known. */
  readonly available: string | null;
  readonly destinations: readonly Destination[];
  readonly destination: Destination | null;
  /** What this method needs, and whether it is there; in the order in which it is best done. */
  readonly steps: readonly { readonly step: Step; readonly isDone: boolean }[];
  /** The first of those that is not. */
  readonly missing: Step | null;
  /** The most that can leave at once. */
  readonly all: string | null;
  readonly arrives: string | null;
  /** Until when a hold keeps it from being approved; null where there is none. */
  readonly heldUntil: number | null;
}

export interface WithFacts {
  readonly options: WithdrawOptions;
  /** The balance as the stream told it; the options' own is older. */
  readonly available: string | null;
  readonly nowMs: number;
}

const kindOf = (asset: string | null): Destination['kind'] => (asset === BANK_ASSET ? 'bank' : 'address');

export function summarise(form: WithForm, { options, available: live, nowMs }: WithFacts): WithSummary {
  const kind = kindOf(form.asset);
  const terms = options.assets.find(({ asset }) => asset === form.asset) ?? null;
  const destinations = options.destinations.filter(({ asset }) => asset === form.asset);
  const destination = destinations.find(({ id }) => id === form.destinationId) ?? destinations[0] ?? null;
  const available = live ?? terms?.available ?? null;
  const steps = (['realName', 'payWord', kind] as const).map((step) => ({
    step,
    isDone: step === kind ? destination !== null : !options.missing.includes(step),
  }));
  return {
    kind,
    terms,
    available,
    destinations,
    destination,
    steps,
    missing: steps.find(({ isDone }) => !isDone)?.step ?? null,
    ...amounts(form, terms, available),
    heldUntil: destination !== null && destination.usableAt > nowMs ? destination.usableAt : null,
  };
}

function amounts(form: WithForm, terms: WithSummary['terms'], available: string | null) {
  if (!terms) return { all: null, arrives: null };
  const scale = scaleOf(terms.min);
  const most = [available, terms.max].flatMap((bound) => (bound === null ? [] : [minorOf(bound, scale)]));
  const amount = typedMinor(form.amount, scale);
  const arrives = amount === null ? null : amount - minorOf(terms.fee, scale);
  return {
    all:
      available === null
        ? null
        : amountOf(
            most.reduce((a, b) => (a < b ? a : b)),
            scale,
          ),
    arrives: arrives === null || arrives <= 0n ? null : amountOf(arrives, scale),
  };
}

/**
 * What keeps the form from being sent, by field.
 * @param isAgain it was sent as it is, and no answer came: its amount may be held by now, and was right then
 */
export function errors(form: WithForm, facts: WithFacts, isAgain = false): Faults<WithField> {
  const summary = summarise(form, facts);
  const faults: Faults<WithField> = {};
  if (!summary.terms) faults.asset = { id: 'with.fault.methodRequired' };
  else if (!summary.destination) faults.destinationId = { id: 'with.fault.methodRequired' };
  const amount = isAgain ? null : amountFault(form.amount, summary);
  if (amount) faults.amount = amount;
  if (form.payWord === '') faults.payWord = { id: 'with.fault.payWordRequired' };
  else if (form.payWord.length !== WORD_LENGTH) faults.payWord = { id: 'with.fault.payWordFormat' };
  return faults;
}

function amountFault(text: string, { terms, available }: WithSummary): Fault | null {
  if (text === '') return { id: 'wallet.fault.amountRequired' };
  if (!terms) return null;
  const scale = scaleOf(terms.min);
  const amount = typedMinor(text, scale);
  if (amount === null) return { id: 'wallet.fault.amountInvalid' };
  const bound = (value: string) => ({ bound: `${boundText(value)} ${terms.asset}` });
  if (amount < minorOf(terms.min, scale)) return { id: 'with.fault.tooSmall', values: bound(terms.min) };
  if (terms.max !== null && amount > minorOf(terms.max, scale))
    return { id: 'with.fault.tooLarge', values: bound(terms.max) };
  if (available !== null && amount > minorOf(available, scale)) return { id: 'with.fault.insufficient' };
  return null;
}
