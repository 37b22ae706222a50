import type { Data } from '@fairtick/protocol';
import { Notice, Segments } from '@fairtick/ui';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { SendForm, TextField } from '../parts/form-parts.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { blank, useForm } from '../parts/use-form.ts';
import { formatDateTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import { FactorField } from './factor-field.tsx';
import { AccountField, ContactFields } from './recover-dialog.tsx';

export default function TakeBackForm({ first }: { first: string }) {
  const { t } = useText();
  const [way, setWay] = useState<'claim' | 'status'>('claim');
  const [code, setCode] = useState('');
  const onClaimed = (claimCode: string) => {
    setCode(claimCode);
    setWay('status');
  };
  return (
    <>
      <Segments
        label={t('account.takeBack')}
        name="claim-way"
        value={way}
        onChange={setWay}
        choices={[
          { value: 'claim', label: t('takeBack.new') },
          { value: 'status', label: t('takeBack.status') },
        ]}
      />
      {way === 'claim' ? (
        <Claim first={first} onClaimed={onClaimed} />
      ) : (
        <Status code={code} onCode={setCode} />
      )}
    </>
  );
}

function Status({ code, onCode }: { code: string; onCode: (code: string) => void }) {
  const { t, tag } = useText();
  const [status, setStatus] = useState<Data<'claimStatus'> | null>(null);
  const form = useForm({
    check: () => blank({ claimCode: code }, { claimCode: 'fault.formIncomplete' }),
  });
  const look = async () => setStatus(await post('user/claimStatus', { claimCode: code.trim() }));
  return (
    <SendForm form={form} send={look} button={t('takeBack.check')}>
      <TextField
        label={t('takeBack.code')}
        hint={t('takeBack.codeHint')}
        value={code}
        fault={form.faultOf('claimCode')}
        maxLength={40}
        autoComplete="off"
        onChange={(value) => {
          form.clear('claimCode');
          setStatus(null);
          onCode(value);
        }}
      />
      {status && (
        <Notice>{t(`takeBack.state.${status.state}`, { time: formatDateTime(status.at, tag) })}</Notice>
      )}
    </SendForm>
  );
}

/** Claims an account with what was valid before: the password and a former second factor or recovery code. */
function Claim({ first, onClaimed }: { first: string; onClaimed: (claimCode: string) => void }) {
  const { t } = useText();
  const form = useForm({
    values: { account: first, oldPassword: '', otp: '', contact: '', text: '' },
    shows: 'all',
    check: (values) => ({
      ...(values.oldPassword === '' ? { oldPassword: 'fault.passwordRequired' as const } : {}),
      ...blank(values, {
        account: 'fault.accountRequired',
        otp: 'fault.otpRequired',
        contact: 'fault.formIncomplete',
        text: 'fault.formIncomplete',
      }),
    }),
  });
  const { oldPassword, contact, text, otp } = form.values;
  const account = form.values.account.trim();
  const send = async (proof: { otp?: string; passkey?: string }) => {
    const { claimCode } = await post('user/takeBack', {
      account,
      oldPassword,
      contact: contact.trim(),
      text: text.trim(),
      ...proof,
    });
    useToast.getState().show(t('takeBack.done'));
    onClaimed(claimCode);
  };
  return (
    <SendForm form={form} send={() => send({ otp: otp.trim() })} button={t('takeBack.send')}>
      <p className="secondary">{t('takeBack.lead')}</p>
      <AccountField {...form.field('account')} />
      <PasswordField
        label={t('takeBack.oldPassword')}
        hint={t('takeBack.oldPasswordHint')}
        autoComplete="current-password"
        {...form.field('oldPassword')}
      />
      <ContactFields contact={form.field('contact')} text={form.field('text')} />
      <FactorField
        {...form.field('otp')}
        label={t('takeBack.otp')}
        hint={t('takeBack.otpHint')}
        askOptions={() => post('user/takeBackOptions', { account, oldPassword })}
        onPasskey={(passkey) => send({ passkey })}
      />
    </SendForm>
  );
}
