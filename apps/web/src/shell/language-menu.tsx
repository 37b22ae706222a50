import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES } from '@fairtick/protocol/languages';
import { CheckIcon, IconButton, MoonIcon, SunIcon } from '@fairtick/ui';
import { type KeyboardEvent, type ReactNode, useId } from 'react';
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

/**
 * A button that opens the list of languages, with the theme below it if `hasTheme`. The native popover closes on Esc and on a click
 * elsewhere.
 */
export function LanguageMenu({ icon, hasTheme = false }: { icon: ReactNode; hasTheme?: boolean }) {
  const { t, language, tag } = useText();
  const id = useId();
  const label = hasTheme ? t('shell.languageAndTheme') : t('shell.language');
  return (
    <span className={css.menuAnchor}>
      <IconButton label={label} popoverTarget={id} aria-haspopup="menu">
        {icon}
      </IconButton>
      <div
        id={id}
        popover="auto"
        className={css.menu}
        role="menu"
        aria-label={label}
        lang={tag}
        onKeyDown={move}
        onToggle={({ currentTarget, newState }) =>
          newState === 'open' && currentTarget.querySelector<HTMLElement>('[aria-checked=true]')?.focus()
        }
      >
        {LANGUAGES.map((choice) => (
          <button
            key={choice}
            type="button"
            role="menuitemradio"
            aria-checked={choice === language}
            lang={LANGUAGE_TAGS[choice]}
            popoverTarget={id}
            popoverTargetAction="hide"
            onClick={() => chooseLanguage(choice)}
          >
            {LANGUAGE_NAMES[choice]}
            {choice === language && <CheckIcon size={18} />}
          </button>
        ))}
        {hasTheme && <ThemeItem menu={id} />}
      </div>
    </span>
  );
}

function ThemeItem({ menu }: { menu: string }) {
  const { t } = useText();
  const dark = useSettings((state) => state.dark);
  const toggleDark = useSettings((state) => state.toggleDark);
  return (
    <button
      type="button"
      role="menuitem"
      className={css.menuTheme}
      popoverTarget={menu}
      popoverTargetAction="hide"
      onClick={toggleDark}
    >
      {dark ? t('shell.light') : t('shell.dark')}
      {dark ? <SunIcon size={18} /> : <MoonIcon size={18} />}
    </button>
  );
}
