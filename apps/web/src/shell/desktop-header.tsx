import { BrandMark, buttonClass, GlobeIcon, IconButton, MoonIcon, SunIcon } from '@fairtick/ui';
import { useSearch } from 'wouter/use-browser-location';
import { useText } from '../messages/text-context.tsx';
import { formatAmount } from '../state/format.ts';
import { useIsLoggedIn, useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';
import { DemoMark } from './demo-mark.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { Link } from './link.tsx';
import css from './navigation.module.css';
import { type Route, TABS } from './routes.ts';
import { activeTab, tabWithin, UnreadCount, UnreadMark } from './tab-bar.tsx';

export function DesktopHeader({ route }: { route: Route }) {
  const { t } = useText();
  const within = tabWithin(route, useSearch({ ssrSearch: '' }));
  const isMember = useIsLoggedIn();
  return (
    <header className={css.header}>
      <Link href="/index" className={css.brand} aria-label="Fairtick">
        <BrandMark />
        Fairtick
      </Link>
      <DemoMark />
      <nav className={css.headerTabs} aria-label={t('shell.tabs')}>
        {TABS.map((tab) => (
          <Link
            key={tab.name}
            href={`/${tab.name}`}
            className={css.headerTab}
            aria-current={activeTab(route.name) === tab.name ? 'page' : undefined}
            data-within={within === tab.name || undefined}
          >
            {t(tab.label)}
            {tab.name === 'mine' && <UnreadMark />}
            {tab.name === 'chat' && <UnreadCount />}
          </Link>
        ))}
      </nav>
      {isMember ? <HeaderBalance /> : <HeaderLogin />}
      <LanguageMenu icon={<GlobeIcon size={22} />} />
      <ThemeButton />
    </header>
  );
}

function HeaderBalance() {
  const { t } = useText();
  const asset = useSettings((state) => state.asset);
  const balance = useSession((state) => state.userInfo?.balances.find((entry) => entry.asset === asset));
  return (
    <span className={css.headerBalance}>
      {t('trade.available')}
      <b translate="no">{balance ? formatAmount(balance.available) : '–'}</b>
      {asset}
    </span>
  );
}

function HeaderLogin() {
  const { t } = useText();
  return (
    <span className={css.headerLogin}>
      <Link href="/login">{t('account.login')}</Link>
      <Link href="/register" className={buttonClass} data-look="line" data-size="small">
        {t('account.register')}
      </Link>
    </span>
  );
}

export function ThemeButton() {
  const { t } = useText();
  const dark = useSettings((state) => state.dark);
  const toggleDark = useSettings((state) => state.toggleDark);
  return (
    <IconButton label={dark ? t('shell.light') : t('shell.dark')} onClick={toggleDark}>
      {dark ? <SunIcon size={22} /> : <MoonIcon size={22} />}
    </IconButton>
  );
}
