import { useEffect, useRef } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './lists.module.css';

export type MoreState = 'more' | 'loading' | 'end' | 'fault';

/** Distance below the screen at which the next page is fetched. */
const MARGIN = '400px';

/** The end of a paged list: fetches the next page when it comes near; also a button, for the keyboard. */
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
