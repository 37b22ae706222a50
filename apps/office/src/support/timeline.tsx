import { beginningOf } from '@fairtick/protocol/picture';
import { CheckIcon } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getFile } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { More } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import css from './chats.module.css';
import type { Conversation } from './queries.ts';

type Message = Conversation['messages'][number];
type Entry =
  | { readonly kind: 'message'; readonly time: number; readonly message: Message }
  | { readonly kind: 'note'; readonly time: number; readonly note: Conversation['notes'][number] }
  | { readonly kind: 'step'; readonly time: number; readonly step: Conversation['steps'][number] };

/** Messages, notes and steps in order of time. Notes and steps older than the messages read so far are left out. */
function entriesOf(conversation: Conversation, messages: readonly Message[], isWhole: boolean): Entry[] {
  const from = isWhole ? 0 : (messages.at(-1)?.time ?? 0);
  const entries: Entry[] = [
    ...messages.map((message): Entry => ({ kind: 'message', time: message.time, message })),
    ...conversation.notes.map((note): Entry => ({ kind: 'note', time: note.time, note })),
    ...conversation.steps.map((step): Entry => ({ kind: 'step', time: step.time, step })),
  ];
  return entries.filter(({ time }) => time >= from).sort((a, b) => a.time - b.time || rank(a) - rank(b));
}

const rank = (entry: Entry): number => (entry.kind === 'message' ? entry.message.place : 0);

export function Timeline(props: {
  conversation: Conversation;
  /** Newest first. */
  messages: readonly Message[];
  older: Parameters<typeof More>[0]['query'];
}) {
  const { t } = useText();
  const { conversation, messages, older } = props;
  return (
    <div className={`flex grow ${css.scroller}`}>
      <div className={css.inner}>
        <More query={older} />
        <div className={`flex-column full gap-10 ${css.timeline}`} role="log" aria-label={t('chat.log')}>
          {entriesOf(conversation, messages, !older.hasNextPage).map((entry) =>
            entry.kind === 'message' ? (
              <MessageLine key={`m${entry.message.id}`} message={entry.message} conversation={conversation} />
            ) : entry.kind === 'note' ? (
              <NoteLine key={`n${entry.note.id}`} note={entry.note} />
            ) : (
              <StepLine key={`s${entry.time}`} step={entry.step} />
            ),
          )}
        </div>
        <p className={`caption ${css.typing}`} aria-live="polite">
          {conversation.isCustomerTyping ? t('chat.typing', { name: conversation.case.account }) : ''}
        </p>
      </div>
    </div>
  );
}

function MessageLine({ message, conversation }: { message: Message; conversation: Conversation }) {
  const { t } = useText();
  const isStaff = message.from === 'staff';
  const author = conversation.authors.find(({ id }) => id === message.staff)?.name;
  const mark =
    message.place <= conversation.state.readPlace
      ? 'read'
      : message.place <= conversation.customerReceivedPlace
        ? 'received'
        : 'sent';
  return (
    <div className={`flex-column items-start ${css.message}`} data-from={message.from}>
      <div className={css.bubble}>
        {message.image && <Picture message={message} />}
        {message.text !== null && <p dir="auto">{message.text}</p>}
        {message.text === null && message.image === null && <p>{t('chat.erased')}</p>}
      </div>
      <span className={`caption row gap-4 ${css.mark}`}>
        {isStaff ? author : conversation.case.account} · {formatTime(message.time)}
        {isStaff && (
          <>
            <CheckIcon size={13} />
            {t(`chat.mark.${mark}`)}
          </>
        )}
      </span>
    </div>
  );
}

function NoteLine({ note }: { note: Conversation['notes'][number] }) {
  const { t } = useText();
  return (
    <div className={css.note}>
      <b>{t('chat.noteLabel')}</b>
      <p dir="auto">{note.text ?? t('chat.erased')}</p>
      <span className={`caption row gap-4 ${css.mark}`}>
        {note.by.name} · {formatTime(note.time)}
      </span>
    </div>
  );
}

function StepLine({ step }: { step: Conversation['steps'][number] }) {
  const { t } = useText();
  return (
    <p className="caption text-center">
      {t(`chat.step.${step.step}`, { name: step.by.name, to: step.to?.name ?? '' })} · {formatTime(step.time)}
    </p>
  );
}

function Picture({ message }: { message: Message }) {
  const { t } = useText();
  const query = useQuery({
    queryKey: ['look', 'chatImage', message.id],
    queryFn: () => getFile('chat/image', { id: message.id }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!query.data) return;
    const made = URL.createObjectURL(query.data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [query.data]);
  const { width, height } = beginningOf(message.image ?? { width: 0, height: 0 });
  const scale = Math.min(1, 320 / width, 320 / height);
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  if (query.error) return <p>{t('chat.noPicture')}</p>;
  return url === null ? (
    <span className={css.blank} style={size} />
  ) : (
    <a href={url} target="_blank" rel="noreferrer" aria-label={t('chat.openPicture')}>
      <img src={url} alt={t('chat.picture')} {...size} />
    </a>
  );
}
