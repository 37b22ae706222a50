import { useMessagesInside } from '@fairtick/ui';
import { useLayer } from '@fairtick/ui/layers';
import { type ReactNode, useEffect, useRef } from 'react';
import { create } from 'zustand';
import { priceNow, useRow } from '../../live/market.ts';
import { DemoMark } from '../../shell/demo-mark.tsx';
import { formatPrice } from '../../state/format.ts';
import css from './chart.module.css';

/** The product whose chart fills the window; kept here, because a phone that is turned on its side gets another layout. */
export const useFullScreen = create<{ symbol: string | null }>()(() => ({ symbol: null }));

/** The chart over the whole window. A modal dialog keeps the focus inside and closes on Esc and on the way back. */
export function FullScreen(props: {
  symbol: string;
  actions: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  const { symbol, actions, onClose, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const row = useRow(symbol);
  const price = priceNow(row);
  useLayer(true, onClose);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  useMessagesInside(ref, true);
  return (
    <dialog ref={ref} className={`full ink ${css.full}`} aria-label={row?.name ?? symbol} onClose={onClose}>
      <header className={`flex items-baseline gap-12 ${css.fullHead}`}>
        <h2>{row?.name ?? symbol}</h2>
        <DemoMark />
        <span translate="no">{price ? formatPrice(price) : '–'}</span>
      </header>
      <div className={css.panel} data-height="fill">
        {children}
      </div>
      {actions}
    </dialog>
  );
}
