import { FaultBoundary, faultTexts, MessageArea, Notice } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { type Me, useMe } from './api/queries.ts';
import { HaltBanner } from './catalogue/halt-banner.tsx';
import { useText } from './messages/text-context.tsx';
import { pagesFor } from './pages.ts';
import { LoginPage } from './session/login-page.tsx';
import { StepUpDialog } from './session/step-up-dialog.tsx';
import css from './shell/app.module.css';
import { Action } from './shell/form.tsx';
import { Header } from './shell/header.tsx';
import type { OfficePage } from './shell/office-page.ts';
import { Shortcuts } from './shell/shortcuts.tsx';
import { Sidebar } from './shell/sidebar.tsx';
import { rememberCase } from './state/recent-cases.ts';
import { useToast } from './state/toast.ts';

const SetUpPage = lazy(() => untilLoaded(() => import('./session/set-up-page.tsx')));

/** Shows the login without a session; the set-up page with a first password or a missing second factor; else the office. */
export function App() {
  const me = useMe();
  const { t } = useText();
  if (me.data === undefined) {
    return (
      <main className={`centred ${css.alone}`}>
        <h1 className="sr">Fairtick Office</h1>
        {me.isError ? (
          <div className={`stack gap-16 ${css.unreached}`}>
            <Notice look="bad">{t('shell.networkError')}</Notice>
            <Action onClick={() => void me.refetch()}>{t('shell.again')}</Action>
          </div>
        ) : (
          <p className={css.awaited}>{t('shell.loading')}</p>
        )}
      </main>
    );
  }
  return (
    <>
      <Inside me={me.data} />
      <ToastArea />
    </>
  );
}

function Inside({ me }: { me: Me | null }) {
  if (me === null) return <LoginPage />;
  return (
    <>
      {me.mustChangePassword || me.needsFactor ? (
        <Suspense>
          <SetUpPage me={me} />
        </Suspense>
      ) : (
        <Frame me={me} />
      )}
      <StepUpDialog me={me} />
    </>
  );
}

function Frame({ me }: { me: Me }) {
  const { t } = useText();
  const pages = pagesFor(new Set(me.roles.map(({ role }) => role)));
  const first = pages[0] as OfficePage;
  const [location] = useLocation();
  useEffect(() => rememberCase(me.id, location, Date.now()), [me.id, location]);
  return (
    <div className={css.frame} data-frame>
      <a className={css.skip} href="#content">
        {t('shell.skip')}
      </a>
      <Header me={me} />
      <Sidebar pages={pages} />
      {/* A page may have nothing to focus: the keys scroll it from here. */}
      <main className={css.main} id="content" tabIndex={0}>
        <HaltBanner />
        <Suspense>
          <Switch>
            {pages.map(({ name, Page }) => (
              <Route key={name} path={`/${name}`} nest>
                <Titled title={t(`page.${name}`)} />
                <FaultBoundary
                  screen={`${name} ${me.id}`}
                  root={() => document.getElementById('content')}
                  texts={faultTexts(t)}
                >
                  <Page />
                </FaultBoundary>
              </Route>
            ))}
            <Route>
              <Redirect to={`/${first.name}`} replace />
            </Route>
          </Switch>
        </Suspense>
      </main>
      <Shortcuts pages={pages} />
    </div>
  );
}

/** Sets the window's title, and scrolls to the top when the page changes. */
function Titled({ title }: { title: string }) {
  const [location] = useLocation();
  useEffect(() => {
    document.title = `${title} · Fairtick Office`;
    if (location !== '') document.getElementById('content')?.scrollTo(0, 0);
  }, [title, location]);
  return null;
}

function ToastArea() {
  const { text, leave } = useToast();
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each navigation
  useEffect(leave, [leave, location]);
  return (
    <MessageArea className={css.toastArea}>
      {text !== null && <p className={css.toast}>{text}</p>}
    </MessageArea>
  );
}
