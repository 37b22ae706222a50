import { useText } from '../messages/text-context.tsx';
import css from './verification.module.css';

/** The sent share of the pictures; once all is sent, says that they are being checked. */
export function UploadProgress({ share }: { share: number }) {
  const { t } = useText();
  const percent = Math.floor(share * 100);
  const text = share < 1 ? t('picture.progress', { percent }) : t('picture.checking');
  return (
    <div className={css.progress}>
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
