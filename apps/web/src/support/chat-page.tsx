import { Button, Empty, FaultIcon, Skeleton } from '@fairtick/ui';
import { abortAfter } from '@fairtick/ui/time-limit';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { pageOf } from '../parts/page.tsx';
import { TabTitle } from '../shell/tab-title.tsx';
import { useUi } from '../state/ui.ts';
import css from './chat.module.css';
import { Conversation } from './conversation.tsx';

/** `/chat`: the built-in conversation with support, or the page of the provider that the operator has named. */
export default pageOf('support', Chat);

function Chat() {
  const { t, language } = useText();
  const config = useAnswer('app/config', { language }, { staleTime: 5 * 60_000 });
  const told = config.data?.charUrl;
  const { charUrl, setCharUrl } = useUi();
  useEffect(() => {
    if (told !== undefined) setCharUrl(told);
  }, [told, setCharUrl]);
  const url = told ?? charUrl;
  return (
    <div className={`flex-column mx-auto ${css.page}`}>
      <TabTitle className={css.top}>{t('title.chat')}</TabTitle>
      {url !== '' ? (
        <Provider url={url} />
      ) : config.isPending ? (
        <div className={`stack gap-8 ${css.waiting}`} aria-busy="true">
          <Skeleton width="100%" height={96} />
          <Skeleton width="100%" height={56} />
        </div>
      ) : (
        <Conversation />
      )}
    </div>
  );
}

const REACHED_MS = 10_000;

/**
 * Another provider's page: sandboxed, it runs its code in its own origin and can't reach the app. A frame tells nobody that its page
 * did not come, so a call of our own finds out.
 */
function Provider({ url }: { url: string }) {
  const { t, gap } = useText();
  const { host } = new URL(url);
  const reached = useQuery({
    queryKey: ['provider', url],
    queryFn: () =>
      fetch(url, {
        ...{ method: 'HEAD', mode: 'no-cors', credentials: 'omit', referrerPolicy: 'no-referrer' },
        signal: abortAfter(REACHED_MS),
      }).then(() => true),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <>
      <p className={`secondary ${css.foreign}`}>
        {t('support.provider', { host })}
        {gap}
        <a href={url} target="_blank" rel="noopener noreferrer">
          {t('support.providerOpen')}
        </a>
      </p>
      <div role="status">
        {reached.isLoadingError && (
          <Empty icon={<FaultIcon size={28} />} title={t('support.providerGone', { host })}>
            <Button size="small" disabled={reached.isFetching} onClick={() => void reached.refetch()}>
              {t('list.again')}
            </Button>
          </Empty>
        )}
      </div>
      {!reached.isLoadingError && (
        <iframe
          className={`grow full ${css.frame}`}
          src={url}
          title={t('support.providerTitle')}
          sandbox="allow-scripts allow-forms allow-same-origin allow-popups"
          referrerPolicy="no-referrer"
        />
      )}
    </>
  );
}
