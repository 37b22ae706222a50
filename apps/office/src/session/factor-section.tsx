import type { OfficeData } from '@fairtick/protocol/office';
import { Notice } from '@fairtick/ui';
import { startRegistration } from '@simplewebauthn/browser';
import { useMemo, useState } from 'react';
import { encode } from 'uqr';
import { post } from '../api/client.ts';
import { refresh, refreshMe, useGet } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormEnd, FormFault, formClass, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import { CodeField } from './login-page.tsx';
import { usePasskeyFault } from './passkey-fault.ts';
import css from './session.module.css';

type Factor = OfficeData<'factor/list'>[number];
type Totp = OfficeData<'factor/beginTotp'>;

/** The reader's own second factors: authenticator apps and passkeys. */
export default function FactorSection() {
  const { t, word } = useText();
  const tellPasskeyFault = usePasskeyFault();
  const factors = useGet(['factors'], 'factor/list');
  const [totp, setTotp] = useState<Totp | null>(null);
  const form = useForm();
  const done = async (text: string) => {
    setTotp(null);
    useToast.getState().show(text);
    await Promise.all([refresh('factors'), refreshMe()]);
  };
  const addPasskey = async () => {
    const { options } = await post('factor/beginPasskey');
    const answer = await startRegistration({ optionsJSON: JSON.parse(options) }).catch(tellPasskeyFault);
    if (answer === null) return;
    await post('factor/confirmPasskey', { label: t('factor.passkey'), passkey: JSON.stringify(answer) });
    await done(t('factor.added'));
  };
  const remove = async (id: string) => {
    await post('factor/remove', { id });
    await done(t('factor.removed'));
  };
  const columns: Column<Factor>[] = [
    { header: t('factor.kind'), cell: ({ kind }) => word('factor', kind) },
    { header: t('factor.since'), cell: ({ createdAt }) => formatTime(createdAt) },
    {
      header: t('factor.lastUsed'),
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('shell.never') : formatTime(lastUsedAt)),
    },
    {
      header: t('shell.actions'),
      isUnnamed: true,
      cell: ({ id }) => (
        <Action size="small" disabled={form.isBusy} onClick={() => form.send(() => remove(id))}>
          {t('factor.remove')}
        </Action>
      ),
      isNumber: true,
    },
  ];
  return (
    <section className={css.section} aria-labelledby="factors">
      <header>
        <h2 id="factors">{t('factor.title')}</h2>
        <span className="flex gap-8">
          <Action
            disabled={form.isBusy}
            onClick={() => form.send(async () => setTotp(await post('factor/beginTotp')))}
          >
            {t('factor.addTotp')}
          </Action>
          <Action disabled={form.isBusy} onClick={() => form.send(addPasskey)}>
            {t('factor.addPasskey')}
          </Action>
        </span>
      </header>
      <FormFault text={form.fault} />
      {totp === null ? (
        <DataTable
          caption={t('factor.title')}
          columns={columns}
          list={factors}
          none={<Notice look="warn">{t('factor.none')}</Notice>}
        />
      ) : (
        <TotpForm totp={totp} onDone={() => done(t('factor.added'))} onCancel={() => setTotp(null)} />
      )}
    </section>
  );
}

function TotpForm(props: { totp: Totp; onDone: () => Promise<void>; onCancel: () => void }) {
  const { t } = useText();
  const form = useForm({ values: { otp: '' } });
  const confirm = async () => {
    await post('factor/confirmTotp', { id: props.totp.id, ...form.values });
    await props.onDone();
  };
  return (
    <form className={`${formClass} ${css.totp}`} onSubmit={form.onSubmit(confirm)}>
      <div className={css.qr}>
        <QrCode text={props.totp.uri} label={t('factor.qr')} />
        <div>
          <p>{t('factor.scan')}</p>
          <span className={`block mt-6 breaks ${css.secret}`} data-secret>
            {props.totp.secret.replace(/(.{4})(?=.)/g, '$1 ')}
          </span>
        </div>
      </div>
      <CodeField {...form.field('otp')} />
      <FormEnd form={form} onCancel={props.onCancel}>
        {t('factor.confirm')}
      </FormEnd>
    </form>
  );
}

/** Drawn as one SVG path, so that no part of the code is interpreted as markup. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { data, size } = encode(text, { border: 1 });
    const dots = data.flatMap((line, y) => line.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
    return { size, path: dots.join('') };
  }, [text]);
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={path} fill="#000" />
    </svg>
  );
}
