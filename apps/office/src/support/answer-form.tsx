import { LANGUAGES, type Language, languageOf } from '@fairtick/protocol/languages';
import { endsWord } from '@fairtick/ui/enter-sends';
import { newKey } from '@fairtick/ui/keys';
import { lengthOf } from '@fairtick/ui/text-length';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { NetworkError, post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, BarSelect, FormFault, LongText, useForm } from '../shell/form.tsx';
import { Pills } from '../shell/pills.tsx';
import css from './chats.module.css';
import { refreshChats, useCanned } from './queries.ts';
import { useSavedReplies } from './saved-replies.tsx';

type Kind = 'answer' | 'note';
const MOST_LETTERS = 2_000;

interface AnswerProps {
  readonly id: string;
  readonly language: string;
  readonly isBarred: boolean;
  readonly owner: string;
  /** Called once an answer is sent. */
  readonly onAnswered: () => void;
}

/** What is being written, and how it is sent. Each text has one idempotency key, so that a retry does not post it twice. */
function useAnswer({ id, isBarred, onAnswered }: AnswerProps) {
  // With its kind: a note for colleagues must not come back as an answer.
  const form = useForm({ draft: `chat ${id}`, values: { kind: 'answer' as Kind, text: '' } });
  const { kind, text: draft } = form.values;
  const sent = useRef({ key: newKey(), text: '', kind });
  const typedMs = useRef(Number.NEGATIVE_INFINITY);
  const text = draft.trim();
  const send = () =>
    form.send(async () => {
      if (sent.current.text !== text || sent.current.kind !== kind)
        sent.current = { key: newKey(), text, kind };
      const { key } = sent.current;
      const path = `chat/${kind}` as const;
      // Without an answer, retries once under the same key before showing a fault.
      await post(path, { id, key, text }).catch((error: unknown) => {
        if (!(error instanceof NetworkError)) throw error;
        return post(path, { id, key, text });
      });
      sent.current = { key: newKey(), text: '', kind };
      form.set({ text: '' });
      await refreshChats(id);
      if (kind === 'answer') onAnswered();
    });
  const type = (next: string) => {
    form.set({ text: next });
    if (kind === 'note' || isBarred || performance.now() - typedMs.current < 3_000) return;
    typedMs.current = performance.now();
    // A lost typing signal does no harm.
    post('chat/typing', { id }).catch(() => {});
  };
  const isOff =
    form.isBusy || text === '' || lengthOf(draft, MOST_LETTERS).isOver || (kind === 'answer' && isBarred);
  return { form, kind, draft, type, isOff, submit: () => void (isOff || send()) };
}

/** An answer, or a note for colleagues. */
export function AnswerForm(props: AnswerProps) {
  const { t } = useText();
  const { form, kind, draft, type, isOff, submit } = useAnswer(props);
  const language = languageOf(props.language);
  const replies = useSavedReplies({ text: draft, isOn: kind === 'answer', language, onChange: type });
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    replies.onKeyDown(event);
    if (event.defaultPrevented || replies.isSearching) return;
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isOff || endsWord(event)) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      className={`stack gap-10 line-above ${css.form}`}
      data-kind={kind}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="line">
        <Pills
          label={t('chat.kind')}
          values={['answer', 'note'] as const}
          value={kind}
          nameOf={(one) => t(`chat.kind.${one}`)}
          onChange={(next) => form.set({ kind: next })}
        />
        <span className="grow" />
        {kind === 'answer' && <CannedChoice language={language} onChoose={type} />}
      </div>
      {replies.list}
      <LongText
        ref={field}
        aria-label={t(`chat.kind.${kind}`)}
        {...replies.field}
        value={draft}
        rows={3}
        maxLength={MOST_LETTERS}
        placeholder={t(`chat.hint.${kind}`)}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <FormFault text={form.fault} />
      <div className="line">
        <p className="caption">
          {kind === 'note'
            ? t('chat.noteRule')
            : props.isBarred
              ? t('chat.barred', { name: props.owner })
              : t('chat.answerRule')}
        </p>
        <span className="grow" />
        <Action look={kind === 'answer' ? 'gold' : 'line'} type="submit" disabled={isOff}>
          {t(`chat.send.${kind}`)}
        </Action>
      </div>
    </form>
  );
}

/** Canned answers, in the customer's language unless another is chosen. */
function CannedChoice({ language, onChoose }: { language: Language; onChoose: (words: string) => void }) {
  const { t, word } = useText();
  const [chosen, setChosen] = useState(language);
  const canned = useCanned().data ?? [];
  return (
    <span className={`flex gap-6 ${css.canned}`}>
      <BarSelect
        className="pill"
        aria-label={t('chat.cannedLanguage')}
        value={chosen}
        choices={LANGUAGES}
        nameOf={(one) => word('language', one)}
        onChange={(event) => setChosen(languageOf(event.target.value))}
      />
      <BarSelect
        className="pill"
        aria-label={t('chat.canned')}
        value=""
        none={t('chat.canned')}
        choices={canned.map(({ id }) => id)}
        nameOf={(one) => canned.find(({ id }) => id === one)?.title ?? ''}
        onChange={(event) => {
          const found = canned.find(({ id }) => id === event.target.value);
          if (found) onChoose(found[chosen]);
        }}
      />
    </span>
  );
}
