import { formatDecimal } from '@fairtick/money';
import type { DepositChannel } from '@fairtick/protocol';
import type { Fault, Faults } from '../../parts/use-form.ts';
import { minorOf, scaleOf, typedMinor } from '../../state/decimal-strings.ts';
import { amountFault } from '../../state/typed-amount.ts';

/** The fields of the deposit form; `P` is the browser's `File`. */
export interface DepositForm<P = unknown> {
  readonly channelId: string | null;
  readonly amount: string;
  readonly proof: P | null;
}

export const EMPTY_DEPOSIT = { channelId: null, amount: '', proof: null } as const;

/** An amount means something else in another asset, so it is cleared. */
export function chooseChannel<P>(form: DepositForm<P>, id: string, channels: readonly DepositChannel[]) {
  const assetOf = (id: string | null) => channels.find((channel) => channel.id === id)?.asset;
  const isSame = form.channelId === null || assetOf(form.channelId) === assetOf(id);
  return { channelId: id, amount: isSame ? form.amount : '' };
}

/**
 * What follows from the fields. `credited`: the typed amount less the fee; null while unknown. `preset`: the one that equals the typed amount.
 */
export function summarise(form: DepositForm, channels: readonly DepositChannel[]) {
  const channel = channels.find(({ id }) => id === form.channelId) ?? null;
  if (!channel) return { channel, credited: null, preset: null };
  const scale = scaleOf(channel.min);
  const amount = typedMinor(form.amount, scale);
  const credited = amount === null ? null : amount - minorOf(channel.fee, scale);
  return {
    channel,
    credited: credited === null || credited <= 0n ? null : formatDecimal(credited, scale),
    preset: channel.presets.find((preset) => minorOf(preset, scale) === amount) ?? null,
  };
}

const TOO = ['wallet.fault.depositTooSmall', 'wallet.fault.depositTooLarge'] as const;

export function errors(
  form: DepositForm,
  channels: readonly DepositChannel[],
): Faults<keyof DepositForm, Fault> {
  const { channel } = summarise(form, channels);
  const faults: Faults<keyof DepositForm, Fault> = {};
  if (!channel) faults.channelId = { id: 'wallet.fault.channelRequired' };
  const amount = amountFault(form.amount, channel, TOO);
  if (amount) faults.amount = amount;
  if (!form.proof) faults.proof = { id: 'wallet.fault.proofRequired' };
  return faults;
}
