import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES, type Language } from '@fairtick/protocol/languages';
import { BrandMark, KeyboardIcon, LeaveIcon, MoonIcon, SunIcon } from '@fairtick/ui';
import { focusManager } from '@tanstack/react-query';
import { post } from '../api/client.ts';
import { type Me, queryClient, setMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { useSettings } from '../state/settings.ts';
import css from './app.module.css';
import { BarSelect, useForm } from './form.tsx';
import { useKeyOf } from './keyed-action.tsx';
import { useHelp } from './shortcuts.tsx';

export function LanguageChoice() {
  const { t } = useText();
  const { language, setLanguage } = useSettings();
  return (
    <BarSelect
      aria-label={t('shell.language')}
      value={language}
      choices={LANGUAGES}
      nameOf={(one) => LANGUAGE_NAMES[one as Language]}
      tagOf={(one) => LANGUAGE_TAGS[one as Language]}
      onChange={(event) => setLanguage(event.target.value as Language)}
    />
  );
}

export function ThemeChoice() {
  const { t } = useText();
  const { dark, toggleDark } = useSettings();
  const label = t(dark ? 'shell.light' : 'shell.dark');
  return (
    <button type="button" aria-label={label} title={label} onClick={toggleDark}>
      {dark ? <SunIcon size={18} /> : <MoonIcon size={18} />}
    </button>
  );
}

export function Header({ me }: { me: Me }) {
  const { t, word } = useText();
  const help = useHelp((state) => state.toggle);
  const { hasShortcuts } = useSettings();
  const form = useForm({ shows: 'none' });
  const logOut = async () => {
    try {
      // Stops running and periodic queries first, because they would get a 401 while the session ends.
      focusManager.setFocused(false);
      await queryClient.cancelQueries();
      await post('session/logout');
      setMe(null);
    } catch (error) {
      focusManager.setFocused(undefined);
      throw error;
    }
  };
  return (
    <header className={`row ${css.bar} ${css.header}`}>
      <span className={`row gap-8 ${css.brand}`}>
        <BrandMark size={20} />
        <span className={css.word}>Office</span>
      </span>
      {me.mode === 'demo' && <span className={css.quiet}>{t('shell.demo')}</span>}
      <span className="grow" />
      <span className="ellipsis" title={me.name}>
        {me.name}
      </span>
      <span className={css.quiet}>{me.roles.map(({ role }) => word('role', role)).join(' · ')}</span>
      <span className={`row gap-4 ${css.tools}`}>
        <button
          type="button"
          aria-label={t('keys.title')}
          title={hasShortcuts ? `${t('keys.title')} (?)` : t('keys.title')}
          {...useKeyOf('?')}
          onClick={help}
        >
          <KeyboardIcon size={18} />
        </button>
        <ThemeChoice />
        <LanguageChoice />
        <button
          type="button"
          aria-label={t('session.logout')}
          title={t('session.logout')}
          onClick={() => form.send(logOut)}
        >
          <LeaveIcon size={18} />
        </button>
      </span>
    </header>
  );
}
