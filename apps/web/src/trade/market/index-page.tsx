import { BrandMark, buttonClass, SearchIcon, Skeleton } from '@fairtick/ui';
import { useDeferredValue, useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { OpenOrderCards } from '../../orders/open-order-cards.tsx';
import { EyeButton } from '../../parts/eye-button.tsx';
import { later } from '../../parts/later.tsx';
import { useWidth } from '../../parts/use-width.ts';
import { DemoMark } from '../../shell/demo-mark.tsx';
import { ThemeButton } from '../../shell/desktop-header.tsx';
import { Link } from '../../shell/link.tsx';
import { VisitorControls } from '../../shell/visitor-controls.tsx';
import { VisitorLinks } from '../../shell/visitor-links.tsx';
import { formatAmount } from '../../state/format.ts';
import { useOwnAsset } from '../../state/own-asset.ts';
import { useIsLoggedIn, useSession } from '../../state/session.ts';
import { AssetSwitch } from './asset-switch.tsx';
import css from './index-page.module.css';
import { LogPulse } from './log-pulse.tsx';
import { HOME_TABS, MarketList, Movers } from './market-list.tsx';
import { MoneyLinks } from './money-links.tsx';
import { StaleNotice } from './stale-notice.tsx';

const SearchBox = later(() => import('./search-box.tsx'));
const IndexAside = later(() => import('./index-aside.tsx'));
const ResultGlance = later(() => import('../../orders/result-glance.tsx'));

export default function IndexPage({ isPrerendered = false }: { isPrerendered?: boolean }) {
  const { t } = useText();
  const isMember = useIsLoggedIn();
  const [query, setQuery] = useState('');
  // Only a wide screen has a search field and something in the place of orders. Both have their room before their code is there.
  const isWide = useWidth() === 'desktop';
  return (
    <div className={`pb-16 ${css.page}`}>
      {/* On a wide screen the app's header shows the brand, so the heading is for screen readers only. */}
      <h1 className={`sr ${css.wideTitle}`}>{t('tab.product')}</h1>
      <HomeHeader />
      <div className={css.columns}>
        <div className={css.own}>
          {isPrerendered ? (
            // The reader is unknown when prerendering: a class on the root element shows one of the two.
            <>
              <div className="for-visitor">
                <Welcome />
              </div>
              <div className="for-member">
                <Balance />
              </div>
            </>
          ) : isMember ? (
            <Balance />
          ) : (
            <Welcome />
          )}
          <LogPulse />
          {isMember && <OpenOrderCards />}
          {isWide && <IndexAside />}
        </div>
        <div className={`mt-8 ${css.markets}`}>
          <div className={css.search}>{isWide && <SearchBox query={query} onQuery={setQuery} />}</div>
          <MarketList tabs={HOME_TABS} first="watch" hasMore query={isWide ? query : ''} />
        </div>
        <aside className={css.movers}>
          <Movers />
        </aside>
        <p className={`caption ${css.risk}`}>{t('home.risk')}</p>
      </div>
      <StaleNotice />
    </div>
  );
}

function HomeHeader() {
  const { t } = useText();
  return (
    <header className={`row gap-10 ${css.header}`}>
      <h1 className={`row gap-8 ${css.brand}`}>
        <BrandMark />
        Fairtick
      </h1>
      <DemoMark />
      <span className="flex ml-auto">
        <Link href="/product?search=1" className={css.iconLink} aria-label={t('market.search')}>
          <SearchIcon size={22} />
        </Link>
        {useIsLoggedIn() && <ThemeButton />}
        <VisitorControls />
      </span>
    </header>
  );
}

function Welcome() {
  const { t, gap } = useText();
  return (
    <>
      <section className={`flex between wrap ${css.balance} ${css.visitor}`}>
        <div>
          <p className={css.welcome}>{t('home.welcome')}</p>
          <p className="secondary mt-4">
            {t('home.welcomeHow')}
            {gap}
            <span data-demo>{t('home.welcomePractice')}</span>
          </p>
        </div>
        <div className={`flex rigid gap-8 ${css.actions}`}>
          <Link href="/login" className={buttonClass} data-look="line" data-size="small">
            {t('account.login')}
          </Link>
          <Link href="/register" className={buttonClass} data-look="gold" data-size="small">
            {t('account.register')}
          </Link>
        </div>
      </section>
      <VisitorLinks className={css.links} />
    </>
  );
}

function Balance() {
  const { t } = useText();
  const asset = useOwnAsset();
  const balance = useSession((state) => state.userInfo?.balances.find((entry) => entry.asset === asset));
  // After the first paint.
  const isReady = useDeferredValue(true, false);
  return (
    <>
      <section className={`flex between wrap ${css.balance}`}>
        <div>
          <p className={`secondary row ${css.balanceLabel}`}>
            {t('trade.availableBalance')}
            <EyeButton />
          </p>
          <p className={`flex items-baseline wrap breaks ${css.amount}`}>
            {balance ? (
              <span data-testid="balance" translate="no">
                {formatAmount(balance.available)}
              </span>
            ) : (
              <Skeleton width={150} height={30} />
            )}
            <AssetSwitch asset={asset} />
          </p>
        </div>
        {/* The way to a deposit is always here. */}
        <div className={`flex rigid gap-8 ${css.actions}`}>
          <MoneyLinks asset={asset} />
        </div>
      </section>
      {/* Its room is there before its figures. */}
      <div className="px-side touch">{isReady && <ResultGlance asset={asset} />}</div>
    </>
  );
}
