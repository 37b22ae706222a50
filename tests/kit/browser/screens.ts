import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';
import { newAccount, origin, PASSWORD, type Visit, visit } from './browser.ts';

export type Access = 'public' | 'session';

export interface ScreenRoute {
  readonly path: string;
  readonly hasTabbar: boolean;
  readonly isCached: boolean;
  readonly access: Access;
}

const screen = (path: string, ...marks: readonly ('tab' | 'no-cache' | 'public')[]): ScreenRoute => ({
  path,
  hasTabbar: marks.includes('tab'),
  isCached: !marks.includes('no-cache'),
  access: marks.includes('public') ? 'public' : 'session',
});

/** Every route with its flags, copied from the specification, the product's page and our additions: not read from the app. */
export const SCREENS: readonly ScreenRoute[] = [
  screen('/index', 'tab', 'public'),
  screen('/product', 'tab', 'public'),
  screen('/profit', 'tab'),
  screen('/chat', 'tab'),
  screen('/news', 'tab'),
  screen('/mine', 'tab'),
  screen('/register', 'no-cache', 'public'),
  screen('/login', 'no-cache', 'public'),
  screen('/changeLog'),
  screen('/historyOrder'),
  screen('/setPayWord', 'no-cache'),
  screen('/recharge', 'no-cache'),
  screen('/with', 'no-cache'),
  screen('/realName', 'no-cache'),
  screen('/editAddress', 'no-cache'),
  screen('/bank'),
  screen('/editBank', 'no-cache'),
  screen('/accessLog'),
  screen('/home', 'public'),
  // Our additions to the specification.
  screen('/whoLooked'),
  screen('/notices'),
  screen('/limits'),
  screen('/alerts'),
  screen('/statistics'),
  screen('/transparency', 'public'),
  screen('/security', 'no-cache'),
  screen('/devices', 'no-cache'),
  screen('/myData', 'no-cache'),
];

/** Routes for visitors alone: whoever is logged in is led away from them. */
const FOR_VISITORS = SCREENS.filter(({ path }) => path === '/login' || path === '/register');
export const MEMBER_SCREENS = SCREENS.filter((screen) => !FOR_VISITORS.includes(screen));

export interface Member extends Visit {
  readonly account: string;
  readonly token: string;
  readonly recoveryCodes: readonly string[];
}

/** A customer logged in before the first page loads: registered over the API, the session stored as the app stores it. */
export async function member(browser: Browser, options: Parameters<typeof visit>[1] = {}): Promise<Member> {
  const account = newAccount();
  const { data } = await call('user/register', '', {
    account,
    password: PASSWORD,
    confirmPassword: PASSWORD,
  });
  const { token, userInfo, recoveryCodes } = data as Pick<Member, 'token' | 'recoveryCodes'> & {
    userInfo: unknown;
  };
  const reader = await visit(browser, options);
  await reader.context.addInitScript(
    ([chosen, info]) => {
      if (sessionStorage.getItem('loggedIn')) return;
      sessionStorage.setItem('loggedIn', '1');
      localStorage.setItem('token', chosen);
      localStorage.setItem('userInfo', info);
    },
    [token, JSON.stringify(userInfo)] as [string, string],
  );
  return { ...reader, account, token, recoveryCodes };
}

/** A customer whose stream never connects, so that only answers to calls can end the session. */
export async function memberWithoutStream(
  browser: Browser,
  language: 'zh' | 'tw' | 'en' = 'en',
): Promise<Member> {
  const reader = await member(browser, { language });
  await reader.context.routeWebSocket(/\/api\/stream/, () => {});
  return reader;
}

/** The visible view: others may stay mounted behind it. */
export const view = (page: Page): Locator => page.locator('[data-view]:visible');

/** Opens a page of the app and waits until its own content is shown. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${origin()}${path}`);
  await shown(page, path);
}

/** Goes to a path within the app that is open, as its links do. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState({ isOurs: true }, '', to), path);
}

/** Unfolds every group of the view in sight. */
export async function unfold(page: Page): Promise<void> {
  const groups = view(page).locator('details > summary:visible');
  await groups.first().waitFor();
  const closed = view(page).locator('details:not([open]) > summary:visible');
  while ((await closed.count()) > 0) await closed.first().click();
}

/** Waits until the app itself (not the prerendered content) shows a path. */
export async function shown(page: Page, path: string): Promise<void> {
  await page.waitForFunction(showsScreen, path.split('?')[0]?.slice(1) ?? '');
}

/** Whether the app itself shows a screen, with its content. It runs in the page, so it uses nothing of this module. */
export function showsScreen(name: string): boolean {
  const root = document.documentElement;
  const main = document.querySelector<HTMLElement>(`[data-view=${name}] main`);
  const isOurs = root.dataset.page === undefined && location.pathname === `/${name}`;
  return isOurs && main !== null && main.offsetParent !== null && !main.querySelector(':scope > [aria-busy]');
}

export const pathOf = (page: Page): string => new URL(page.url()).pathname;
export const stored = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(() => ({ ...localStorage }));

/** A second session of an account, over the API. */
export async function newSession(account: string, password: string): Promise<string | null> {
  const answer = await fetch(`${origin()}/api/user/login`, {
    method: 'POST',
    body: new URLSearchParams({ account, password, lang: 'en' }),
  });
  const envelope = (await answer.json()) as { data: { token: string } | null };
  return envelope.data?.token ?? null;
}

/** Calls any operation of the API; returns the envelope unchanged. */
export async function call(
  path: string,
  token: string,
  fields?: Record<string, string>,
): Promise<{ status: number; code: number; msg: string; data: unknown }> {
  const answer = await fetch(`${origin()}/api/${path}`, {
    method: fields ? 'POST' : 'GET',
    headers: { token },
    ...(fields ? { body: new URLSearchParams(fields) } : {}),
  });
  return {
    status: answer.status,
    ...((await answer.json()) as { code: number; msg: string; data: unknown }),
  };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFinding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly {
    readonly html: string;
    readonly any: readonly AxeCheck[];
    readonly none: readonly AxeCheck[];
  }[];
}
interface AxeCheck {
  readonly relatedNodes: readonly { readonly html: string }[];
}

/** Findings of axe that are serious or critical, one line each; by all rules, or by one. */
export async function axeFindings(page: Page, rule?: string): Promise<string[]> {
  await page.evaluate(`window.axe ?? (() => { ${AXE} })()`);
  const options = { resultTypes: ['violations'], ...(rule ? { runOnly: [rule] } : {}) };
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then((result) => result.violations)`,
  )) as AxeFinding[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => {
        const related = [...node.any, ...node.none].flatMap(({ relatedNodes }) => relatedNodes);
        return [id, node.html, ...related.map(({ html }) => html)]
          .map((text) => text.slice(0, 160))
          .join(' | ');
      }),
    );
}
