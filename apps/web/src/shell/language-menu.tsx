import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES } from '@fairtick/protocol/languages';
import { CheckIcon, IconButton, MoonIcon, SunIcon } from '@fairtick/ui';
import { useLayer } from '@fairtick/ui/layers';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useSettings } from '../state/settings.ts';
import { chooseLanguage } from './choose-language.ts';
import css from './shell.module.css';

/** The arrows go round in a menu. */
function move(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll('button')];
  const at = items.indexOf(document.activeElement as HTMLButtonElement);
  const { length } = items;
  const to = { ArrowDown: (at + 1) % length, ArrowUp: (at + length - 1) % length, Home: 0, End: length - 1 }[
    event.key
  ];
  if (to === undefined) return;
  event.preventDefault();
  items[to]?.focus();
}

/** A button that opens the list of languages, with the theme below it if `hasTheme`. Esc, a press elsewhere and the way back close it. */
export function LanguageMenu({ icon, hasTheme = false }: { icon: ReactNode; hasTheme?: boolean }) {
  const { t, language, tag } = useText();
  const anchor = useRef<HTMLSpanElement>(null);
  const [isOpen, setOpen] = useState(false);
  const label = hasTheme ? t('shell.languageAndTheme') : t('shell.language');
  const close = () => {
    setOpen(false);
    anchor.current?.querySelector('button')?.focus();
  };
  useLayer(isOpen, close);
  useEffect(() => {
    if (!isOpen) return;
    anchor.current?.querySelector<HTMLElement>('[aria-checked=true]')?.focus();
    const onPress = ({ target }: PointerEvent) => {
      if (!anchor.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [isOpen]);
  return (
    <span ref={anchor} className={css.menuAnchor}>
      <IconButton
        label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen((wasOpen) => !wasOpen)}
      >
        {icon}
      </IconButton>
      {/* Not a popover: those are newer than the oldest browsers, which would show it at all times. */}
      {isOpen && (
        <div
          className={css.menu}
          role="menu"
          aria-label={label}
          lang={tag}
          onKeyDown={(event) => (event.key === 'Escape' ? close() : move(event))}
        >
          {LANGUAGES.map((choice) => (
            <button
              key={choice}
              type="button"
              role="menuitemradio"
              aria-checked={choice === language}
              lang={LANGUAGE_TAGS[choice]}
              onClick={() => {
                chooseLanguage(choice);
                close();
              }}
            >
              {LANGUAGE_NAMES[choice]}
              {choice === language && <CheckIcon size={18} />}
            </button>
          ))}
          {hasTheme && <ThemeItem onChosen={close} />}
        </div>
      )}
    </span>
  );
}

function ThemeItem({ onChosen }: { onChosen: () => void }) {
  const { t } = useText();
  const dark = useSettings((state) => state.dark);
  const toggleDark = useSettings((state) => state.toggleDark);
  return (
    <button
      type="button"
      role="menuitem"
      className={css.menuTheme}
      onClick={() => {
        toggleDark();
        onChosen();
      }}
    >
      {dark ? t('shell.light') : t('shell.dark')}
      {dark ? <SunIcon size={18} /> : <MoonIcon size={18} />}
    </button>
  );
}
