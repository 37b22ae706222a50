import type { DepositChannel } from '@fairtick/protocol';
import type { Fault, Faults } from '../../parts/use-form.ts';
import { typedFault } from '../../state/typed-amount.ts';
import { amountOf, boundText, minorOf, scaleOf, typedMinor } from '../parts/decimals.ts';

/** The fields of the deposit form; `P` is the browser's `File`. */
export interface DepositForm<P = unknown> {
  readonly channelId: string | null;
  readonly amount: string;
  readonly proof: P | null;
}

export type DepositField = 'channelId' | 'amount' | 'proof';

export type DepositAction<P = unknown> =
  | { readonly type: 'channel'; readonly id: string; readonly channels: readonly DepositChannel[] }
  | { readonly type: 'amount'; readonly text: string }
  | { readonly type: 'proof'; readonly proof: P | null };

export const EMPTY_DEPOSIT = { channelId: null, amount: '', proof: null } as const;

export function reduce<P>(form: DepositForm<P>, action: DepositAction<P>): DepositForm<P> {
  switch (action.type) {
    case 'channel': {
      const assetOf = (id: string | null) => action.channels.find((channel) => channel.id === id)?.asset;
      // An amount means something else in another asset, so it is cleared.
      const isSame = assetOf(form.channelId) === assetOf(action.id);
      return {
        ...form,
        channelId: action.id,
        amount: isSame || form.channelId === null ? form.amount : '',
      };
    }
    case 'amount':
      return { ...form, amount: action.text };
    case 'proof':
      return { ...form, proof: action.proof };
  }
}

export interface DepositSummary {
  readonly channel: DepositChannel | null;
  /** The typed amount less the fee; null while unknown. */
  readonly credited: string | null;
  /** The preset equal to the typed amount; null if none. */
  readonly preset: string | null;
}

export function summarise(form: DepositForm, channels: readonly DepositChannel[]): DepositSummary {
  const channel = channels.find(({ id }) => id === form.channelId) ?? null;
  if (!channel) return { channel, credited: null, preset: null };
  const scale = scaleOf(channel.min);
  const amount = typedMinor(form.amount, scale);
  const credited = amount === null ? null : amount - minorOf(channel.fee, scale);
  return {
    channel,
    credited: credited === null || credited <= 0n ? null : amountOf(credited, scale),
    preset: channel.presets.find((preset) => minorOf(preset, scale) === amount) ?? null,
  };
}

/** Faults that prevent sending, by field. */
export function errors(form: DepositForm, channels: readonly DepositChannel[]): Faults<DepositField, Fault> {
  const { channel } = summarise(form, channels);
  const faults: Faults<DepositField, Fault> = {};
  if (!channel) faults.channelId = { id: 'wallet.fault.channelRequired' };
  const amount = amountFault(form.amount, channel);
  if (amount) faults.amount = amount;
  if (!form.proof) faults.proof = { id: 'wallet.fault.proofRequired' };
  return faults;
}

function amountFault(text: string, channel: DepositChannel | null): Fault | null {
  if (text.trim() === '') return { id: 'wallet.fault.amountRequired' };
  const unread = typedFault(text);
  if (unread || !channel) return unread;
  const scale = scaleOf(channel.min);
  const amount = typedMinor(text, scale);
  if (amount === null) return { id: 'wallet.fault.amountInvalid' };
  const bound = (value: string) => ({ bound: `${boundText(value)} ${channel.asset}` });
  if (amount < minorOf(channel.min, scale))
    return { id: 'wallet.fault.depositTooSmall', values: bound(channel.min) };
  if (amount > minorOf(channel.max, scale))
    return { id: 'wallet.fault.depositTooLarge', values: bound(channel.max) };
  return null;
}
