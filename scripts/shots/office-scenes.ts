import type { Page } from 'playwright-core';
import type { People } from './people.ts';

/** A page of the office, the member of staff who opens it, and the steps before the picture. */
export interface OfficeScene {
  readonly name: string;
  /** A member of the demo's staff; null: the login. */
  readonly staff: string | null;
  path(people: People): string;
  after?(page: Page): Promise<unknown>;
  /** Selector of an element that is there once the state is reached. */
  readonly sees?: string;
}

const at = (
  name: string,
  staff: string | null,
  path: string | ((people: People) => string),
  after?: (page: Page) => Promise<unknown>,
  sees?: string,
): OfficeScene => ({
  name,
  staff,
  path: typeof path === 'string' ? () => path : path,
  ...(after ? { after } : {}),
  ...(sees ? { sees } : {}),
});
const press = (key: string) => (page: Page) => page.keyboard.press(key);
const click = (selector: string) => (page: Page) => page.locator(selector).first().click();
/** Today in UTC. */
const DAY = new Date().toISOString().slice(0, 10);
const PROPOSE = 'main h1 ~ button';
const PICTURE = "img[src^='blob:']";

/** Opens the first call for help of the list. */
async function openFirst(page: Page): Promise<void> {
  await page.locator('tbody tr').first().click();
  await page.locator('article blockquote').waitFor();
}

/** The same call as a claim to which the account's holder objects, and whose refusal is proposed. */
async function disputed(page: Page): Promise<void> {
  await openFirst(page);
  await page.route('**/recovery/detail*', async (route) => {
    const body = await (await route.fetch()).json();
    const [lostAt, objectedAt] = [Date.parse('2026-01-02T08:50:00Z'), Date.parse('2026-01-02T10:30:00Z')];
    const proposed = { state: 'proposed', refusal: 'not_proven', proposedAt: objectedAt + 60_000 };
    Object.assign(body.data, { lostAt, objectedAt, ...proposed, proposedBy: { id: '3', name: 'support_1' } });
    await route.fulfill({ json: body });
  });
  await page.reload();
  await page.locator('article blockquote').waitFor();
}

export const OFFICE_SCENES: readonly OfficeScene[] = [
  at('login', null, '/'),
  at('dashboard', 'cashier_1', '/dashboard'),
  at('dashboard-auditor', 'auditor_1', '/dashboard'),
  at('sources', 'auditor_1', '/sources'),
  at('deposits', 'cashier_2', '/deposits'),
  at('deposit-case', 'cashier_2', ({ rich }) => `/deposits/${rich.deposit}`, press('v'), PICTURE),
  at('deposit-refuse', 'cashier_2', ({ rich }) => `/deposits/${rich.deposit}`, press('x')),
  at('withdrawals', 'cashier_2', '/withdrawals'),
  at('withdrawal-case', 'cashier_2', ({ rich }) => `/withdrawals/${rich.waiting}`, press('v')),
  at('identities', 'verification_2', '/identities'),
  at('identity-case', 'verification_2', ({ cases }) => `/identities/${cases.identity}`, press('v'), PICTURE),
  at('reports', 'auditor_1', '/reports'),
  at('statements', 'cashier_2', '/statements'),
  at('order-case', 'support_2', ({ orders }) => `/orders/${orders.settled}`, undefined, 'article li svg'),
  at('order-account', 'support_2', ({ orders }) => `/orders/${orders.settled}/account`),
  at('customers', 'support_2', '/customers'),
  at(
    'customers-list',
    'support_2',
    '/customers/list',
    click('main [type=submit]'),
    '[role=tabpanel] tbody tr',
  ),
  at('customers-tasks', 'verification_2', '/customers/tasks'),
  at('customer', 'auditor_1', ({ rich }) => `/customers/${rich.id}`),
  at(
    'customer-funds',
    'support_2',
    ({ rich }) => `/customers/${rich.id}`,
    click('#customer-funds'),
    '[role=tabpanel] tbody tr',
  ),
  at(
    'customer-freeze',
    'verification_2',
    ({ rich }) => `/customers/${rich.id}`,
    click('#customer-restrictions'),
    '[role=tabpanel] h3 ~ h3',
  ),
  at('chats', 'support_1', '/chats'),
  at('canned', 'support_1', '/chats', click('main h1 ~ button')),
  at('recoveries', 'support_2', '/recoveries'),
  at('recovery', 'support_2', '/recoveries', openFirst),
  at('recovery-claim', 'support_2', '/recoveries', disputed),
  at('ledger', 'approver_2', '/ledger'),
  at('ledger-days', 'approver_2', `/ledger?from=${DAY.slice(0, 8)}01&to=${DAY}`, click('input[type=date]')),
  at('ledger-trial', 'approver_2', '/ledger', click('[role=tab]:nth-of-type(2)')),
  at('ledger-reconciliation', 'approver_2', '/ledger/reconciliation'),
  at('corrections', 'approver_1', '/corrections'),
  at('correction-decide', 'approver_1', '/corrections', click('tbody button')),
  at('channels', 'cashier_2', '/channels'),
  at('channels-limits', 'cashier_2', '/channels', click('[role=tab]:nth-of-type(2)')),
  at('catalogue', 'catalogue_2', '/catalogue'),
  at('catalogue-new', 'catalogue_2', '/catalogue/new'),
  at('catalogue-product', 'catalogue_2', '/catalogue/product/GBP-JPY'),
  at('catalogue-propose', 'catalogue_2', '/catalogue/propose/EUR-USD'),
  at('catalogue-changes', 'approver_2', '/catalogue/changes'),
  at('catalogue-change', 'approver_2', ({ cases }) => `/catalogue/change/${cases.change}`),
  at('catalogue-halts', 'approver_2', '/catalogue/halts'),
  at('earnings', 'catalogue_2', '/earnings'),
  at('earnings-propose', 'catalogue_2', '/earnings', click(PROPOSE)),
  at('news', 'content_1', '/news'),
  at('news-case', 'content_1', ({ cases }) => `/news/${cases.article}`),
  at('news-new', 'content_1', '/news/new'),
  at('audit', 'auditor_1', '/audit'),
  at('staff', 'admin_1', '/staff'),
  at('account', 'cashier_2', '/account'),
  // Last: a conversation that is opened is assigned, which the list above shows.
  at('chat', 'support_1', ({ cases }) => `/chats/${cases.chat}`, undefined, PICTURE),
];
