import { launch, newAccount, origin, PASSWORD, visit } from '@fairtick/kit/browser/browser.ts';
import { leave, sitDown, stepUp } from '@fairtick/kit/browser/desk.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { type Account, trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

/** A customer and the staff of support, each in a browser of their own. */
const browser = forFile(() => launch());

const office = () => process.env.FAIRTICK_OFFICE as string;
/** Markup that would run if it were ever treated as more than text. */
const HOSTILE = '<img src=x onerror="globalThis.isHacked = true"><script>globalThis.isHacked = true</script>';
const bubble = (page: Page, text: string) => page.getByRole('log').getByText(text, { exact: true });
const say = async (page: Page, text: string) => {
  await page.getByLabel('Write a message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
};

async function registered(): Promise<Account & { readonly account: string }> {
  const account = newAccount();
  const form = { account, password: PASSWORD, confirmPassword: PASSWORD, lang: 'en' };
  const answer = await fetch(`${origin()}/api/user/register`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  return { account, ...((await answer.json()) as { data: Account }).data };
}

test('a customer asks, two members of staff answer in turn, and each side sees the activity of the other (S1-12, S2-06, S2-30)', async () => {
  const account = await registered();
  const customer = await trader(browser, { account });
  const { page } = customer;
  await page.goto(`${origin()}/index`);
  await page.getByRole('link', { name: 'Customer Service' }).click();
  await page.getByText('No messages yet').waitFor();
  await page.getByText('Staff never ask for passwords').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await say(page, HOSTILE);
  await bubble(page, HOSTILE).waitFor();
  await page.getByText('Delivered').waitFor();
  await page
    .getByText(/^Reply by /)
    .or(page.getByText('Received at'))
    .first()
    .waitFor();

  const desk = await sitDown(browser, office(), 'support_1');
  await desk.page.goto(`${office()}/chats`);
  await desk.page.getByRole('button', { name: account.account }).click();
  await bubble(desk.page, HOSTILE).waitFor();
  await page.getByText(/Read$/).waitFor();
  await desk.page.getByRole('button', { name: 'Internal note' }).click();
  const note = desk.page.getByLabel('Internal note', { exact: true });
  await note.fill('Kernbeißer: asks in markup');
  await desk.page.reload();
  expect(await note.inputValue()).toBe('Kernbeißer: asks in markup');
  await desk.page.getByRole('button', { name: 'Save note' }).click();
  await bubble(desk.page, 'Kernbeißer: asks in markup').waitFor();
  await desk.page.getByRole('button', { name: 'Reply', exact: true }).click();
  await desk.page.getByLabel('Reply', { exact: true }).fill(`Hello. ${HOSTILE}`);
  await page.getByText(/^Support( \d+)? is typing…/).waitFor();
  await desk.page.getByRole('button', { name: 'Send', exact: true }).click();
  await bubble(page, `Hello. ${HOSTILE}`).waitFor();
  await page.getByText('Verified staff').waitFor();
  await desk.page.locator('[data-from=staff]').getByText('Read').waitFor();

  // Elsewhere in the app, the tab shows an unread message.
  await page.getByRole('link', { name: 'Trade', exact: true }).click();
  const second = await sitDown(browser, office(), 'support_2');
  await desk.page.getByRole('button', { name: 'Transfer' }).click();
  const handing = desk.page.getByRole('dialog', { name: 'Transfer' });
  await handing.getByLabel('Colleague').selectOption({ label: 'support_2' });
  await handing.getByRole('button', { name: 'Transfer' }).click();
  await desk.page.getByText('Assigned to support_2. You can leave a note.').waitFor();
  await second.page.goto(`${office()}/chats`);
  await second.page.getByRole('button', { name: 'Mine', exact: true }).click();
  await second.page.getByRole('button', { name: account.account }).click();
  const reply = second.page.getByLabel('Reply', { exact: true });
  await reply.fill('/never your');
  await second.page.getByRole('option', { name: /Never your password/, selected: true }).waitFor();
  await reply.press('Enter');
  expect(await reply.inputValue()).toMatch(/^We never ask for your password/);
  await reply.fill('');
  await second.page.getByRole('button', { name: 'Customer details' }).click();
  await second.page.getByRole('heading', { name: 'Last movements' }).waitFor();
  await second.page.getByText('10,000.00 DEMO').first().waitFor();
  await second.page
    .getByLabel('Saved replies', { exact: true })
    .selectOption({ label: 'Never your password' });
  expect(await axeFindings(second.page)).toEqual([]);
  await second.page.getByRole('button', { name: 'Send' }).click();
  const tab = page.getByRole('link', { name: /^Customer Service/ });
  await tab.getByText('1 unread message').waitFor();
  await tab.click();
  await page.getByText('We never ask for your password').waitFor();
  await expect.poll(() => tab.getByText('unread').count()).toBe(0);
  expect(await page.content()).not.toMatch(/Kernbeißer|support_\d/);
  expect(await page.evaluate(() => 'isHacked' in globalThis)).toBe(false);
  expect(customer.complaints).toEqual([]);
  await leave(desk);
  await leave(second);
  await customer.context.close();
});

test('a message written offline survives a reload and arrives once, and a picture arrives too', async () => {
  const customer = await trader(browser, { account: await registered() });
  const { page, context, token } = { ...customer };
  await page.goto(`${origin()}/chat`);
  await page.getByText('No messages yet').waitFor();
  await context.setOffline(true);
  await say(page, 'said in a tunnel');
  await page.getByText('Not delivered').waitFor();
  await context.setOffline(false);
  await page.reload();
  await page.getByText('Delivered').waitFor();
  // A line that says something stands above the form, and goes with the screen.
  await page.getByLabel('Add an image').setInputFiles({
    name: 'zeros.png',
    mimeType: 'image/png',
    buffer: Buffer.alloc(11 * 1024 * 1024),
  });
  const told = page.getByText('Only photos and screenshots can be used');
  await told.waitFor();
  const [line, form] = await Promise.all([told.boundingBox(), page.locator('main form').boundingBox()]);
  expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThan(form?.y ?? 0);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300"/></svg>';
  const { default: sharp } = await import('sharp');
  await page.getByLabel('Add an image').setInputFiles({
    name: `${HOSTILE}.png`,
    mimeType: 'image/png',
    buffer: await sharp(Buffer.from(svg)).png().toBuffer(),
  });
  await page.getByText(`${HOSTILE}.png`).waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: 'Open image' }).waitFor();
  const answer = await fetch(`${origin()}/api/chat/history`, { headers: { token } });
  const { data } = (await answer.json()) as { data: { items: { text: string | null; image: unknown }[] } };
  expect(data.items.map(({ text, image }) => [text, image !== null])).toEqual([
    [null, true],
    ['said in a tunnel', false],
  ]);
  expect(await page.evaluate(() => 'isHacked' in globalThis)).toBe(false);
  await context.close();
});

test('two members of staff help a customer who can’t log in, each with one half of a code (S2-43)', async () => {
  const { account } = await registered();
  const reader = await visit(browser, { language: 'en' });
  await fetch(`${origin()}/api/user/recoverRequest`, {
    method: 'POST',
    body: new URLSearchParams({ account, contact: 'me@mail.example', text: HOSTILE }),
  });
  const halves: string[] = [];
  for (const [who, act] of [
    ['support_1', 'Propose recovery'],
    ['verification_1', 'Approve recovery'],
  ] as const) {
    const desk = await sitDown(browser, office(), who);
    const { page } = desk;
    await page.goto(`${office()}/recoveries`);
    await page.getByRole('cell', { name: account }).click();
    await page.getByText(HOSTILE).waitFor();
    if (act === 'Propose recovery')
      await page
        .getByLabel('How did you verify the identity?')
        .fill('Called back; face and passport compared.');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: act, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Your half of the code' });
    const asked = page.getByRole('dialog', { name: 'Confirm your identity' });
    await dialog.or(asked).waitFor();
    if (await asked.isVisible()) await stepUp(page);
    halves.push(await dialog.locator('code').innerText());
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await leave(desk);
  }
  const form = {
    account,
    recoveryCode: halves.join(' '),
    password: 'a new tall lantern',
    confirmPassword: 'a new tall lantern',
  };
  const done = await fetch(`${origin()}/api/user/recover`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  expect(((await done.json()) as { code: number }).code).toBe(1);
  await reader.page.goto(`${origin()}/login`);
  await reader.page
    .locator('input[name=account], #account, input[autocomplete=username]')
    .first()
    .fill(account);
  await reader.page.locator('input[type=password]').first().fill('a new tall lantern');
  await reader.page.locator('button[type=submit]').first().click();
  await reader.page.waitForURL(/index|mine/);
  await reader.context.close();
});

test('a conversation that cannot be read says so, and is read again', async () => {
  const { page, context } = await trader(browser, { account: await registered() });
  await page.routeWebSocket('**/api/stream', (socket) => socket.close());
  await page.route('**/api/chat/history*', (route) => route.abort('connectionrefused'));
  await page.goto(`${origin()}/chat`);
  const again = page.getByRole('log').getByRole('button', { name: 'Try again' });
  await again.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.unroute('**/api/chat/history*');
  await again.click();
  await page.getByText('No messages yet').waitFor();
  expect(await again.count()).toBe(0);
  await context.close();
});

test('a text that is too long is counted, kept over a reload and not sent until it is shorter', async () => {
  const { page, context } = await trader(browser, { account: await registered() });
  await page.goto(`${origin()}/chat`);
  await page.getByText('No messages yet').waitFor();
  const field = page.getByLabel('Write a message');
  await field.fill('x'.repeat(2_013));
  const said = page.getByText('2013 / 2000 · At most 2000 characters: please shorten the text');
  await said.waitFor();
  // It is marked as disabled, and a tap does nothing.
  await page.getByRole('button', { name: 'Send' }).click({ force: true });
  expect(await axeFindings(page)).toEqual([]);
  await page.reload();
  await said.waitFor();
  expect((await field.inputValue()).length).toBe(2_013);
  expect(await page.getByText('No messages yet').count()).toBe(1);
  await field.fill('short enough');
  await page.getByRole('button', { name: 'Send' }).click();
  await bubble(page, 'short enough').waitFor();
  await page.reload();
  await bubble(page, 'short enough').waitFor();
  expect(await field.inputValue()).toBe('');
  await context.close();
});

test('a picture that is pasted or dropped anywhere in the conversation is attached, and pasted text stays text', async () => {
  const { page, context } = await trader(browser, { account: await registered() });
  await page.goto(`${origin()}/chat`);
  await page.getByText('No messages yet').waitFor();
  /** Gives the page what a clipboard or a drag holds: a drawn picture, and text if there is any. */
  const give = (kind: 'paste' | 'drop', selector: string, text = '') =>
    page.evaluate(
      async ([kind, selector, text]) => {
        const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 30 });
        const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
        const data = new DataTransfer();
        data.items.add(new File([blob as Blob], `${kind}.png`, { type: 'image/png' }));
        if (text) data.setData('text/plain', text);
        const init = { bubbles: true, cancelable: true };
        const event =
          kind === 'paste'
            ? new ClipboardEvent('paste', { ...init, clipboardData: data })
            : new DragEvent('drop', { ...init, dataTransfer: data });
        document.querySelector(selector)?.dispatchEvent(event);
        return event.defaultPrevented;
      },
      [kind, selector, text] as const,
    );
  expect(await give('paste', 'main textarea', 'a table')).toBe(false);
  expect(await give('paste', 'main textarea')).toBe(true);
  await page.getByText('paste.png').waitFor();
  expect(await give('drop', '[role=log]')).toBe(true);
  await page.getByText('drop.png').waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: 'Open image' }).waitFor();
  await context.close();
});
