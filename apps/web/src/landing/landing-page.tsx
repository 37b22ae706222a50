import type { Landing } from '@fairtick/protocol';
import { Button, buttonClass, Empty, FaultIcon, ForwardIcon, GlobeIcon, Tag } from '@fairtick/ui';
import type { ReactNode } from 'react';
import { useText } from '../messages/text-context.tsx';
import { LanguageMenu } from '../shell/language-menu.tsx';
import { Link } from '../shell/link.tsx';
import { BRAND_BAR, type NavbarSlots, useNavbar } from '../shell/navbar.tsx';
import { useIsLoggedIn } from '../state/session.ts';
import { LogPulse } from '../trade/market/log-pulse.tsx';
import { PriceRow } from '../trade/market/price-row.tsx';
import css from './landing.module.css';
import { ReceiptSample } from './receipt-sample.tsx';
import { useLanding } from './use-landing.ts';

/** `/home`: what the app is, its facts and risks, and the way to trading. */
export default function LandingPage({ prerendered = null }: { prerendered?: Landing | null }) {
  const { t } = useText();
  const { landing, again } = useLanding(prerendered);
  useNavbar(LANDING_BAR);
  if (!landing) {
    return again === null ? null : (
      <Empty icon={<FaultIcon size={28} />} title={t('shell.networkError')}>
        <Button size="small" onClick={again}>
          {t('list.again')}
        </Button>
      </Empty>
    );
  }
  return (
    <div className={css.page} data-landing={landing.language}>
      <Hero landing={landing} />
      <Markets landing={landing} />
      <Steps landing={landing} />
      <Profile landing={landing} />
      <Risk landing={landing} />
      <Footer landing={landing} />
    </div>
  );
}

export const LANDING_BAR: NavbarSlots = {
  ...BRAND_BAR,
  right: (
    <>
      <VisitorsOnly>
        <RegisterLink isSmall />
      </VisitorsOnly>
      <LanguageMenu icon={<GlobeIcon size={22} />} hasTheme />
    </>
  ),
};

function Enter({ landing }: { landing: Landing }) {
  const isMember = useIsLoggedIn();
  return (
    <Link href="/index" className={buttonClass} data-look={isMember ? 'gold' : 'line'}>
      {landing.enter}
    </Link>
  );
}

function RegisterLink({ isSmall = false }: { isSmall?: boolean }) {
  const { t } = useText();
  return (
    <Link
      href="/register"
      className={buttonClass}
      data-look={isSmall ? 'line' : 'gold'}
      data-size={isSmall ? 'small' : undefined}
    >
      {t('account.register')}
    </Link>
  );
}

/** Prerendered, the page has what is for visitors; a class on the root element hides `for-visitor` from a customer. */
function VisitorsOnly({ children }: { children: ReactNode }) {
  return useIsLoggedIn() ? null : <div className={`for-visitor ${css.visitors}`}>{children}</div>;
}

function Hero({ landing }: { landing: Landing }) {
  return (
    <section className={css.hero}>
      <div>
        <h2>{landing.headline}</h2>
        <p className={`mt-14 ink-2 ${css.lead}`}>{landing.lead}</p>
        <div className={`stack gap-14 mt-24 ${css.ways}`}>
          <div className="row wrap gap-12">
            <VisitorsOnly>
              <RegisterLink />
            </VisitorsOnly>
            <Enter landing={landing} />
          </div>
          <VisitorsOnly>
            <p className="note">
              <b>{landing.practice.title}</b>
              {landing.practice.text}
            </p>
          </VisitorsOnly>
        </div>
      </div>
      <div className={css.pulse}>
        <LogPulse />
        <dl className={css.questions}>
          {landing.questions.map(({ title, text }) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}

function Markets({ landing: { markets } }: { landing: Landing }) {
  return (
    <section className={css.markets} aria-labelledby="markets">
      <div className={css.words}>
        <h2 id="markets">{markets.heading}</h2>
        <p>{markets.text}</p>
      </div>
      <div className={`stack mt-12 ${css.classes}`}>
        {markets.items.map(({ id, label, count, symbols }) => (
          <section key={id} aria-labelledby={`class-${id}`}>
            <h3 id={`class-${id}`} data-count={id}>
              <Link href={`/product?class=${id}`}>
                {label}
                <b>{count}</b>
                <ForwardIcon size={16} />
              </Link>
            </h3>
            <ul className={css.prices}>
              {symbols.map((symbol) => (
                <PriceRow key={symbol} symbol={symbol} hasSpark />
              ))}
            </ul>
          </section>
        ))}
      </div>
      <p className="caption mt-12">{markets.note}</p>
      <Link href="/product" className="inline-row gap-4 strong touch">
        {markets.all}
        <ForwardIcon size={16} />
      </Link>
    </section>
  );
}

/** A heading with a text, and what they are about. */
function Part(props: { id: string; about: { heading: string; text: string }; children: ReactNode }) {
  const { id, about, children } = props;
  return (
    <section className={css.section} aria-labelledby={id}>
      <div className={css.words}>
        <h2 id={id}>{about.heading}</h2>
        <p>{about.text}</p>
      </div>
      {children}
    </section>
  );
}

function Steps({ landing: { steps } }: { landing: Landing }) {
  return (
    <Part id="steps" about={steps}>
      <div>
        <ol className={`stack gap-20 ${css.steps}`}>
          {steps.items.map(({ title, text }) => (
            <li key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
        <ReceiptSample />
      </div>
    </Part>
  );
}

function Profile({ landing: { profile, regions } }: { landing: Landing }) {
  return (
    <>
      <Part id="profile" about={profile}>
        <ul className={`lined ${css.claims}`}>
          {profile.items.map(({ id, figure, title, text, isSample }) => (
            <li key={id} data-claim={id}>
              {figure !== null && <b>{figure}</b>}
              <span>
                <span className="block text-15 ink">{title}</span>
                {text}
              </span>
              {isSample && <Tag look="outline">{profile.sample}</Tag>}
            </li>
          ))}
        </ul>
      </Part>
      <Part id="regions" about={regions}>
        <ul className={`columns-fill ${css.regions}`}>
          {regions.items.map(({ code, name }) => (
            <li key={code}>{name}</li>
          ))}
        </ul>
      </Part>
    </>
  );
}

function Risk({ landing: { risk } }: { landing: Landing }) {
  return (
    <Part id="risk" about={risk}>
      <div>
        <dl className={`thirds gap-16 ${css.figures}`}>
          {risk.figures.map(({ value, label }) => (
            <div key={label}>
              <dt className="caption">{label}</dt>
              <dd data-words={/\d/.test(value) ? undefined : ''}>{value}</dd>
            </div>
          ))}
        </dl>
        <p className={`secondary ${css.regulatory}`}>{risk.regulatory}</p>
      </div>
    </Part>
  );
}

function Footer({ landing }: { landing: Landing }) {
  const { t } = useText();
  const { footer } = landing;
  return (
    <footer className={`note stack gap-16 ${css.footer}`}>
      <Enter landing={landing} />
      <nav aria-label="Fairtick">
        <VisitorsOnly>
          <Link href="/login">{footer.login}</Link>
          <Link href="/register">{footer.register}</Link>
        </VisitorsOnly>
        <Link href="/transparency">{t('title.transparency')}</Link>
        <a href="/api/docs">{footer.api}</a>
      </nav>
      <span>{footer.prices}</span>
    </footer>
  );
}
