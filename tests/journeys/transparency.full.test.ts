import { holdAnswers, launch, neverGiveUp, origin, visit } from '@fairtick/kit/browser/browser.ts';
import { axeFindings, member, pathOf } from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { describe, expect, test } from 'vitest';

/** The public figures for a visitor and for a customer. */
const browser = forFile(() => launch());

describe('/transparency', () => {
  test('is public, in every language, linked from the landing page, with keys and ways to check', async () => {
    const { page, complaints, context } = await visit(browser, { language: 'en' });
    await page.goto(`${origin()}/home`);
    await page.getByRole('link', { name: 'Transparency' }).click();
    await expect.poll(() => pathOf(page)).toBe('/transparency');
    for (const name of ['Order outcomes', 'Delays', 'Withdrawals', 'Rules in force', 'Keys'])
      await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.getByText(`fairtick monitor ${origin()}`).waitFor();
    await page
      .getByText(/\/api\/transparency\+[0-9a-f]{8}\+/)
      .first()
      .waitFor();
    await page.getByText('at least 2 of 3').first().waitFor();
    // A visitor has no balance.
    expect(await page.getByTestId('own-balance').count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    for (const [language, heading] of [
      ['zh', '现行规则'],
      ['tw', '現行規則'],
    ] as const) {
      const other = await visit(browser, { language });
      await other.page.goto(`${origin()}/transparency`);
      await other.page.getByRole('heading', { name: heading }).waitFor();
      expect(other.complaints).toEqual([]);
      await other.context.close();
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('checks a customer’s own balance on the device, and says if nothing was counted', async () => {
    const { page, complaints, context } = await member(browser, { language: 'en' });
    await page.goto(`${origin()}/mine`);
    await page.getByRole('link', { name: 'Transparency' }).click();
    const own = page.getByTestId('own-balance');
    await own.waitFor();
    // A customer who registered after the day was added up has nothing in it; one who registered before is counted.
    await expect.poll(() => own.innerText()).toMatch(/Nothing was owed to you|Counted at/);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('checks the balance once a day by itself, and shows only a failure', async () => {
    const { page, complaints, context } = await member(browser, { language: 'en' });
    // A server counts what it owes some time after its first start.
    const counted = async () =>
      (await (await fetch(`${origin()}/api/transparency/liabilities?lang=en`)).json()).data.length;
    await expect.poll(counted, { timeout: 60_000 }).toBeGreaterThan(0);
    await page.goto(`${origin()}/mine`);
    // The check shows nothing; only the device's record tells that it ran.
    const kept = () => page.evaluate(() => localStorage.getItem('owedChecked'));
    await expect.poll(kept, { timeout: 60_000 }).toMatch(/^\d+ \d{4}-\d{2}-\d{2}$/);
    const notice = page.getByRole('dialog', { name: 'Your balance is not counted correctly' });
    expect(await notice.isVisible()).toBe(false);
    // Simulates a server that leaves this customer out and claims that nothing was owed.
    await page.route('**/api/fund/owed?*', async (route) => {
      const answer = await (await route.fetch()).json();
      const data = answer.data.map((one: object) => ({
        ...one,
        leaf: null,
        takenAt: Date.now() + 3_600_000,
      }));
      await route.fulfill({ json: { ...answer, data } });
    });
    await page.evaluate(() => localStorage.removeItem('owedChecked'));
    await page.reload();
    await notice.waitFor({ timeout: 60_000 });
    expect(await notice.innerText()).toContain('DEMO');
    expect(await axeFindings(page)).toEqual([]);
    await notice.getByRole('link', { name: 'View details' }).click();
    await page.getByTestId('own-balance').getByText('Your balance was not counted').waitFor();
    expect(await kept()).toBe(null);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('stores nothing on the device when the check ends after the logout', async () => {
    const { page, complaints, context } = await member(browser, { language: 'en' });
    await neverGiveUp(page);
    const held = await holdAnswers(page, 'fund/log');
    await page.goto(`${origin()}/mine`);
    await held.first;
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await expect.poll(() => pathOf(page)).toBe('/login');
    await held.release();
    expect(await page.evaluate(() => localStorage.getItem('owedChecked'))).toBe(null);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
