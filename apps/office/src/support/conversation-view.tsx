import { Tag } from '@fairtick/ui';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { useNow } from '../reviews/queries.ts';
import { Action, FormFault, useForm } from '../shell/form.tsx';
import { Loaded } from '../shell/loaded.tsx';
import split from '../shell/split.module.css';
import { AnswerForm } from './answer-form.tsx';
import css from './chats.module.css';
import { CustomerContext } from './customer-context.tsx';
import { HandOver } from './hand-over-dialog.tsx';
import { type Conversation, refreshChats, useConversation } from './queries.ts';
import { Timeline } from './timeline.tsx';
import { useWaitText } from './wait-text.ts';

/** One conversation: the customer, messages and notes, and the answer form. */
export function ConversationView(props: {
  id: string;
  mayAnswer: boolean;
  /** Whether the customer's balances, requests and movements are shown. */
  hasContext: boolean;
  onContext: (isShown: boolean) => void;
  onAnswered: () => void;
}) {
  const { id, mayAnswer, hasContext, onContext, onAnswered } = props;
  const query = useConversation(id);
  const [first] = query.data?.pages ?? [];
  const messages = query.data?.pages.flatMap((page) => page.messages) ?? [];
  const newest = messages[0]?.place ?? 0;
  const readPlace = first?.state.staffReadPlace ?? 0;
  useEffect(() => {
    if (!mayAnswer || newest <= readPlace || document.hidden) return;
    // If this fails the conversation stays unread, and the next refetch tries again.
    post('chat/seen', { id, place: newest }).catch(() => {});
  }, [id, mayAnswer, newest, readPlace]);
  if (!first) return <Loaded query={query}>{() => null}</Loaded>;
  const isTheirs = first.case.claim !== null && !first.case.claim.isMine;
  return (
    <article className={`flex-column grow ${split.case}`} aria-labelledby="chat-title">
      <Head conversation={first} mayAnswer={mayAnswer} hasContext={hasContext} onContext={onContext} />
      <div className={css.beside} data-context={hasContext || undefined}>
        <div className="flex-column min-0">
          <Timeline conversation={first} messages={messages} older={query} />
          {mayAnswer && (
            <AnswerForm
              key={id}
              id={id}
              language={first.case.language}
              isBarred={isTheirs}
              owner={first.case.claim?.by.name ?? ''}
              onAnswered={onAnswered}
            />
          )}
        </div>
        {hasContext && <CustomerContext id={id} />}
      </div>
    </article>
  );
}

function Head(props: {
  conversation: Conversation;
  mayAnswer: boolean;
  hasContext: boolean;
  onContext: (isShown: boolean) => void;
}) {
  const { conversation, mayAnswer, hasContext, onContext } = props;
  const { t, word } = useText();
  const { case: one, nickname, realStatus, level } = conversation;
  const nowMs = useNow();
  const waitText = useWaitText();
  const form = useForm();
  const isMine = one.claim?.isMine === true;
  const step = (name: 'claim' | 'release') =>
    form.send(async () => {
      await post(`chat/${name}`, { id: one.id });
      await refreshChats(one.id);
    });
  return (
    <header className={`stack gap-4 line-below ${css.chatHead}`}>
      <div className="line">
        <h2 id="chat-title">
          <Link href={`~/customers/${one.id}`}>{one.account}</Link>
        </h2>
        <span className={css.soft}>{nickname}</span>
        <Tag>{word('language', one.language)}</Tag>
        <Tag>{word('realStatus', realStatus)}</Tag>
        <Tag>{word('level', level)}</Tag>
        <span className="grow" />
        <Action aria-expanded={hasContext} onClick={() => onContext(!hasContext)}>
          {t('chat.context')}
        </Action>
        {mayAnswer && (one.claim === null || isMine) && (
          <Action disabled={form.isBusy} onClick={() => void step(isMine ? 'release' : 'claim')}>
            {t(isMine ? 'review.release' : 'review.claim')}
          </Action>
        )}
        {mayAnswer && isMine && <HandOver id={one.id} />}
      </div>
      <p className="caption">
        {waitText(one, nowMs)}
        {` · ${one.claim === null ? t('chat.unassigned') : isMine ? t('chat.mine') : t('chat.claimedBy', { name: one.claim.by.name })}`}
        {` · ${t('chat.seen')}`}
      </p>
      <FormFault text={form.fault} />
    </header>
  );
}
