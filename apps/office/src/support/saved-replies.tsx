import { LANGUAGES, type Language } from '@fairtick/protocol/languages';
import { type KeyboardEvent, useId, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './chats.module.css';
import { type Canned, useCanned } from './queries.ts';

/** Begins a search of saved replies in an empty answer. */
const SIGN = '/';
const SHOWN = 8;

const holds = (reply: Canned, words: string): boolean =>
  [reply.title, ...LANGUAGES.map((one) => reply[one])].some((text) => text.toLowerCase().includes(words));

/**
 * The saved replies that an answer which begins with `/` searches for, and the field's part of it: arrows choose, Enter takes, Escape
 * takes the search back.
 */
export function useSavedReplies(of: {
  text: string;
  isOn: boolean;
  language: Language;
  onChange: (text: string) => void;
}) {
  const { text, isOn, language, onChange } = of;
  const { t } = useText();
  const id = useId();
  const [at, setAt] = useState(0);
  const canned = useCanned().data ?? [];
  const isSearching = isOn && text.startsWith(SIGN) && !text.includes('\n');
  const words = text.slice(SIGN.length).trim().toLowerCase();
  const found = isSearching ? canned.filter((one) => holds(one, words)).slice(0, SHOWN) : [];
  const active = Math.min(at, found.length - 1);
  const take = (reply: Canned) => {
    onChange(reply[language]);
    setAt(0);
  };
  const acts: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setAt(Math.min(active + 1, found.length - 1)),
    ArrowUp: () => setAt(Math.max(0, active - 1)),
    Enter: () => found[active] && take(found[active]),
    Escape: () => onChange(''),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = acts[event.key];
    if (!isSearching || !act || event.nativeEvent.isComposing) return;
    event.preventDefault();
    act();
  };
  const field = {
    'aria-controls': isSearching ? id : undefined,
    'aria-activedescendant': found[active] ? `${id}-${found[active].id}` : undefined,
  };
  const list = isSearching && (
    <div id={id} role="listbox" aria-label={t('chat.canned')} className={css.replies}>
      {found.map((reply, place) => (
        <div
          key={reply.id}
          id={`${id}-${reply.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === active}
          // Before the field loses the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            take(reply);
          }}
        >
          <b>{reply.title}</b>
          <span className="caption">{reply[language]}</span>
        </div>
      ))}
      {found.length === 0 && <p className="caption">{t('chat.noReply')}</p>}
    </div>
  );
  return { isSearching, list, field, onKeyDown };
}
