import type { UserInfo } from '@fairtick/protocol';
import { ClockIcon, Field } from '@fairtick/ui';
import css from '../account/account.module.css';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { CodeText } from '../parts/code-text.tsx';
import { Remark, SendForm } from '../parts/form-parts.tsx';
import { pageOf } from '../parts/page.tsx';
import { useForm } from '../parts/use-form.ts';
import { useSession } from '../state/session.ts';
import { errors, formOf, summarise } from './address-model.ts';
import { afterChange } from './after-change.ts';
import { ASSETS, type CryptoAsset } from './crypto-assets.ts';
import own from './destinations.module.css';

/** `/editAddress`: addresses for withdrawals of USDT, BTC and ETH. */
export default pageOf('identity', EditAddress);

function EditAddress() {
  const addresses = useSession((state) => state.userInfo?.addresses);
  return addresses && <AddressForm bound={addresses} />;
}

function AddressForm({ bound }: { bound: UserInfo['addresses'] }) {
  const { t } = useText();
  const form = useForm({ values: formOf(bound), shows: 'all', check: (values) => errors(values, bound) });
  const summary = summarise(form.values, bound);
  const send = async () => {
    // Idempotent: sending the same addresses again after a lost answer changes nothing.
    if (summary.hasChanges) await post('user/setAddress', summary.fields);
    await afterChange(t('shell.modified'), '/bank');
  };
  return (
    <div className="page">
      <p className={`secondary ${css.lead}`}>{t('address.lead')}</p>
      <SendForm
        form={form}
        send={send}
        button={t(summary.hasChanges ? 'account.save' : 'form.noChange')}
        busy={t('form.saving')}
        isDisabled={!summary.hasChanges}
        top={20}
      >
        {ASSETS.map((asset) => (
          <AddressField key={asset} asset={asset} summary={summary} {...form.field(asset)} />
        ))}
        <Remark icon={<ClockIcon size={20} />}>{t('hold.starts')}</Remark>
      </SendForm>
    </div>
  );
}

function AddressField(props: {
  asset: CryptoAsset;
  value: string;
  summary: ReturnType<typeof summarise>;
  fault: string | null;
  onChange: (value: string) => void;
}) {
  const { asset, value, summary, fault, onChange } = props;
  const { t } = useText();
  const understood = summary.understood[asset];
  return (
    <div>
      <Field
        label={asset}
        aside={<span>{t('form.optional')}</span>}
        hint={value === '' && summary.changes[asset] === 'none' ? t(`address.hint${asset}`) : undefined}
        fault={fault}
      >
        {(ids) => (
          <textarea
            {...ids}
            className={own.address}
            value={value}
            rows={2}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      {summary.changes[asset] === 'remove' && <p className="secondary mt-8">{t('address.removing')}</p>}
      {understood !== null && fault === null && (
        <div className={`mt-10 py-10 px-14 ${own.under}`} role="status">
          <p>{t('address.compare', { network: understood.network })}</p>
          <CodeText text={understood.address} what={asset} />
        </div>
      )}
    </div>
  );
}
