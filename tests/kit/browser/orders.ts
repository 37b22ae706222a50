import type { Page, Request, Route } from 'playwright-core';
import { api } from './browser.ts';

export const CREATE = '**/api/order/create';

export interface Cycle {
  readonly minutes: number;
  readonly payoutRate: string;
  readonly limits: { asset: string; minBalance: string; minPurchase: string; maxPurchase: string | null }[];
}
export interface Detail {
  readonly symbol: string;
  readonly isOpen: boolean;
  readonly closed: { readonly until: number | null } | null;
  readonly cycles: Cycle[];
}
export interface Placed {
  readonly id: string;
  readonly direction: string;
  readonly amount: string;
  readonly minutes: number;
}

export const ordersOf = async (token: string) => (await api<{ items: Placed[] }>('order/list', token)).items;

/** The order requests as they leave the browser. */
export function placements(page: Page): Request[] {
  const requests: Request[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/order/create')) requests.push(request);
  });
  return requests;
}

export const keyOf = (request: Request | undefined) => request?.headers()['idempotency-key'];
export const armed = (page: Page) => page.getByRole('button', { name: /Tap again to confirm/ });
/** Two taps on the ticket's button. */
export const tapTwice = async (page: Page, name: RegExp) => {
  await page.getByRole('button', { name }).click();
  await armed(page).click();
};
export const fact = (page: Page, name: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');

/** Shows the customer other terms than the server applies: another product's or outdated ones. */
export async function showTerms(page: Page, change: (detail: Detail) => unknown): Promise<void> {
  await page.route('**/api/product/detail?*', async (route: Route) => {
    const answer = await route.fetch();
    const envelope = (await answer.json()) as { data: Detail };
    await route.fulfill({ response: answer, json: { ...envelope, data: change(envelope.data) } });
  });
}

export const withLimits = (limits: Partial<Cycle['limits'][number]>) => (detail: Detail) => ({
  ...detail,
  cycles: detail.cycles.map((cycle) => ({
    ...cycle,
    limits: cycle.limits.map((own) => ({ ...own, ...limits })),
  })),
});
