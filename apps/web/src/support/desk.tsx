import type { ChatState } from '@fairtick/protocol';
import { CheckIcon, HeadsetIcon, Ruler, Skeleton } from '@fairtick/ui';
import { durationText } from '@fairtick/ui/durations';
import { useStream } from '../api/stream.ts';
import { useChatStand } from '../live/chat.ts';
import { useSecond } from '../live/clock.ts';
import { useText } from '../messages/text-context.tsx';
import { formatMinute, formatOpening } from '../state/format.ts';
import css from './chat.module.css';
import { promisedOf } from './chat-model.ts';

export function Desk() {
  const { t } = useText();
  const stand = useChatStand((state) => state.stand);
  const now = useSecond();
  const isOffline = useStream((state) => state.isStale);
  // Without a connection the conversation below gives the reason.
  if (!stand && isOffline) return null;
  if (!stand) {
    return (
      <section className="card rigid py-12 px-14 mt-8 mx-side" aria-busy="true">
        <Skeleton width="100%" height={40} />
      </section>
    );
  }
  const promised = promisedOf(stand, now);
  return (
    <section className="card rigid py-12 px-14 mt-8 mx-side" aria-label={t('support.deskLabel')}>
      <div className="row gap-12">
        <span className={`centred rigid ink-2 ${css.face}`} aria-hidden="true">
          <HeadsetIcon size={22} />
        </span>
        <div className={`fill ${css.deskText}`}>
          <p>
            <b>{stand.agent === null ? t('support.desk') : t('support.staff', { number: stand.agent })}</b>
            {stand.agent !== null && (
              <span className="inline-row gap-4 text-12 ink-2">
                <CheckIcon size={14} />
                {t('support.verified')}
              </span>
            )}
          </p>
          <p>
            {promised.kind === 'nothing' ? (
              <Hours stand={stand} now={now} />
            ) : (
              <Waiting promised={promised} />
            )}
          </p>
        </div>
        {promised.kind === 'promised' && <AnswerBy by={promised.by} now={now} />}
      </div>
      {promised.kind === 'promised' && (
        // From the time of the message, at its left, to the time of the reply, at its right.
        <div className="mt-10">
          <Ruler units={promised.marks} share={(now - promised.since) / (promised.by - promised.since)} />
        </div>
      )}
    </section>
  );
}

function AnswerBy({ by, now }: { by: number; now: number }) {
  const { t, tag } = useText();
  return <p className={css.answerBy}>{t('support.answerBy', { time: formatOpening(by, now, tag) })}</p>;
}

function Waiting({ promised }: { promised: Exclude<ReturnType<typeof promisedOf>, { kind: 'nothing' }> }) {
  const { t, tag } = useText();
  if (promised.kind === 'overdue') return t('support.overdue', { time: formatMinute(promised.by, tag) });
  return t('support.received', { time: formatMinute(promised.since, tag) });
}

/** Without a pending question: when support is available, in the reader's zone. */
function Hours({ stand, now }: { stand: ChatState; now: number }) {
  const { t, tag } = useText();
  if (stand.isOpen)
    return t('support.open', { time: durationText(stand.answerMinutes * 60_000, tag, 'long') });
  if (stand.opensAt === null) return t('support.closed');
  return t('support.opens', { time: formatOpening(stand.opensAt, now, tag) });
}
