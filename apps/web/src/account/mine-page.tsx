import { LANGUAGE_NAMES } from '@fairtick/protocol/languages';
import {
  BellIcon,
  CardIcon,
  ChartIcon,
  CheckIcon,
  ClockIcon,
  GlobeIcon,
  IdentityIcon,
  PauseIcon,
  ShieldCheckIcon,
  StatementIcon,
  Tag,
  TransferIcon,
} from '@fairtick/ui';
import { useEffect, useState } from 'react';
import { queryClient } from '../api/query-client.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { useSecond } from '../live/clock.ts';
import { useOnNotice } from '../live/notices.ts';
import { refreshUserInfo } from '../live/user-info.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { pageOf } from '../parts/page.tsx';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { DemoMark } from '../shell/demo-mark.tsx';
import { FreezeNotes, HoldNotes } from '../shell/freeze-notes.tsx';
import { HomeLink } from '../shell/home-link.tsx';
import { hasHaptics } from '../state/haptics.ts';
import { useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';
import own from './mine.module.css';
import { AssetsCard } from './mine-assets.tsx';
import { LogoutButton, NicknameForm, PasswordForm } from './mine-forms.tsx';
import { Fold, Group, Item } from './mine-rows.tsx';
import { ScoreCard } from './mine-standing.tsx';
import { LanguageForm } from './settings/language-form.tsx';
import { ZoneForm } from './settings/zone-form.tsx';
import { type Cities, cityOf, readCities } from './settings/zones.ts';

/** `/mine`: the account, its balances, links to everything of the customer's, and the logout. */
export default pageOf('identity', Mine);

function Mine() {
  const { t } = useText();
  return (
    <PullToRefresh
      onRefresh={() => Promise.all([refreshUserInfo(), queryClient.refetchQueries({ type: 'active' })])}
    >
      <div className={`page ${own.page}`}>
        <h1 className="sr">{t('title.mine')}</h1>
        <div className={own.column}>
          <Who />
          <FreezeNotes />
          <HoldNotes />
          <AssetsCard />
          <ScoreCard />
          {/* In a wide window the list of sections has these. */}
          <div className="narrow">
            <Records />
          </div>
        </div>
        <div className={own.column}>
          <Account />
          <div className="narrow">
            <Care />
          </div>
          <div className="mt-20">
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
    <header className={`row gap-12 pt-16 ${own.who}`}>
      <HomeLink />
      <span className={`centred rigid ${own.face}`} aria-hidden="true">
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
              <span className="inline-row gap-4 ink-2">
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
  const notices = useAnswer('notice/list', { limit: 1 }, { refetchOnMount: 'always' });
  useOnNotice(() => void notices.refetch());
  const unread = notices.data?.unread ?? 0;
  return (
    <Group name={t('mine.group.records')}>
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
    </Group>
  );
}

function Account() {
  const { t } = useText();
  const realStatus = useSession((state) => state.userInfo?.realStatus);
  return (
    <Group name={t('mine.group.account')}>
      {realStatus && (
        <Item
          icon={<IdentityIcon size={22} />}
          label={t('mine.realName')}
          href="/realName"
          value={t(`mine.real.${realStatus}`)}
          isMarked={realStatus === 'failed'}
        />
      )}
      <Payouts />
      <Security />
      <Settings />
    </Group>
  );
}

function Payouts() {
  const { t } = useText();
  const userInfo = useSession((state) => state.userInfo);
  const isLocked = useSecond() < (userInfo?.payWordLockedUntil ?? 0);
  if (!userInfo) return null;
  const { banks, addresses, hasPayWord } = userInfo;
  const card = banks[0];
  const bound = Object.entries(addresses).flatMap(([asset, address]) => (address ? [asset] : []));
  return (
    <Fold
      icon={<CardIcon size={22} />}
      label={t('mine.payouts')}
      value={isLocked ? t('mine.locked') : t(card || bound.length > 0 ? 'mine.isSet' : 'mine.isNotSet')}
      isMarked={isLocked}
    >
      <Item
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
        label={t('mine.crypto')}
        href="/editAddress"
        value={bound.length > 0 ? bound.join(' · ') : t('mine.isNotSet')}
      />
      <Item
        label={hasPayWord ? t('mine.withdrawalPassword') : t('mine.withdrawalPasswordNew')}
        href="/setPayWord"
        value={isLocked ? t('mine.locked') : hasPayWord ? t('mine.isSet') : t('mine.isNotSet')}
        isMarked={isLocked}
      />
    </Fold>
  );
}

function Care() {
  const { t } = useText();
  const pause = useSession((state) => state.userInfo?.pause ?? null);
  return (
    <Group name={t('mine.group.care')}>
      <Item
        icon={<PauseIcon size={22} />}
        label={t('title.limits')}
        href="/limits"
        value={pause ? t('mine.paused') : undefined}
        isMarked={pause !== null}
      />
      <Fold icon={<ChartIcon size={22} />} label={t('mine.tools')}>
        <Item label={t('title.alerts')} href="/alerts" />
        <Item label={t('title.statistics')} href="/statistics" />
        <Item label={t('title.transparency')} href="/transparency" />
      </Fold>
    </Group>
  );
}

function Security() {
  const { t } = useText();
  const [isChanging, setChanging] = useState(false);
  const factors = useAnswer('user/factors', {}, { refetchOnMount: 'always' });
  const isOn = factors.data && factors.data.factors.length > 0;
  const state = factors.data && t(isOn ? 'mine.securityOn' : 'mine.securityOff');
  const close = () => setChanging(false);
  return (
    <>
      <Fold
        icon={<ShieldCheckIcon size={22} />}
        label={t('mine.protection')}
        value={isOn ? undefined : state}
      >
        <Item label={t('mine.security')} href="/security" value={state} />
        <Item label={t('account.setPassword')} onClick={() => setChanging(true)} />
        <Item label={t('title.devices')} href="/devices" />
        <Item label={t('title.whoLooked')} href="/whoLooked" />
        <Item label={t('title.myData')} href="/myData" />
      </Fold>
      <Dialog title={t('account.setPassword')} isOpen={isChanging} onClose={close}>
        <PasswordForm onDone={close} />
      </Dialog>
    </>
  );
}

type Sheet = 'nickname' | 'language' | 'zone';

function Settings() {
  const { t } = useText();
  const nickname = useSession((state) => state.userInfo?.nickname ?? '');
  const { language, dark, toggleDark, updown, setUpDown, zone, ...settings } = useSettings();
  const zoneCity = useZoneCity(zone);
  const [open, setOpen] = useState<Sheet | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Fold icon={<GlobeIcon size={22} />} label={t('mine.settings')} value={LANGUAGE_NAMES[language]}>
        <Item label={t('account.setNickname')} onClick={() => setOpen('nickname')} value={nickname} />
        <Item
          label={t('shell.language')}
          onClick={() => setOpen('language')}
          value={LANGUAGE_NAMES[language]}
        />
        <Item
          label={t('shell.theme')}
          onClick={toggleDark}
          value={dark ? t('shell.dark') : t('shell.light')}
        />
        <Item
          label={t('shell.updown')}
          onClick={() => setUpDown(updown === 'red' ? 'green' : 'red')}
          value={updown === 'red' ? t('shell.redUp') : t('shell.greenUp')}
        />
        {hasHaptics() && (
          <Item
            label={t('mine.haptics')}
            onClick={() => settings.choose('hasHaptics', !settings.hasHaptics)}
            value={t(settings.hasHaptics ? 'mine.on' : 'mine.off')}
          />
        )}
        <Item
          label={t('mine.zone')}
          onClick={() => setOpen('zone')}
          value={zoneCity ?? t('mine.zoneDevice')}
        />
      </Fold>
      <Dialog title={t('shell.language')} isOpen={open === 'language'} onClose={close}>
        <LanguageForm onDone={close} />
      </Dialog>
      <Dialog title={t('mine.zone')} isOpen={open === 'zone'} onClose={close}>
        <ZoneForm onDone={close} />
      </Dialog>
      <Dialog title={t('account.setNickname')} isOpen={open === 'nickname'} onClose={close}>
        <NicknameForm first={nickname} onDone={close} />
      </Dialog>
    </>
  );
}

const NO_CITIES: Cities = {};

/** The city of a zone in the reader's language; the end of its IANA name until the names are there. */
function useZoneCity(zone: string | null): string | null {
  const { language } = useText();
  const [cities, setCities] = useState(NO_CITIES);
  const isNeeded = zone !== null;
  useEffect(() => {
    if (isNeeded) void readCities(language).then(setCities);
  }, [isNeeded, language]);
  return zone === null ? null : cityOf(zone, cities);
}
