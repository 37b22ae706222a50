import { Skeleton } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { useStoredPicture } from '../../parts/object-url.ts';
import css from './request-view.module.css';

export function ProofPicture({ id }: { id: string }) {
  const { t } = useText();
  const { url, error } = useStoredPicture('recharge/proof', id);
  return (
    <section className={`mt-24 ${css.history}`}>
      <h2 className="mb-12">{t('deposit.proof')}</h2>
      {url ? (
        <img className={css.proof} src={url} alt={t('wallet.proofAlt')} />
      ) : error ? (
        <p className="caption mt-8">{t('wallet.proofAbsent')}</p>
      ) : (
        <Skeleton width={96} height={120} />
      )}
      <p className="caption mt-8">{t('wallet.proofNote')}</p>
    </section>
  );
}
