import type { ComponentProps } from 'react';
import { useSettings } from '../state/settings.ts';
import css from './form.module.css';
import { Action } from './form.tsx';
import { usePageKeys } from './page-keys.ts';

/** A key as buttons and the list of shortcuts name it. */
export function Key({ name }: { name: string }) {
  return <kbd>{name.length === 1 ? name.toUpperCase() : name}</kbd>;
}

/** The key of a button, at the end of its text. Screen readers learn it from {@link useKeyOf}. */
export function KeyMark({ name }: { name: string }) {
  const { hasShortcuts } = useSettings();
  if (!hasShortcuts) return null;
  return (
    <span className={css.key} aria-hidden="true">
      <Key name={name} />
    </span>
  );
}

/** The attribute that names a button's key. */
export function useKeyOf(name: string): { 'aria-keyshortcuts'?: string } {
  const { hasShortcuts } = useSettings();
  return hasShortcuts ? { 'aria-keyshortcuts': name.toUpperCase() } : {};
}

/** The names of these keys in the list of shortcuts. */
const TITLES = { a: 'keys.act', v: 'keys.look', x: 'keys.refuse' } as const;

/** A button that a key presses too: it shows the key, and the list of shortcuts has it. */
export function KeyedAction({
  hotkey,
  onPress,
  onMissing,
  children,
  ...rest
}: {
  hotkey: keyof typeof TITLES;
  onPress: () => void;
  /** Run by the key while the button is disabled. */
  onMissing?: () => void;
} & Omit<ComponentProps<typeof Action>, 'onClick'>) {
  usePageKeys([
    { key: hotkey, title: TITLES[hotkey], run: () => (rest.disabled ? onMissing?.() : onPress()) },
  ]);
  return (
    <Action {...rest} {...useKeyOf(hotkey)} onClick={onPress}>
      {children}
      <KeyMark name={hotkey} />
    </Action>
  );
}
