import type { RealInfo } from '@fairtick/protocol';
import { canTake } from '@fairtick/protocol/lifecycles';
import { Skeleton } from '@fairtick/ui';
import { useEffect } from 'react';
import css from '../account/account.module.css';
import { queryClient } from '../api/query-client.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { useOnNotice } from '../live/notices.ts';
import { refreshUserInfo } from '../live/user-info.ts';
import { useText } from '../messages/text-context.tsx';
import { QueryFault } from '../parts/loaded.tsx';
import { pageOf } from '../parts/page.tsx';
import { useSession } from '../state/session.ts';
import { RealNameForm } from './real-name-form.tsx';
import { Failed, Pending, Verified } from './real-name-states.tsx';

/** `/realName`: the state of the verification, and the form when one can be submitted. */
export default pageOf('identity', RealName);

/** Fallback interval, in case the notice of a decision does not arrive. */
const ASK_AGAIN_MS = 10_000;

function RealName() {
  const { t, language } = useText();
  const info = useAnswer(
    'user/realInfo',
    { language },
    { refetchInterval: ({ state }) => (state.data?.realStatus === 'pending' ? ASK_AGAIN_MS : false) },
  );
  const config = useAnswer('app/config', { language }, { staleTime: Number.POSITIVE_INFINITY });
  useKnownStatus(info.data?.realStatus);
  useOnNotice(({ kind }) => kind.startsWith('verification.') && void info.refetch());
  const failure = info.data ? config.error : info.error;
  const canSubmit = info.data && canTake('realName', info.data.realStatus, 'submitted');
  if (info.data && (config.data || !canSubmit))
    return (
      <div className="page">
        {info.data.realStatus === 'pending' && <Pending info={info.data} />}
        {info.data.realStatus === 'verified' && <Verified info={info.data} />}
        {info.data.realStatus === 'failed' && <Failed info={info.data} />}
        {info.data.realStatus === 'none' && <p className={`secondary ${css.lead}`}>{t('real.noneLead')}</p>}
        {config.data && canSubmit && (
          <RealNameForm
            info={info.data}
            config={config.data}
            onSent={() => queryClient.refetchQueries({ queryKey: ['user/realInfo'] })}
          />
        )}
      </div>
    );
  if (!failure) return <Waiting />;
  return <QueryFault error={failure} onAgain={() => void queryClient.refetchQueries({ type: 'active' })} />;
}

/** Updates the user info, so that other screens show the new status. */
function useKnownStatus(status: RealInfo['realStatus'] | undefined): void {
  useEffect(() => {
    if (status && useSession.getState().userInfo?.realStatus !== status) void refreshUserInfo();
  }, [status]);
}

function Waiting() {
  return (
    <div className="page" aria-busy="true">
      <div className={`stack gap-20 ${css.waiting}`}>
        <Skeleton width={160} height={28} />
        <Skeleton width="80%" />
        {Array.from({ length: 5 }, (_, at) => (
          <Skeleton key={at} width="100%" height={52} />
        ))}
      </div>
    </div>
  );
}
