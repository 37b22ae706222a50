import { useEffect, useRef } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './lists.module.css';

export type MoreState = 'more' | 'loading' | 'end' | 'fault';

export interface More {
  readonly state: MoreState;
  readonly onMore: () => void;
}

const MARGIN = '400px';

/** The end of a paged list: fetches the next page when it comes near; also a button, for the keyboard. */
export function LoadMore(
  props: More & {
    isManual?: boolean;
  },
) {
  const { state, onMore, isManual = false } = props;
  const { t } = useText();
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = end.current;
    if (state !== 'more' || isManual || !element) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && onMore(),
      {
        rootMargin: MARGIN,
      },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [state, onMore, isManual]);
  return (
    <div ref={end} className={`note centred ${css.more}`} role="status">
      {state === 'loading' && t('list.loading')}
      {state === 'end' && t('list.end')}
      {state === 'more' && (
        <button className="px-16 ink-2 touch" type="button" onClick={onMore}>
          {t('list.more')}
        </button>
      )}
      {state === 'fault' && (
        <button className="px-16 ink-2 touch" type="button" onClick={onMore}>
          {t('list.again')}
        </button>
      )}
    </div>
  );
}
