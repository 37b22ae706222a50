import type { ChatMessage } from '@fairtick/protocol';
import { beginningOf } from '@fairtick/protocol/picture';
import { CheckIcon, FaultIcon, ReadIcon, Skeleton } from '@fairtick/ui';
import { useChatStand } from '../live/chat.ts';
import { useText } from '../messages/text-context.tsx';
import { useObjectUrl, useStoredPicture } from '../parts/object-url.ts';
import { formatMinute } from '../state/format.ts';
import css from './chat.module.css';
import { markOf, type Outgoing } from './chat-model.ts';
import { sayAgain, takeBack } from './chat-store.ts';

/** One message. Its text is plain text and never interpreted as markup. */
export function MessageBubble({ message, isFirst }: { message: ChatMessage; isFirst: boolean }) {
  const { t, tag } = useText();
  const stand = useChatStand((state) => state.stand);
  const isOwn = message.from === 'customer';
  const mark = markOf(message, stand);
  return (
    <article className={`flex-column items-start mt-10 ${css.message}`} data-from={message.from}>
      <span className={isOwn || !isFirst ? 'sr' : `caption ${css.name}`}>
        {isOwn
          ? t('support.you')
          : message.staff === null
            ? t('support.desk')
            : t('support.staff', { number: message.staff })}
      </span>
      <div className={css.bubble} data-image={message.image ? '' : undefined}>
        {message.image && <SentPicture message={message} />}
        {message.text !== null && <p dir="auto">{message.text}</p>}
        {message.text === null && message.image === null && <p>{t('support.erased')}</p>}
      </div>
      <span className="row gap-4 mt-4 text-11 ink-3">
        <time dateTime={new Date(message.time).toISOString()}>{formatMinute(message.time, tag)}</time>
        {isOwn && (mark === 'read' ? <ReadIcon size={15} /> : <CheckIcon size={14} />)}
        {isOwn && t(`support.${mark}`)}
      </span>
    </article>
  );
}

export function OutgoingBubble({ outgoing }: { outgoing: Outgoing }) {
  const { t } = useText();
  const { status, key } = outgoing;
  return (
    <article
      className={`flex-column items-start mt-10 ${css.message}`}
      data-from="customer"
      data-status={status}
    >
      <span className="sr">{t('support.you')}</span>
      <div className={css.bubble} data-image={outgoing.image ? '' : undefined}>
        {outgoing.image && <LocalPicture image={outgoing.image} />}
        {outgoing.text !== null && <p dir="auto">{outgoing.text}</p>}
      </div>
      {status === 'refused' ? (
        <span className={`row justify-end wrap mt-4 text-12 bad ${css.refused}`} role="alert">
          <FaultIcon size={14} />
          {outgoing.fault}
          <button type="button" onClick={() => sayAgain(key)}>
            {t('support.again')}
          </button>
          <button type="button" onClick={() => takeBack(key)}>
            {t('support.takeBack')}
          </button>
        </span>
      ) : (
        <span className="row gap-4 mt-4 text-11 ink-3" role="status">
          {t(`support.${status}`)}
        </span>
      )}
    </article>
  );
}

/** The largest width and height of a picture, px. */
const MOST_WIDE = 200;
const MOST_HIGH = 240;

function SentPicture({ message }: { message: ChatMessage }) {
  const { t } = useText();
  const { url, error } = useStoredPicture('chat/image', message.id);
  const { width, height } = sizeOf(message.image);
  if (error) return <p>{t('support.noPicture')}</p>;
  if (url === null) return <Skeleton width={width} height={height} />;
  return (
    <a href={url} target="_blank" rel="noreferrer" aria-label={t('support.openPicture')}>
      <img src={url} width={width} height={height} alt={t('support.picture')} />
    </a>
  );
}

function LocalPicture({ image }: { image: Blob }) {
  const { t } = useText();
  const { url } = useObjectUrl(image);
  return url === null ? null : <img src={url} alt={t('support.picture')} className={css.local} />;
}

/** The size at which a picture is shown, reserved before it loads so that nothing moves. */
function sizeOf(image: ChatMessage['image']): { width: number; height: number } {
  if (!image) return { width: 0, height: 0 };
  const { width, height } = beginningOf(image);
  const scale = Math.min(1, MOST_WIDE / width, MOST_HIGH / height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}
