import { Segments } from '@fairtick/ui';
import { Fragment, useEffect, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useSettings } from '../state/settings.ts';
import { TICKET_KEYS } from './ticket/ticket-keys.ts';
import css from './wide-trade.module.css';

/** The list of the screen's keys, which `?` shows. Readers can turn the keys off: some speak to their computer. */
export default function KeysHelp() {
  const { t } = useText();
  const [isOpen, setOpen] = useState(false);
  const { hasShortcuts, choose } = useSettings();
  useEffect(() => {
    const onKeyDown = ({ key, target }: KeyboardEvent) => {
      const isTyped = (target as Element).closest('input:not([type=radio]), textarea, [contenteditable]');
      if (key === '?' && !isTyped) setOpen(true);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  const rows = [...Object.entries(TICKET_KEYS), ['Esc', 'disarm'], ['?', 'list']] as const;
  return (
    <>
      <button type="button" className={`caption touch ${css.keysLink}`} onClick={() => setOpen(true)}>
        {t('keys.title')} <kbd>?</kbd>
      </button>
      <Dialog title={t('keys.title')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <dl className={css.keys}>
          {rows.map(([key, act]) => (
            <Fragment key={key}>
              <dt>
                <kbd>{key.length === 1 ? key.toUpperCase() : key}</kbd>
              </dt>
              <dd>{t(`keys.${act as 'search'}`)}</dd>
            </Fragment>
          ))}
        </dl>
        <Segments
          label={t('keys.on')}
          name="shortcuts"
          value={hasShortcuts ? 'on' : 'off'}
          choices={[
            { value: 'on', label: t('keys.on') },
            { value: 'off', label: t('keys.off') },
          ]}
          onChange={(value) => choose('hasShortcuts', value === 'on')}
        />
      </Dialog>
    </>
  );
}
