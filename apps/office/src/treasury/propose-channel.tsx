import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import type { Input } from '../shell/controls.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { type Channel, refreshTreasury, useAssets } from './queries.ts';

const NO_BANK = { bank: '', branch: '', holder: '', accountNumber: '' };
const NEW = { asset: '', network: '', address: '', min: '', max: '', fee: '0', presets: '', isEnabled: true };

/** Proposes the next version of a channel, or a new channel. */
export function ProposeChannel({ channel }: { channel?: Channel }) {
  const { t } = useText();
  const assets = useAssets();
  const amount = (name: string, label: string): Input => ({ name, label, kind: 'amount' });
  const bank = [
    { name: 'bank', label: t('withdrawal.bank') },
    { name: 'branch', label: t('channel.branch') },
    { name: 'holder', label: t('withdrawal.holder') },
    { name: 'accountNumber', label: t('channel.accountNumber') },
  ];
  return (
    <FormAction
      label={t(channel ? 'staff.change' : 'channel.new')}
      title={channel ? t('channel.changeOf', { id: channel.id }) : t('channel.new')}
      button={channel ? { size: 'small' } : {}}
      values={{ ...NEW, ...NO_BANK, ...(channel && valuesOf(channel)) }}
      inputs={({ network }) => [
        [
          { name: 'asset', label: t('review.asset'), choices: assets, none: t('staff.choose') },
          { name: 'network', label: t('channel.network'), hint: t('channel.networkHint') },
        ],
        ...(network === 'bank'
          ? bank
          : [{ name: 'address', label: t('withdrawal.address'), spellCheck: false } as const]),
        [amount('min', t('channel.min')), amount('max', t('channel.max'))],
        amount('fee', t('deposit.fee')),
        {
          name: 'presets',
          label: t('channel.presets'),
          hint: t('channel.presetsHint'),
          kind: 'amounts',
          isOptional: true,
        },
        { name: 'isEnabled', label: t('channel.enabled'), kind: 'tick' },
      ]}
      send={(body) => post('channel/propose', { id: channel?.id, ...body })}
      refresh={refreshTreasury}
    />
  );
}

const valuesOf = ({ asset, network, address, bank, min, max, fee, presets, isEnabled }: Channel) => ({
  ...{ asset, network, address: address ?? '', min, max, fee, presets: presets.join(', '), isEnabled },
  ...bank,
});
