import { Fragment, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { create } from 'zustand';
import { useText } from '../messages/text-context.tsx';
import { useSettings } from '../state/settings.ts';
import css from './app.module.css';
import { Dialog } from './dialog.tsx';
import { Tick } from './form.tsx';
import { Key } from './keyed-action.tsx';
import type { OfficePage } from './office-page.ts';
import { useRegistry } from './page-keys.ts';

interface Help {
  readonly isOpen: boolean;
  toggle(): void;
}
export const useHelp = create<Help>()((set) => ({
  isOpen: false,
  toggle: () => set(({ isOpen }) => ({ isOpen: !isOpen })),
}));

/** Longest time between G and the page's letter. */
const SEQUENCE_MS = 1_500;

/** Whether the reader is typing, so that letters are not shortcuts. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]') !== null
  );
}

/** Shortcuts of the whole office, and their list. Readers can turn single-letter shortcuts off. */
export function Shortcuts({ pages }: { pages: readonly OfficePage[] }) {
  const { t } = useText();
  const [, navigate] = useLocation();
  const { isOpen, toggle } = useHelp();
  const { hasShortcuts, toggleShortcuts } = useSettings();
  const pageKeys = useRegistry((state) => state.keys).flat();
  const goneAtMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (!hasShortcuts) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') !== null && event.key !== '?') return;
      const isSecond = event.timeStamp - goneAtMs.current < SEQUENCE_MS;
      goneAtMs.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const page = isSecond ? pages.find(({ key }) => key === event.key) : undefined;
      if (page) navigate(`/${page.name}`);
      else if (event.key === '?') toggle();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [hasShortcuts, navigate, pages, toggle]);
  /** The keys, pressed one after the other, and what they do. */
  const rows: readonly (readonly [keys: readonly string[], text: string])[] = [
    [['?'], t('keys.help')],
    ...pages.map(({ name, key }) => [['g', key], t(`page.${name}`)] as const),
    ...pageKeys.map(({ key, title }) => [[key], t(title)] as const),
    ...(pageKeys.length === 0 ? [[['j', 'k'], t('keys.rows')] as const] : []),
    [['Enter'], t('keys.open')],
    [['Esc'], t('keys.close')],
  ];
  return (
    <Dialog title={t('keys.title')} isOpen={isOpen} onClose={() => isOpen && toggle()}>
      <dl className={css.keys}>
        {rows.map(([keys, text]) => (
          <Fragment key={keys.join(' ')}>
            <dt>
              {keys.map((key) => (
                <Fragment key={key}>
                  <Key name={key} />{' '}
                </Fragment>
              ))}
            </dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
      <Tick label={t('keys.letters')} checked={hasShortcuts} onChange={toggleShortcuts} />
    </Dialog>
  );
}
