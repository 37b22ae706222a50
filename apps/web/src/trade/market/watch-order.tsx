import { Button, CloseIcon, DownIcon, IconButton } from '@fairtick/ui';
import { useState } from 'react';
import { tellFault } from '../../api/tell-fault.ts';
import { market } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form-parts.tsx';
import css from './market.module.css';
import { GROUP, setWatched, useWatchlist } from './watchlist.ts';

/** Leads to the order and the groups of the watchlist, which are saved once they are left. */
export default function WatchOrder() {
  const { t } = useText();
  const watched = useWatchlist().filter((entry) => entry.startsWith(GROUP) || market.get(entry));
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
        <NewGroup onAdd={(name) => setDraft([...new Set([...(draft ?? []), GROUP + name])])} />
        <Rows entries={draft ?? []} onChange={setDraft} />
        <Button look="line" isBlock className="mt-16" onClick={close}>
          {t('market.reorderDone')}
        </Button>
      </Dialog>
    </>
  );
}

const LONGEST_NAME = 20;

function NewGroup({ onAdd }: { onAdd: (name: string) => void }) {
  const { t } = useText();
  const [typed, setTyped] = useState('');
  // These two part the entries of the list.
  const name = typed.replace(/[,#\s]+/g, ' ').trim();
  return (
    <form
      className="flex items-end gap-8 mb-12"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd(name);
        setTyped('');
      }}
    >
      <div className="fill">
        <TextField
          label={t('market.group')}
          fault={null}
          value={typed}
          maxLength={LONGEST_NAME}
          onChange={setTyped}
        />
      </div>
      <Button type="submit" disabled={name === '' || name.length > LONGEST_NAME}>
        {t('market.addGroup')}
      </Button>
    </form>
  );
}

function Rows(props: { entries: readonly string[]; onChange: (entries: readonly string[]) => void }) {
  const { t } = useText();
  const { entries, onChange } = props;
  const move = (at: number, by: 1 | -1) => {
    const next = [...entries];
    next.splice(at + by, 0, ...next.splice(at, 1));
    onChange(next);
  };
  return (
    <ol>
      {entries.map((entry, at) => {
        const isGroup = entry.startsWith(GROUP);
        const symbol = isGroup ? entry.slice(GROUP.length) : entry;
        return (
          <li key={entry} className={`row gap-4 ${css.orderRow}`}>
            {isGroup ? (
              <h3 className="fill breaks">{symbol}</h3>
            ) : (
              <span className={`stack fill ${css.rowName}`}>
                <b>{market.get(symbol)?.name ?? symbol}</b>
                <span>{symbol}</span>
              </span>
            )}
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
              disabled={at === entries.length - 1}
              onClick={() => move(at, 1)}
            >
              <DownIcon size={20} />
            </IconButton>
            <IconButton
              label={`${t(isGroup ? 'market.removeGroup' : 'market.unwatch')}: ${symbol}`}
              onClick={() => onChange(entries.filter((other) => other !== entry))}
            >
              <CloseIcon size={20} />
            </IconButton>
          </li>
        );
      })}
    </ol>
  );
}
