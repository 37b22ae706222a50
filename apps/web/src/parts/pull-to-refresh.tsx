import { ResetIcon } from '@fairtick/ui';
import { type ReactNode, type TouchEvent, useRef, useState } from 'react';
import { tellFault } from '../api/tell-fault.ts';
import { useText } from '../messages/text-context.tsx';
import css from './lists.module.css';

/** The pull that triggers a refresh, and the most that the content follows. */
const TRIGGER_PX = 64;
const MAX_PX = 96;
const RESISTANCE = 0.5;

/** Refreshes a list that is pulled down at its top. The scrolling element is the nearest `main`. */
export function PullToRefresh(props: { onRefresh: () => Promise<unknown>; children: ReactNode }) {
  const { onRefresh, children } = props;
  const { t } = useText();
  const [pulled, setPulled] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const startY = useRef<number | null>(null);

  const begin = (event: TouchEvent<HTMLDivElement>) => {
    const isAtTop = (event.currentTarget.closest('main')?.scrollTop ?? 0) <= 0;
    startY.current = isAtTop && !isBusy ? (event.touches[0]?.clientY ?? null) : null;
  };
  const move = (event: TouchEvent<HTMLDivElement>) => {
    if (startY.current === null) return;
    const distance = ((event.touches[0]?.clientY ?? 0) - startY.current) * RESISTANCE;
    setPulled(Math.max(0, Math.min(distance, MAX_PX)));
  };
  const end = async () => {
    if (startY.current === null) return;
    startY.current = null;
    if (pulled < TRIGGER_PX) {
      setPulled(0);
      return;
    }
    setPulled(TRIGGER_PX);
    setBusy(true);
    try {
      await onRefresh();
    } catch (error) {
      tellFault(error, t);
    } finally {
      setBusy(false);
      setPulled(0);
    }
  };
  const text = isBusy ? t('list.refreshing') : pulled >= TRIGGER_PX ? t('list.release') : t('list.pull');
  return (
    <div onTouchStart={begin} onTouchMove={move} onTouchEnd={end} onTouchCancel={end}>
      <div
        className={`note flex justify-center items-end gap-8 ${css.pull}`}
        style={{ height: pulled }}
        data-moving={startY.current !== null || undefined}
        aria-hidden={pulled === 0}
      >
        <ResetIcon size={18} data-busy={isBusy || undefined} style={{ rotate: `${pulled * 3}deg` }} />
        <span role={isBusy ? 'status' : undefined}>{text}</span>
      </div>
      {children}
    </div>
  );
}
