import type { AppConfig, RealInfo } from '@fairtick/protocol';
import { canTake } from '@fairtick/protocol/lifecycles';
import { Field, LockIcon, Notice } from '@fairtick/ui';
import { useEffect, useState } from 'react';
import { get, NetworkError, RefusedError } from '../api/client.ts';
import { upload } from '../api/upload.ts';
import { useText } from '../messages/text-context.tsx';
import { CountryField } from '../parts/country-field.tsx';
import { useDraft } from '../parts/draft.ts';
import { Check, Remark, SendForm, TextField } from '../parts/form-parts.tsx';
import { Link } from '../shell/link.tsx';
import { useToast } from '../state/toast.ts';
import { PictureField } from './picture-field.tsx';
import { EMPTY_FORM, errors, ID_TYPES, keptFor, needsBack, summarise } from './real-name-model.ts';
import own from './verification.module.css';

type Config = Pick<AppConfig, 'mode' | 'restrictedRegions'>;

/** What is entered so far outlives the screen, which is not cached, and is forgotten after sending. */
function useRealName(info: RealInfo, config: Config, onSent: () => Promise<unknown>) {
  const { t } = useText();
  const [progress, setProgress] = useState<number | null>(null);
  const form = useDraft('realName', {
    values: EMPTY_FORM,
    shows: 'all',
    check: (values) => errors(values, config),
  });
  const { values, set } = form;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each submission
  useEffect(() => set(keptFor(values, info.kept)), [info.kept]);
  const summary = summarise(values, config);
  const send = async () => {
    setProgress(0);
    try {
      await submit(summary, setProgress);
    } finally {
      setProgress(null);
    }
    useToast.getState().show(t('shell.submitted'));
    await onSent();
    form.forget();
  };
  const picture = (field: 'idFront' | 'idBack') => ({
    picture: values[field],
    fault: form.faultOf(field),
    isDisabled: form.isBusy,
    onChange: (taken: Blob | null) => set(field === 'idFront' ? { idFront: taken } : { idBack: taken }),
  });
  return { ...form, summary, send, picture, progress };
}

export function RealNameForm(props: { info: RealInfo; config: Config; onSent: () => Promise<unknown> }) {
  const { t } = useText();
  const form = useRealName(props.info, props.config, props.onSent);
  const { summary, values, progress } = form;
  const hasBack = needsBack(values.idType);
  return (
    <SendForm
      form={form}
      send={form.send}
      button={t('real.submit')}
      busy={t('real.sending')}
      top={20}
      progress={progress !== null && <UploadProgress share={progress} />}
    >
      <CountryField label={t('real.idCountry')} {...form.field('idCountry')} />
      {summary.isRestricted && (
        <Notice look={summary.isBarred ? 'bad' : 'info'}>
          {summary.isBarred ? t('real.regionBarred') : t('real.regionWarning')}
        </Notice>
      )}
      <IdTypeField {...form.field('idType')} />
      <TextField label={t('real.idNumber')} maxLength={80} {...form.field('idNumber')} />
      <TextField
        label={t('real.realName')}
        hint={t('real.realNameHint')}
        maxLength={100}
        autoComplete="name"
        {...form.field('realName')}
      />
      <TextField label={t('real.idAddress')} maxLength={300} {...form.field('idAddress')} />
      <CurrentAddress form={form} />
      <fieldset className="halves gap-14">
        <legend className="sr">{t('real.photos')}</legend>
        <PictureField
          label={t('real.idFront')}
          hint={hasBack ? t('real.idFrontHint') : t('real.idFrontPassport')}
          {...form.picture('idFront')}
        />
        {hasBack && (
          <PictureField label={t('real.idBack')} hint={t('real.idBackHint')} {...form.picture('idBack')} />
        )}
      </fieldset>
      <Remark icon={<LockIcon size={20} />}>
        {t('real.privacy')}{' '}
        <Link className="link" href="/whoLooked">
          {t('title.whoLooked')}
        </Link>
      </Remark>
    </SendForm>
  );
}

function CurrentAddress({ form }: { form: ReturnType<typeof useRealName> }) {
  const { t } = useText();
  const { livesThere } = form.values;
  return (
    <div>
      <div style={{ paddingBottom: livesThere ? 0 : 14 }}>
        <Check
          isChecked={livesThere}
          onChange={(is) => {
            form.clear('currentAddress');
            form.set({ livesThere: is });
          }}
        >
          {t('real.livesThere')}
        </Check>
      </div>
      {!livesThere && (
        <TextField
          label={t('real.currentAddress')}
          maxLength={300}
          autoComplete="street-address"
          {...form.field('currentAddress')}
        />
      )}
    </div>
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

function IdTypeField(props: { value: string; fault: string | null; onChange: (value: string) => void }) {
  const { value, fault, onChange } = props;
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

/** The sent share of the pictures; once all is sent, says that they are being checked. */
function UploadProgress({ share }: { share: number }) {
  const { t } = useText();
  const percent = Math.floor(share * 100);
  const text = share < 1 ? t('picture.progress', { percent }) : t('picture.checking');
  return (
    <div className={own.progress}>
      <div
        role="progressbar"
        aria-label={t('real.sending')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={text}
      >
        <i style={{ width: `${percent}%` }} />
      </div>
      <p className="secondary mt-8">{text}</p>
    </div>
  );
}
