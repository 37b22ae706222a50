import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES } from '@fairtick/protocol/languages';
import {
  BellIcon,
  CardIcon,
  ChainIcon,
  ChartIcon,
  CheckIcon,
  ClockIcon,
  DevicesIcon,
  EyeIcon,
  FileIcon,
  ForwardIcon,
  GlobeIcon,
  IdentityIcon,
  KeyIcon,
  LockIcon,
  LookIcon,
  MoonIcon,
  PauseIcon,
  PersonIcon,
  ShieldCheckIcon,
  StatementIcon,
  SwapColoursIcon,
  Tag,
  TargetIcon,
  TransferIcon,
} from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { get } from '../api/client.ts';
import { Queries, queryClient } from '../api/query-client.tsx';
import { useSecond } from '../live/clock.ts';
import { onNotice } from '../live/notices.ts';
import { refreshUserInfo } from '../live/user-info.ts';
import { useText, WithTexts } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { chooseLanguage } from '../shell/choose-language.ts';
import { DemoMark } from '../shell/demo-mark.tsx';
import { HomeLink } from '../shell/home-link.tsx';
import { Link } from '../shell/link.tsx';
import { zoneName } from '../state/format.ts';
import { useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';
import css from './account.module.css';
import own from './mine.module.css';
import { AssetsCard } from './mine-assets.tsx';
import { LogoutButton, NicknameForm, PasswordForm } from './mine-forms.tsx';
import { ScoreCard } from './mine-standing.tsx';
import { ZoneForm } from './zone-form.tsx';

/** `/mine`: the account, its balances, links to everything of the customer's, and the logout. */
export default function MinePage() {
  return (
    <Queries>
      <WithTexts part="identity">
        <Mine />
      </WithTexts>
    </Queries>
  );
}

function Mine() {
  const { t } = useText();
  return (
    <PullToRefresh
      onRefresh={async () => {
        await Promise.all([refreshUserInfo(), queryClient.refetchQueries({ type: 'active' })]);
      }}
    >
      <div className={`${css.page} ${own.page}`}>
        <h1 className="sr">{t('title.mine')}</h1>
        <div className={own.column}>
          <Who />
          <AssetsCard />
          <ScoreCard />
          <Records />
        </div>
        <div className={own.column}>
          <Details />
          <Care />
        </div>
        <div className={own.settings}>
          <Settings />
          <div className={own.logout}>
            <LogoutButton />
          </div>
        </div>
      </div>
    </PullToRefresh>
  );
}

function Who() {
  const { t } = useText();
  const userInfo = useSession((state) => state.userInfo);
  if (!userInfo) return null;
  const { nickname, account, level, realStatus } = userInfo;
  // Until a customer chooses a nickname, it is the account's name.
  const hasNickname = nickname !== account;
  return (
    <header className={own.who}>
      <HomeLink />
      <span className={own.face} aria-hidden="true">
        {[...nickname][0]}
      </span>
      <div>
        <p>
          <b>{nickname}</b>
          <Tag>{t(`mine.level.${level}`)}</Tag>
        </p>
        {(hasNickname || realStatus === 'verified') && (
          <p>
            {hasNickname && <span>{account}</span>}
            {realStatus === 'verified' && (
              <span className={own.verified}>
                <CheckIcon size={14} />
                {t('mine.verified')}
              </span>
            )}
          </p>
        )}
      </div>
      <span className="narrow">
        <DemoMark />
      </span>
    </header>
  );
}

function Records() {
  const { t } = useText();
  const notices = useQuery({
    queryKey: ['notices', 'unread'],
    queryFn: ({ signal }) => get('notice/list', { limit: 1 }, { signal, isSilent: true }),
    refetchOnMount: 'always',
  });
  const { refetch } = notices;
  useEffect(() => onNotice(() => void refetch()), [refetch]);
  const unread = notices.data?.unread ?? 0;
  return (
    <nav className={css.list} aria-label={t('mine.records')}>
      <Item icon={<TransferIcon size={22} />} label={t('mine.records')} href="/accessLog" />
      <Item icon={<StatementIcon size={22} />} label={t('mine.funds')} href="/changeLog" />
      <Item icon={<ClockIcon size={22} />} label={t('mine.orders')} href="/historyOrder" />
      <Item
        icon={<BellIcon size={22} />}
        label={t('mine.notices')}
        href="/notices"
        value={unread > 0 ? t('mine.unread', { count: unread }) : undefined}
        isMarked={unread > 0}
      />
    </nav>
  );
}

/** Verification of the real name, cards and addresses for withdrawals, and security. */
function Details() {
  const { t } = useText();
  const userInfo = useSession((state) => state.userInfo);
  const isLocked = useSecond() < (userInfo?.payWordLockedUntil ?? 0);
  if (!userInfo) return null;
  const { banks, addresses, realStatus, hasPayWord } = userInfo;
  const card = banks[0];
  const bound = Object.entries(addresses).flatMap(([asset, address]) => (address ? [asset] : []));
  return (
    <nav className={css.list} aria-label={t('mine.realName')}>
      <Item
        icon={<IdentityIcon size={22} />}
        label={t('mine.realName')}
        href="/realName"
        value={t(`mine.real.${realStatus}`)}
        isMarked={realStatus === 'failed'}
      />
      <Item
        icon={<CardIcon size={22} />}
        label={t('mine.card')}
        href="/bank"
        value={
          banks.length > 1
            ? t('mine.cards', { count: banks.length })
            : card
              ? t('mine.cardLast4', { last4: card.last4 })
              : t('mine.isNotSet')
        }
      />
      <Item
        icon={<ChainIcon size={22} />}
        label={t('mine.crypto')}
        href="/editAddress"
        value={bound.length > 0 ? bound.join(' · ') : t('mine.isNotSet')}
      />
      <Item
        icon={<LockIcon size={22} />}
        label={hasPayWord ? t('mine.withdrawalPassword') : t('mine.withdrawalPasswordNew')}
        href="/setPayWord"
        value={isLocked ? t('mine.locked') : hasPayWord ? t('mine.isSet') : t('mine.isNotSet')}
        isMarked={isLocked}
      />
      <Security />
      <Item icon={<LookIcon size={22} />} label={t('title.whoLooked')} href="/whoLooked" />
      <Item icon={<FileIcon size={22} />} label={t('title.myData')} href="/myData" />
    </nav>
  );
}

/** Limits and breaks, price alerts, statistics and transparency. */
function Care() {
  const { t } = useText();
  const pause = useSession((state) => state.userInfo?.pause ?? null);
  return (
    <nav className={css.list} aria-label={t('title.limits')}>
      <Item
        icon={<PauseIcon size={22} />}
        label={t('title.limits')}
        href="/limits"
        value={pause ? t('mine.paused') : undefined}
        isMarked={pause !== null}
      />
      <Item icon={<TargetIcon size={22} />} label={t('title.alerts')} href="/alerts" />
      <Item icon={<ChartIcon size={22} />} label={t('title.statistics')} href="/statistics" />
      <Item icon={<EyeIcon size={22} />} label={t('title.transparency')} href="/transparency" />
    </nav>
  );
}

/** Second factors and recovery codes, and devices. */
function Security() {
  const { t } = useText();
  const factors = useQuery({
    queryKey: ['factors'],
    queryFn: ({ signal }) => get('user/factors', {}, { signal, isSilent: true }),
    refetchOnMount: 'always',
  });
  const isOn = factors.data && factors.data.factors.length > 0;
  return (
    <>
      <Item
        icon={<ShieldCheckIcon size={22} />}
        label={t('mine.security')}
        href="/security"
        value={factors.data && t(isOn ? 'mine.securityOn' : 'mine.securityOff')}
      />
      <Item icon={<DevicesIcon size={22} />} label={t('title.devices')} href="/devices" />
    </>
  );
}

type Sheet = 'password' | 'nickname' | 'language' | 'zone';

/** The settings of the account, and those of this device. */
function Settings() {
  const { t } = useText();
  const nickname = useSession((state) => state.userInfo?.nickname ?? '');
  const { language, dark, toggleDark, updown, setUpDown, zone } = useSettings();
  const [open, setOpen] = useState<Sheet | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <div className={css.list}>
        <Item
          icon={<PersonIcon size={22} />}
          label={t('account.setNickname')}
          onClick={() => setOpen('nickname')}
          value={nickname}
        />
        <Item
          icon={<KeyIcon size={22} />}
          label={t('account.setPassword')}
          onClick={() => setOpen('password')}
        />
      </div>
      <div className={css.list}>
        <Item
          icon={<GlobeIcon size={22} />}
          label={t('shell.language')}
          onClick={() => setOpen('language')}
          value={LANGUAGE_NAMES[language]}
        />
        <Item
          icon={<MoonIcon size={22} />}
          label={t('shell.theme')}
          onClick={toggleDark}
          value={dark ? t('shell.dark') : t('shell.light')}
        />
        <Item
          icon={<SwapColoursIcon size={22} />}
          label={t('shell.updown')}
          onClick={() => setUpDown(updown === 'red' ? 'green' : 'red')}
          value={updown === 'red' ? t('shell.redUp') : t('shell.greenUp')}
        />
        <Item
          icon={<ClockIcon size={22} />}
          label={t('mine.zone')}
          onClick={() => setOpen('zone')}
          value={zone === null ? t('mine.zoneDevice') : zoneName(zone)}
        />
      </div>
      <Dialog title={t('shell.language')} isOpen={open === 'language'} onClose={close}>
        <div className={css.list} style={{ marginTop: 0 }}>
          {LANGUAGES.map((choice) => (
            <Item
              key={choice}
              label={LANGUAGE_NAMES[choice]}
              lang={LANGUAGE_TAGS[choice]}
              onClick={() => {
                chooseLanguage(choice);
                close();
              }}
            />
          ))}
        </div>
      </Dialog>
      <Dialog title={t('mine.zone')} isOpen={open === 'zone'} onClose={close}>
        <ZoneForm onDone={close} />
      </Dialog>
      <Dialog title={t('account.setPassword')} isOpen={open === 'password'} onClose={close}>
        <PasswordForm onDone={close} />
      </Dialog>
      <Dialog title={t('account.setNickname')} isOpen={open === 'nickname'} onClose={close}>
        <NicknameForm first={nickname} onDone={close} />
      </Dialog>
    </>
  );
}

function Item({
  icon,
  label,
  value,
  isMarked = false,
  href,
  onClick,
  lang,
}: {
  icon?: ReactNode;
  label: string;
  value?: string | undefined;
  /** Marks an entry that needs attention; its value says why. */
  isMarked?: boolean;
  href?: string;
  onClick?: () => void;
  /** The label's language, where it differs from the page's. */
  lang?: string;
}) {
  const inside = (
    <>
      {icon && <i className={own.icon}>{icon}</i>}
      <span className={own.label}>{label}</span>
      <span data-marked={isMarked || undefined} className={own.value}>
        {value}
        <ForwardIcon size={16} />
      </span>
    </>
  );
  return href ? (
    <Link href={href} className={css.item}>
      {inside}
    </Link>
  ) : (
    <button type="button" className={css.item} onClick={onClick} lang={lang}>
      {inside}
    </button>
  );
}
