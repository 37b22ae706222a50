import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import type { MessageId } from '../messages/text.ts';
import { useSettings } from '../state/settings.ts';

/** A key that does something while its part of the screen is there. */
export interface PageKey {
  readonly key: string;
  /** Another key that does the same; the list of shortcuts leaves it out. */
  readonly also?: string;
  readonly title: MessageId;
  readonly run: () => void;
}

interface Registry {
  readonly keys: readonly (readonly Pick<PageKey, 'key' | 'title'>[])[];
}
/** What the list of shortcuts names beside its own. */
export const useRegistry = create<Registry>()(() => ({ keys: [] }));

/** After G comes a page's letter: so long it is no key of ours. */
const SEQUENCE_MS = 1_500;
let goneAtMs = Number.NEGATIVE_INFINITY;

/**
 * Keys without a held one, where nobody types and no dialog is open. They come before the table's own, so that J and K mean the
 * same everywhere on the page. None of them decides anything: what moves money or a name asks once more.
 */
export function usePageKeys(keys: readonly PageKey[]): void {
  const { hasShortcuts } = useSettings();
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  // The names alone: what the keys do changes with each render.
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

/** Somebody types, a dialog has the keys, or it is the second letter of a sequence. */
function isElsewhere(event: KeyboardEvent): boolean {
  const isSecond = event.timeStamp - goneAtMs < SEQUENCE_MS;
  if (event.key === 'g') goneAtMs = event.timeStamp;
  const { target } = event;
  const hasOwn = target instanceof HTMLElement && target.closest('input, select, textarea') !== null;
  return isSecond || hasOwn || document.querySelector('dialog[open]') !== null;
}
