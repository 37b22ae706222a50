import { Empty, HeadsetIcon, Notice, Skeleton } from '@fairtick/ui';
import { usePicture } from '@fairtick/ui/picture';
import { useEffect, useState } from 'react';
import { useStream } from '../api/stream.ts';
import { useChatStand } from '../live/chat.ts';
import { useSecond } from '../live/clock.ts';
import { useText } from '../messages/text-context.tsx';
import { QueryFault } from '../parts/loaded.tsx';
import { useForm } from '../parts/use-form.ts';
import { formatDay, formatMinute } from '../state/format.ts';
import css from './chat.module.css';
import { byDay, notArrived } from './chat-model.ts';
import { followMessages, markRead, readFirst, readOlder, useChat } from './chat-store.ts';
import { Composer } from './composer.tsx';
import { Desk } from './desk.tsx';
import { MessageBubble, OutgoingBubble } from './message.tsx';

/** A ref that makes the element focusable, so that arrow keys can scroll to old messages. */
function scrolledByKeys(element: HTMLElement | null): void {
  element?.setAttribute('tabindex', '0');
}

export function Conversation() {
  const { t } = useText();
  useEffect(() => followMessages(), []);
  useReading();
  const [image, setImage] = useState<File | null>(null);
  const picture = usePicture(setImage);
  return (
    <div className={css.zone} {...picture.zone}>
      <Desk />
      <div ref={scrolledByKeys} className={css.scroller} role="region" aria-label={t('title.chat')}>
        <div className={`flex-column ${css.inner}`}>
          <div className="mt-8">
            <Notice>{t('support.warning')}</Notice>
          </div>
          <Messages />
        </div>
      </div>
      <Composer {...{ image, picture }} onImage={setImage} />
    </div>
  );
}

function Messages() {
  const { t, tag } = useText();
  const { messages, fault, olderFrom, outbox } = useChat();
  const pending = notArrived(outbox, messages ?? []);
  const isEmpty = messages !== null && messages.length === 0 && pending.length === 0;
  return (
    <div
      className="flex-column grow"
      role="log"
      aria-label={t('support.log')}
      aria-busy={messages === null && fault === null}
    >
      {olderFrom !== null && <Older />}
      {messages === null && fault === null && <Skeleton width="100%" height={56} />}
      {isEmpty && (
        <Empty icon={<HeadsetIcon size={28} />} title={t('support.empty')}>
          {t('support.emptyHint')}
        </Empty>
      )}
      {byDay(messages ?? []).map(({ day, messages: ofDay }) => (
        <section key={day}>
          <h2 className="caption mt-12 text-center">{formatDay(day, tag)}</h2>
          {ofDay.map((message, place) => (
            <MessageBubble
              key={message.id}
              message={message}
              isFirst={ofDay[place - 1]?.staff !== message.staff}
            />
          ))}
        </section>
      ))}
      {pending.map((one) => (
        <OutgoingBubble key={one.key} outgoing={one} />
      ))}
      <Typing />
      {messages === null && fault !== null ? (
        <QueryFault error={fault} onAgain={() => void readFirst()} />
      ) : (
        <Offline />
      )}
    </div>
  );
}

function Older() {
  const { t } = useText();
  const form = useForm();
  return (
    <button
      type="button"
      className={`secondary px-16 touch ${css.older}`}
      disabled={form.isBusy}
      onClick={() => form.send(readOlder)}
    >
      {t('support.older')}
    </button>
  );
}

function Typing() {
  const { t } = useText();
  const stand = useChatStand((state) => state.stand);
  const isTyping = useSecond() < (stand?.typingUntil ?? 0);
  if (!isTyping) return null;
  const agent = stand?.agent == null ? t('support.desk') : t('support.staff', { number: stand.agent });
  return <p className={`caption ${css.typing}`}>{t('support.typing', { name: agent })}</p>;
}

function Offline() {
  const { t, tag } = useText();
  const { isStale, lastMs } = useStream();
  if (!isStale) return null;
  return (
    <p className={`caption ${css.offline}`} role="status">
      {lastMs === null
        ? t('support.offline')
        : t('support.offlineSince', { time: formatMinute(lastMs, tag) })}
    </p>
  );
}

function useReading(): void {
  const messages = useChat((state) => state.messages);
  const readPlace = useChatStand((state) => state.stand?.readPlace ?? 0);
  const newest = messages?.filter(({ from }) => from === 'staff').at(-1)?.place ?? 0;
  useEffect(() => {
    if (newest <= readPlace) return;
    const mark = () => {
      if (!document.hidden) markRead(newest);
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [newest, readPlace]);
}
