import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import type { MessageId } from '../messages/text.ts';
import { useSettings } from '../state/settings.ts';

/** A keyboard shortcut that is active while its component is mounted. */
export interface PageKey {
  readonly key: string;
  /** Alternative key; not shown in the list of shortcuts. */
  readonly also?: string;
  readonly title: MessageId;
  readonly run: () => void;
}

interface Registry {
  readonly keys: readonly (readonly Pick<PageKey, 'key' | 'title'>[])[];
}
/** The shortcuts of the current page, for the list of shortcuts. */
export const useRegistry = create<Registry>()(() => ({ keys: [] }));

/** For this long after G a letter selects a page and is not a page's shortcut. */
const SEQUENCE_MS = 1_500;
let goneAtMs = Number.NEGATIVE_INFINITY;

/**
 * Shortcuts without modifier keys; inactive while the reader types or a dialog is open. Handled before the table's own keys, so
 * that J and K mean the same everywhere on the page. None of them decides anything: what moves money or a name asks for
 * confirmation.
 */
export function usePageKeys(keys: readonly PageKey[]): void {
  const { hasShortcuts } = useSettings();
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  // Only keys and titles are compared, because `run` changes with each render.
  const names = JSON.stringify(keys.map(({ key, title }) => ({ key, title })));
  useEffect(() => {
    if (!hasShortcuts) return;
    const told = JSON.parse(names) as Pick<PageKey, 'key' | 'title'>[];
    useRegistry.setState(({ keys: all }) => ({ keys: [...all, told] }));
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isElsewhere(event)) return;
      const found = latest.current.find(({ key, also }) => key === event.key || also === event.key);
      if (!found) return;
      event.preventDefault();
      event.stopPropagation();
      found.run();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => {
      window.removeEventListener('keydown', onKeyDown, { capture: true });
      useRegistry.setState(({ keys: all }) => ({ keys: all.filter((one) => one !== told) }));
    };
  }, [hasShortcuts, names]);
}

/** Whether the key belongs elsewhere: to a field, to a dialog, or to a sequence begun with G. */
function isElsewhere(event: KeyboardEvent): boolean {
  const isSecond = event.timeStamp - goneAtMs < SEQUENCE_MS;
  if (event.key === 'g') goneAtMs = event.timeStamp;
  const { target } = event;
  const hasOwn = target instanceof HTMLElement && target.closest('input, select, textarea') !== null;
  return isSecond || hasOwn || document.querySelector('dialog[open]') !== null;
}
