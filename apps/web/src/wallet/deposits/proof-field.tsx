import { CloseIcon, FaultNote, IconButton, UploadIcon } from '@fairtick/ui';
import { usePicture } from '@fairtick/ui/picture';
import { useId } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { useObjectUrl } from '../../parts/object-url.ts';
import parts from '../parts/parts.module.css';
import css from './deposit.module.css';

export function ProofField(props: {
  proof: File | null;
  fault: string | null;
  /** The sent share, 0 to 1, during the upload; else null. */
  progress: number | null;
  onChange: (proof: File | null) => void;
}) {
  const { t } = useText();
  const id = useId();
  const { proof, progress } = props;
  const picture = usePicture(props.onChange);
  const fault = picture.fault ? t(`picture.${picture.fault}`) : props.fault;
  return (
    <section className={parts.section}>
      <div className={`secondary ${parts.head}`}>
        <label htmlFor={id}>{t('deposit.proof')}</label>
        <span>{t('deposit.proofRule')}</span>
      </div>
      <div className={css.proof} data-fault={fault ? '' : undefined} data-empty={proof ? undefined : ''}>
        <input
          className="cover"
          id={id}
          {...picture.input}
          disabled={progress !== null}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? `${id}-fault` : undefined}
        />
        {proof ? (
          <>
            <Preview file={proof} />
            <div className="fill">
              <b className="ellipsis block text-15">{proof.name}</b>
              <span className="caption">
                {formatSize(proof.size)}
                {' · '}
                {progress === null
                  ? t('deposit.proofReady')
                  : progress < 1
                    ? t('deposit.proofSending', { share: `${Math.floor(progress * 100)}%` })
                    : t('deposit.proofSent')}
              </span>
            </div>
            <IconButton
              label={progress === null ? t('deposit.removeProof') : t('deposit.stopSending')}
              onClick={() => {
                picture.forget();
                props.onChange(null);
              }}
            >
              <CloseIcon size={18} />
            </IconButton>
            {progress !== null && <Progress share={progress} />}
          </>
        ) : (
          <span className={`row gap-10 ink-2 ${css.choose}`}>
            <UploadIcon />
            {t(picture.isPreparing ? 'picture.preparing' : 'deposit.chooseProof')}
          </span>
        )}
      </div>
      {fault && <FaultNote id={`${id}-fault`}>{fault}</FaultNote>}
    </section>
  );
}

function Progress({ share }: { share: number }) {
  const { t } = useText();
  return (
    <div
      className={css.bar}
      role="progressbar"
      aria-label={t('deposit.sendingProof')}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(share * 100)}
    >
      <i style={{ width: `${share * 100}%` }} />
    </div>
  );
}

/** A preview of the chosen picture; an empty sheet if the browser can't show it. */
function Preview({ file }: { file: File }) {
  const { t } = useText();
  const { url, hide } = useObjectUrl(file);
  return (
    <span className={css.preview}>
      {url && <img src={url} alt={t('deposit.proofPreview')} onError={hide} />}
    </span>
  );
}

const KILO = 1024;

/** 312 KB, 1.4 MB. */
function formatSize(bytes: number): string {
  const kilobytes = Math.max(1, Math.round(bytes / KILO));
  return kilobytes < KILO ? `${kilobytes} KB` : `${(bytes / KILO / KILO).toFixed(1)} MB`;
}
