import { Skeleton } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get } from '../api/client.ts';
import { Queries } from '../api/query-client.tsx';
import { useText, WithTexts } from '../messages/text-context.tsx';
import { TabTitle } from '../shell/tab-title.tsx';
import { useUi } from '../state/ui.ts';
import css from './chat.module.css';
import { Conversation } from './conversation.tsx';

/** `/chat`: the built-in conversation with support, or the page of the provider that the operator has named. */
export default function ChatPage() {
  return (
    <Queries>
      <WithTexts part="support">
        <Chat />
      </WithTexts>
    </Queries>
  );
}

function Chat() {
  const { t, language } = useText();
  const config = useQuery({
    queryKey: ['appConfig', language],
    queryFn: ({ signal }) => get('app/config', {}, { signal, isSilent: true }),
    staleTime: 5 * 60_000,
  });
  const told = config.data?.charUrl;
  const { charUrl, setCharUrl } = useUi();
  useEffect(() => {
    if (told !== undefined) setCharUrl(told);
  }, [told, setCharUrl]);
  const url = told ?? charUrl;
  return (
    <div className={css.page}>
      <TabTitle className={css.top}>{t('title.chat')}</TabTitle>
      {url !== '' ? (
        <Provider url={url} />
      ) : config.isPending ? (
        <div className={css.waiting} aria-busy="true">
          <Skeleton width="100%" height={96} />
          <Skeleton width="100%" height={56} />
        </div>
      ) : (
        <Conversation />
      )}
    </div>
  );
}

/** Another provider's page: sandboxed, it runs its code in its own origin and can't reach the app. */
function Provider({ url }: { url: string }) {
  const { t } = useText();
  return (
    <>
      <p className={`secondary ${css.foreign}`}>{t('support.provider', { host: new URL(url).host })}</p>
      <iframe
        className={css.frame}
        src={url}
        title={t('support.providerTitle')}
        sandbox="allow-scripts allow-forms allow-same-origin allow-popups"
        referrerPolicy="no-referrer"
      />
    </>
  );
}
