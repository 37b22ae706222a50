import { useState } from 'react';
import { useLocation } from 'wouter';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { useNow } from '../reviews/queries.ts';
import { More } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { Pills } from '../shell/pills.tsx';
import split from '../shell/split.module.css';
import { caseOf } from '../state/recent-cases.ts';
import { CannedDialog } from './canned-dialog.tsx';
import css from './chats.module.css';
import { ConversationView } from './conversation-view.tsx';
import { type Case, type Filter, useCases } from './queries.ts';
import { useWaitText } from './wait-text.ts';

const FILTERS: readonly Filter[] = ['waiting', 'mine', 'all'];

/** Support's console: the conversations, and the open one beside them. The address names the open one. */
export default function ChatsPage() {
  const { t } = useText();
  const has = useHas();
  const [location, navigate] = useLocation();
  const [filter, setFilter] = useState<Filter>('waiting');
  const [isEditing, setEditing] = useState(false);
  const cases = useCases(filter);
  const openId = caseOf(location);
  const mayAnswer = has('support');
  const [hasContext, setContext] = useState(false);
  // After an answer in the list of waiting conversations, the next one opens.
  const openNext = () => {
    const next =
      filter === 'waiting'
        ? cases.rows.find(({ id, claim }) => id !== openId && (claim?.isMine ?? true))
        : undefined;
    if (next) navigate(`/${next.id}`);
  };
  return (
    <div className={css.page}>
      <section className={css.list} aria-labelledby="chats-title">
        <header className={`row between gap-12 ${css.head}`}>
          <h1 id="chats-title">{t('page.chats')}</h1>
          {mayAnswer && <Action onClick={() => setEditing(true)}>{t('chat.canned')}</Action>}
        </header>
        <Pills
          label={t('chat.filter')}
          values={FILTERS}
          value={filter}
          nameOf={(one) => t(`chat.filter.${one}`)}
          onChange={setFilter}
        />
        <ul className="stack gap-2">
          {cases.rows.map((row) => (
            <li key={row.id}>
              <CaseRow row={row} isOpen={row.id === openId} onOpen={() => navigate(`/${row.id}`)} />
            </li>
          ))}
        </ul>
        {cases.rows.length === 0 && (
          <p className="caption">{t(cases.isPending ? 'shell.loading' : 'chat.none')}</p>
        )}
        <More query={cases} />
        <p className="caption">{t('chat.listNote')}</p>
      </section>
      <section className={`flex-column min-0 ${split.aside} ${css.open}`} aria-label={t('chat.open')}>
        {openId === null ? (
          <p className={`ink-3 text-center ${split.choose}`}>{t('chat.choose')}</p>
        ) : (
          <ConversationView
            key={openId}
            id={openId}
            mayAnswer={mayAnswer}
            hasContext={hasContext}
            onContext={setContext}
            onAnswered={openNext}
          />
        )}
      </section>
      <CannedDialog isOpen={isEditing} onClose={() => setEditing(false)} />
    </div>
  );
}

function CaseRow({ row, isOpen, onOpen }: { row: Case; isOpen: boolean; onOpen: () => void }) {
  const { t, word } = useText();
  const nowMs = useNow();
  const waitText = useWaitText();
  const isLate = row.answerBy !== null && row.answerBy < nowMs;
  return (
    <button
      type="button"
      className={`stack full gap-2 text-left ${css.case}`}
      aria-current={isOpen ? 'true' : undefined}
      data-chat={row.id}
      onClick={onOpen}
    >
      <span className="line">
        <b>{row.account}</b>
        <span className={`caption ${css.tag}`}>{word('language', row.language)}</span>
        {row.unread > 0 && (
          <span className={css.unread}>
            {row.unread}
            <span className="sr"> {t('chat.unread')}</span>
          </span>
        )}
      </span>
      <span className="line">
        <span className={isLate ? css.late : css.soft}>{waitText(row, nowMs)}</span>
        <span className={css.soft}>
          {row.claim && (row.claim.isMine ? t('chat.mine') : row.claim.by.name)}
        </span>
      </span>
    </button>
  );
}
