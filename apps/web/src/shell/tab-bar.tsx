import { BalancePayIcon, ChatIcon, FireIcon, ManagerIcon, RefundIcon } from '@fairtick/ui';
import { useUnreadMessages } from '../live/chat.ts';
import { useNotices } from '../live/notices.ts';
import { useText } from '../messages/text-context.tsx';
import { Link } from './link.tsx';
import css from './navigation.module.css';
import { type Route, TABS } from './routes.ts';

const ICONS = {
  refund: RefundIcon,
  'balance-pay': BalancePayIcon,
  chat: ChatIcon,
  fire: FireIcon,
  manager: ManagerIcon,
} as const;

/** The trading home belongs to the first tab. */
export const activeTab = (routeName: string): string => (routeName === 'index' ? 'product' : routeName);

/** The tab to which a screen other than a tab's own belongs; null for screens that a visitor opens as well. */
export function tabWithin({ name, access }: Route, search: string): string | null {
  if (access === 'public' || TABS.some((tab) => tab.name === name)) return null;
  const isOrder = name === 'historyOrder' && new URLSearchParams(search).has('id');
  return isOrder ? 'product' : 'mine';
}

export function TabBar({ routeName }: { routeName: string }) {
  const { t } = useText();
  return (
    <nav className={`rigid line-above ${css.tabbar}`} aria-label={t('shell.tabs')}>
      {TABS.map((tab) => {
        const Icon = ICONS[tab.icon];
        const isActive = activeTab(routeName) === tab.name;
        return (
          <Link
            key={tab.name}
            href={`/${tab.name}`}
            className={css.tab}
            data-icon={tab.icon}
            aria-current={isActive ? 'page' : undefined}
          >
            <Icon />
            {t(tab.label)}
            {tab.name === 'mine' && <UnreadMark />}
            {tab.name === 'chat' && <UnreadCount />}
          </Link>
        );
      })}
    </nav>
  );
}

export function UnreadMark() {
  const { t } = useText();
  const hasUnread = useNotices((state) => state.hasUnread);
  return hasUnread ? (
    <i className={css.unread}>
      <span className="sr">{t('shell.unread')}</span>
    </i>
  ) : null;
}

const MOST_COUNTED = 99;

export function UnreadCount() {
  const { t } = useText();
  const count = useUnreadMessages();
  if (count === 0) return null;
  return (
    <>
      <i className={css.count} aria-hidden="true">
        {count > MOST_COUNTED ? `${MOST_COUNTED}+` : count}
      </i>
      <span className="sr">{t('shell.unreadChat', { count })}</span>
    </>
  );
}
