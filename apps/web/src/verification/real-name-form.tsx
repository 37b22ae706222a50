import type { AppConfig, RealInfo } from '@fairtick/protocol';
import { canTake } from '@fairtick/protocol/lifecycles';
import { Button, Field, LockIcon, Notice } from '@fairtick/ui';
import { useEffect, useState } from 'react';
import css from '../account/account.module.css';
import { get, NetworkError, RefusedError } from '../api/client.ts';
import { upload } from '../api/upload.ts';
import { useText } from '../messages/text-context.tsx';
import { CountryField } from '../parts/country-field.tsx';
import { Failure, TextField } from '../parts/form-parts.tsx';
import { useForm } from '../parts/use-form.ts';
import { Link } from '../shell/link.tsx';
import { useToast } from '../state/toast.ts';
import { useDraft } from './draft.ts';
import { PictureField } from './picture-field.tsx';
import { errors, ID_TYPES, needsBack, summarise, type TextField as TextName } from './real-name-model.ts';
import { UploadProgress } from './upload-progress.tsx';

/** The form for the real name. Its content is a draft that outlives the form and is cleared after sending. */
export function RealNameForm({
  info,
  config,
  onSent,
}: {
  info: RealInfo;
  config: Pick<AppConfig, 'mode' | 'restrictedRegions'>;
  onSent: () => Promise<unknown>;
}) {
  const { t } = useText();
  const { form: draft, dispatch } = useDraft();
  const [progress, setProgress] = useState<number | null>(null);
  useEffect(() => dispatch({ type: 'keep', kept: info.kept }), [dispatch, info.kept]);
  const summary = summarise(draft, config);
  const form = useForm({
    shows: 'all',
    check: () => errors(draft, config),
  });
  const send = async () => {
    setProgress(0);
    try {
      await submit(summary, setProgress);
    } finally {
      setProgress(null);
    }
    useToast.getState().show(t('shell.submitted'));
    await onSent();
    dispatch({ type: 'empty' });
  };
  const text = (field: TextName) => ({
    value: draft[field],
    fault: form.faultOf(field),
    onChange: (value: string) => {
      form.clear(field);
      dispatch({ type: 'text', field, value });
    },
  });
  const picture = (field: 'idFront' | 'idBack') => ({
    picture: draft[field],
    fault: form.faultOf(field),
    isDisabled: form.isBusy,
    onChange: (taken: Blob | null) => {
      form.clear(field);
      dispatch({ type: 'picture', field, picture: taken });
    },
  });
  const hasBack = needsBack(draft.idType);
  return (
    <form className={css.form} onSubmit={form.onSubmit(send)} noValidate style={{ marginTop: 20 }}>
      <CountryField label={t('real.idCountry')} {...text('idCountry')} />
      {summary.isRestricted && (
        <Notice look={summary.isBarred ? 'bad' : 'info'}>
          {summary.isBarred ? t('real.regionBarred') : t('real.regionWarning')}
        </Notice>
      )}
      <IdTypeField {...text('idType')} />
      <TextField label={t('real.idNumber')} maxLength={80} {...text('idNumber')} />
      <TextField
        label={t('real.realName')}
        hint={t('real.realNameHint')}
        maxLength={100}
        autoComplete="name"
        {...text('realName')}
      />
      <TextField label={t('real.idAddress')} maxLength={300} {...text('idAddress')} />
      <div>
        <label className={`secondary ${css.consent}`} style={{ paddingBottom: draft.livesThere ? 0 : 14 }}>
          <input
            type="checkbox"
            checked={draft.livesThere}
            onChange={(event) => {
              form.clear('currentAddress');
              dispatch({ type: 'livesThere', is: event.target.checked });
            }}
          />
          <span>{t('real.livesThere')}</span>
        </label>
        {!draft.livesThere && (
          <TextField
            label={t('real.currentAddress')}
            maxLength={300}
            autoComplete="street-address"
            {...text('currentAddress')}
          />
        )}
      </div>
      <fieldset className={css.pair}>
        <legend className="sr">{t('real.photos')}</legend>
        <PictureField
          label={t('real.idFront')}
          hint={hasBack ? t('real.idFrontHint') : t('real.idFrontPassport')}
          {...picture('idFront')}
        />
        {hasBack && (
          <PictureField label={t('real.idBack')} hint={t('real.idBackHint')} {...picture('idBack')} />
        )}
      </fieldset>
      <p className={`note ${css.note}`}>
        <LockIcon size={20} />
        <span>
          {t('real.privacy')}{' '}
          <Link className="link" href="/whoLooked">
            {t('title.whoLooked')}
          </Link>
        </span>
      </p>
      <Failure text={form.fault} />
      {progress !== null && <UploadProgress share={progress} />}
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {form.isBusy ? t('real.sending') : t('real.submit')}
      </Button>
    </form>
  );
}

/**
 * Sends the form. After a lost answer, asks for the status: if a verification exists, the form has arrived and is not sent again.
 */
async function submit(
  { fields, pictures }: ReturnType<typeof summarise>,
  onProgress: (share: number) => void,
): Promise<void> {
  try {
    await upload('user/submitReal', { fields, pictures: { ...pictures } }, { onProgress });
  } catch (error) {
    const isUnknown = error instanceof NetworkError;
    const isThere = error instanceof RefusedError && error.code.startsWith('REAL_');
    if (!isUnknown && !isThere) throw error;
    const { realStatus } = await get('user/realInfo', {}, { isSilent: true });
    if (canTake('realName', realStatus, 'submitted')) throw error;
  }
}

function IdTypeField({
  value,
  fault,
  onChange,
}: {
  value: string;
  fault: string | null;
  onChange: (value: string) => void;
}) {
  const { t } = useText();
  return (
    <Field label={t('real.idType')} fault={fault} isSelect>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{t('account.regionChoose')}</option>
          {ID_TYPES.map((type) => (
            <option key={type} value={type}>
              {t(`real.type.${type}`)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
