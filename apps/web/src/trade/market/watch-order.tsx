import { Button, CloseIcon, DownIcon, IconButton } from '@fairtick/ui';
import { useState } from 'react';
import { tellFault } from '../../api/tell-fault.ts';
import { market } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import css from './market.module.css';
import { setWatched, useWatchlist } from './watchlist.ts';

/** Leads to the order of the watchlist, which is saved once it is left. */
export default function WatchOrder() {
  const { t } = useText();
  const watched = useWatchlist().filter((symbol) => market.get(symbol));
  /** The list while it is changed; null otherwise. */
  const [draft, setDraft] = useState<readonly string[] | null>(null);
  if (watched.length < 2 && draft === null) return null;
  const close = () => {
    setDraft(null);
    if (draft !== null && draft.join() !== watched.join())
      setWatched(draft).catch((error: unknown) => tellFault(error, t));
  };
  return (
    <>
      <button type="button" className="secondary centred full touch" onClick={() => setDraft(watched)}>
        {t('market.reorder')}
      </button>
      <Dialog title={t('market.reorder')} isOpen={draft !== null} onClose={close}>
        <Rows symbols={draft ?? []} onChange={setDraft} />
        <Button look="line" isBlock className="mt-16" onClick={close}>
          {t('market.reorderDone')}
        </Button>
      </Dialog>
    </>
  );
}

function Rows(props: { symbols: readonly string[]; onChange: (symbols: readonly string[]) => void }) {
  const { t } = useText();
  const { symbols, onChange } = props;
  const move = (at: number, by: 1 | -1) => {
    const next = [...symbols];
    next.splice(at + by, 0, ...next.splice(at, 1));
    onChange(next);
  };
  return (
    <ol>
      {symbols.map((symbol, at) => (
        <li key={symbol} className={`row gap-4 ${css.orderRow}`}>
          <span className={`stack fill ${css.rowName}`}>
            <b>{market.get(symbol)?.name ?? symbol}</b>
            <span>{symbol}</span>
          </span>
          <IconButton
            label={t('market.moveUp', { symbol })}
            className={css.up ?? ''}
            disabled={at === 0}
            onClick={() => move(at, -1)}
          >
            <DownIcon size={20} />
          </IconButton>
          <IconButton
            label={t('market.moveDown', { symbol })}
            disabled={at === symbols.length - 1}
            onClick={() => move(at, 1)}
          >
            <DownIcon size={20} />
          </IconButton>
          <IconButton
            label={`${t('market.unwatch')}: ${symbol}`}
            onClick={() => onChange(symbols.filter((other) => other !== symbol))}
          >
            <CloseIcon size={20} />
          </IconButton>
        </li>
      ))}
    </ol>
  );
}
