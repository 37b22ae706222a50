import { amountTyped } from '@fairtick/money';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { FormEnd, formClass, SelectField, TextField, Tick, useForm } from '../shell/form.tsx';
import { AmountField, AmountsField, amountsOf } from '../shell/number-fields.tsx';
import { useToast } from '../state/toast.ts';
import { type Channel, refreshTreasury, useLimits } from './queries.ts';

interface Values {
  readonly asset: string;
  readonly network: string;
  readonly address: string;
  readonly bank: string;
  readonly branch: string;
  readonly holder: string;
  readonly accountNumber: string;
  readonly min: string;
  readonly max: string;
  readonly fee: string;
  readonly presets: string;
}
const BANK = 'bank';

function valuesOf(channel: Channel | null): Values {
  const { bank = null } = channel ?? {};
  return {
    asset: channel?.asset ?? '',
    network: channel?.network ?? '',
    address: channel?.address ?? '',
    bank: bank?.bank ?? '',
    branch: bank?.branch ?? '',
    holder: bank?.holder ?? '',
    accountNumber: bank?.accountNumber ?? '',
    min: channel?.min ?? '',
    max: channel?.max ?? '',
    fee: channel?.fee ?? '0',
    presets: channel?.presets.join(', ') ?? '',
  };
}

/** Proposes the next version of a channel, or (null) a new channel; undefined: the dialog is closed. */
export function ProposeChannel(props: { channel: Channel | null | undefined; onClose: () => void }) {
  const { t } = useText();
  const { channel, onClose } = props;
  const title = channel ? t('channel.changeOf', { id: channel.id }) : t('channel.new');
  return (
    <Dialog title={title} isOpen={channel !== undefined} onClose={onClose}>
      {channel !== undefined && <ProposeForm channel={channel} onClose={onClose} />}
    </Dialog>
  );
}

function ProposeForm({ channel, onClose }: { channel: Channel | null; onClose: () => void }) {
  const { t } = useText();
  const [isEnabled, setEnabled] = useState(channel?.isEnabled ?? true);
  const form = useForm({ values: valuesOf(channel) });
  const assets = useLimits().data?.map(({ asset }) => asset) ?? [];
  const isBank = form.values.network === BANK;
  const send = async () => {
    const { asset, network, address, bank, branch, holder, accountNumber } = form.values;
    const read = (name: 'min' | 'max' | 'fee') => amountTyped(form.values[name]) ?? '';
    const [min, max, fee] = [read('min'), read('max'), read('fee')];
    const presets = amountsOf(form.values.presets).map((typed) => amountTyped(typed) ?? typed);
    await post('channel/propose', {
      id: channel?.id,
      ...{ asset, network, min, max, fee },
      ...(isBank ? { bank, branch, holder, accountNumber } : { address }),
      presets: presets.join(',') || undefined,
      isEnabled: String(isEnabled),
    });
    await refreshTreasury();
    useToast.getState().show(t('decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <div className="halves gap-12">
        <SelectField label={t('review.asset')} {...form.field('asset')}>
          <option value="">{t('staff.choose')}</option>
          {assets.map((asset) => (
            <option key={asset}>{asset}</option>
          ))}
        </SelectField>
        <TextField label={t('channel.network')} hint={t('channel.networkHint')} {...form.field('network')} />
      </div>
      {isBank ? (
        <>
          <TextField label={t('withdrawal.bank')} {...form.field('bank')} />
          <TextField label={t('channel.branch')} {...form.field('branch')} />
          <TextField label={t('withdrawal.holder')} {...form.field('holder')} />
          <TextField label={t('channel.accountNumber')} {...form.field('accountNumber')} />
        </>
      ) : (
        <TextField label={t('withdrawal.address')} spellCheck={false} {...form.field('address')} />
      )}
      <div className="halves gap-12">
        <AmountField label={t('channel.min')} {...form.field('min')} />
        <AmountField label={t('channel.max')} {...form.field('max')} />
      </div>
      <AmountField label={t('deposit.fee')} {...form.field('fee')} />
      <AmountsField
        label={t('channel.presets')}
        hint={t('channel.presetsHint')}
        {...form.field('presets')}
        required={false}
      />
      <Tick label={t('channel.enabled')} checked={isEnabled} onChange={() => setEnabled(!isEnabled)} />
      <FormEnd form={form} onCancel={onClose}>
        {t('staff.propose')}
      </FormEnd>
    </form>
  );
}
