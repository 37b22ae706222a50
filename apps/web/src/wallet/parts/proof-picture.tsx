import { Skeleton } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getPicture } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import css from './request-view.module.css';

/** The stored proof as a small picture; only its owner can load it. */
export function ProofPicture({ id }: { id: string }) {
  const { t } = useText();
  const query = useQuery({
    queryKey: ['wallet', 'proof', id],
    queryFn: ({ signal }) => getPicture('recharge/proof', { id }, { signal, isSilent: true }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!query.data) return;
    const made = URL.createObjectURL(query.data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [query.data]);
  return (
    <section className={css.history}>
      <h2>{t('deposit.proof')}</h2>
      {url ? (
        <img className={css.proof} src={url} alt={t('wallet.proofAlt')} />
      ) : query.error ? (
        <p className={`caption ${css.plain}`}>{t('wallet.proofAbsent')}</p>
      ) : (
        <Skeleton width={96} height={120} />
      )}
      <p className={`caption ${css.plain}`}>{t('wallet.proofNote')}</p>
    </section>
  );
}
