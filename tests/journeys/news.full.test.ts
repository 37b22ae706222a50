import { launch, origin } from '@fairtick/kit/browser/browser.ts';
import { leave, sitDown } from '@fairtick/kit/browser/desk.ts';
import { StaffDesk } from '@fairtick/kit/browser/payee.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { describe, expect, test } from 'vitest';

/** News from the office to a reader's screen. */
const browser = forFile(() => launch());

const HOSTILE = [
  '# Part one',
  'Hello <script>window.hurt = 1</script>',
  '<img src=x onerror="window.hurt = 2">',
  '<svg onload="window.hurt = 3"></svg>',
  '[a link](javascript:window.hurt=4) and [another](https://paper.example/)',
].join('\n\n');

async function publish(office: StaffDesk, fields: Record<string, string>): Promise<string> {
  const { id, version } = await office.post<{ id: string; version: number }>('news/save', {
    category: 'notice',
    source: 'Fairtick',
    ...fields,
  });
  await office.post('news/publish', { id, version: String(version) });
  return id;
}

describe('a reader', () => {
  test('finds news by kind, with samples marked, and reads an article with its picture (S1-11, S2-07, S7-27)', async () => {
    const { page, complaints, context } = await trader(browser);
    await page.goto(`${origin()}/news`);
    await page.getByRole('tab', { name: 'Guides' }).click();
    const row = page.getByRole('link').filter({ hasText: 'What is the break-even rate' });
    await row.waitFor();
    expect(await row.innerText()).toContain('Sample');
    expect(await axeFindings(page)).toEqual([]);
    await row.click();
    await page.getByRole('heading', { name: 'One formula' }).waitFor();
    await page.getByRole('cell', { name: '54.1%' }).waitFor();
    // The picture loads later: the text does not wait for it.
    await expect
      .poll(() => page.locator('article img').evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBe(1280);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back' }).click();
    await row.waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('is told that a text is in another language (S1-29)', async () => {
    const office = await StaffDesk.open('content_1');
    const id = await publish(office, { titleZh: '仅有中文', bodyZh: '正文' });
    const { page, context } = await trader(browser);
    await page.goto(`${origin()}/news?id=${id}`);
    await page.getByText('Not available in English; shown in Simplified Chinese').waitFor();
    expect(await page.locator('article').getAttribute('lang')).toBe('zh-CN');
    await context.close();
  });

  test('never runs a script from the text of an article (S1-11)', async () => {
    const office = await StaffDesk.open('content_1');
    const id = await publish(office, { titleEn: 'With a script', bodyEn: HOSTILE });
    const { page, complaints, context } = await trader(browser);
    await page.goto(`${origin()}/news?id=${id}`);
    await page.getByRole('heading', { name: 'Part one' }).waitFor();
    const link = page.getByRole('link', { name: 'another' });
    expect(await link.getAttribute('rel')).toContain('noopener');
    expect(await page.getByRole('link', { name: 'a link' }).count()).toBe(0);
    expect(await page.locator('article').locator('script, img, svg[onload]').count()).toBe(0);
    expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
    expect(complaints).toEqual([]);
    await office.post('news/withdraw', { id, reason: 'A mistake.' });
    await page.reload();
    await page.getByText('This article was withdrawn').waitFor();
    await context.close();
  });
});

describe('the office', () => {
  const office = () => process.env.FAIRTICK_OFFICE as string;
  const title = 'Planned work on Sunday';

  test('writes an article with a preview, schedules, publishes and withdraws it, and readers see each state (S1-11)', async () => {
    const desk = await sitDown(browser, office(), 'content_1');
    const { page } = desk;
    await page.goto(`${office()}/news`);
    await page.getByRole('button', { name: 'Write an article' }).click();
    await page.getByLabel('Source', { exact: true }).fill('Fairtick');
    await page.getByRole('tab', { name: 'English' }).click();
    await page.getByLabel('Title', { exact: true }).fill(title);
    await page
      .getByLabel('Text (Markdown)')
      .fill(`## What is planned\n\n**Orders** rest for a minute.\n\n${HOSTILE}`);
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'What is planned' }).waitFor();
    expect(await preview.locator('strong').textContent()).toBe('Orders');
    await page.getByRole('tab', { name: 'Simplified Chinese · not written' }).waitFor();
    await page.getByRole('tab', { name: 'Traditional Chinese · not written' }).waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('heading', { name: `${title} Draft` }).waitFor();
    await page.getByRole('button', { name: 'Discard draft' }).waitFor();
    expect(await page.getByRole('button', { name: 'Withdraw' }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    const id = new URL(page.url()).pathname.split('/').at(-1) as string;

    const reader = await trader(browser);
    const seen = reader.page.getByRole('link').filter({ hasText: title });
    const look = async () => {
      await reader.page.goto(`${origin()}/news`);
      await reader.page.getByRole('link').filter({ hasText: 'What is the break-even rate' }).waitFor();
      return seen.count();
    };
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    // The focus is on the first field, not on the close button.
    await dialog.getByLabel('Publish at').and(page.locator(':focus')).waitFor();
    // A day ahead on the reader's clock, which is ahead of this one's.
    const tomorrow = new Date(Date.now() + 36 * 3_600_000).toISOString().slice(0, 16);
    await dialog.getByLabel('Publish at').fill(tomorrow);
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await page.getByRole('heading', { name: `${title} Scheduled` }).waitFor();
    expect(await look()).toBe(0);

    await page.getByRole('button', { name: 'Cancel schedule' }).click();
    await page.getByRole('heading', { name: `${title} Draft` }).waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.getByRole('button', { name: 'Publish now' }).click();
    await page.getByRole('heading', { name: `${title} Published` }).waitFor();
    await expect.poll(look).toBe(1);
    await seen.click();
    await reader.page.getByRole('heading', { name: 'What is planned' }).waitFor();

    await page.getByRole('button', { name: 'Withdraw' }).click();
    const withdrawing = page.getByRole('dialog', { name: 'Withdraw' });
    await withdrawing.getByLabel('Reason').fill('The work was called off.');
    await withdrawing.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('The work was called off.').waitFor();
    await reader.page.goto(`${origin()}/news?id=${id}`);
    await reader.page.getByText('This article was withdrawn').waitFor();
    expect(reader.complaints).toEqual([]);
    await reader.context.close();
    await leave(desk);
  });
});
