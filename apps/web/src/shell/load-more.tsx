import { useEffect, useRef } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './lists.module.css';

export type MoreState = 'more' | 'loading' | 'end' | 'fault';

/** How far below the screen the next page is already asked for. */
const MARGIN = '400px';

/** The end of a list that has more: it is fetched when the reader comes near; a button is there for the keyboard. */
export function LoadMore({ state, onMore }: { state: MoreState; onMore: () => void }) {
  const { t } = useText();
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = end.current;
    if (state !== 'more' || !element) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && onMore(),
      {
        rootMargin: MARGIN,
      },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [state, onMore]);
  return (
    <div ref={end} className={css.more} role="status">
      {state === 'loading' && t('list.loading')}
      {state === 'end' && t('list.end')}
      {state === 'more' && (
        <button type="button" onClick={onMore}>
          {t('list.more')}
        </button>
      )}
      {state === 'fault' && (
        <button type="button" onClick={onMore}>
          {t('list.again')}
        </button>
      )}
    </div>
  );
}
