import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { api, launch, origin } from '@fairtick/kit/browser/browser.ts';
import { Line } from '@fairtick/kit/browser/line.ts';
import { chooseCountry } from '@fairtick/kit/browser/own-details.ts';
import { register, soon, type Trader, trader } from '@fairtick/kit/browser/trader.ts';
import { paper } from '@fairtick/kit/people/paper.ts';
import { photo, upload } from '@fairtick/kit/people/pictures.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

/**
 * A picture's upload over a line that is slow, stops or loses the answer. The line passes only what the test allows, and the
 * page's clock moves only when the test moves it, so that a slow machine changes nothing.
 */
const MB = 1024 * 1024;
/** Bytes after a picture's end are ignored: they make the file long without costing more to decode. */
const PROOF = {
  name: 'paid.png',
  mimeType: 'image/png',
  buffer: Buffer.concat([paper(120, 200), randomBytes(9 * MB)]),
};
const SUBMIT = 'POST /api/recharge/submit';
/** The app gives up after 5 s without progress, and after 30 s without an answer. */
const SECOND = 1_000;
const LOST = /Network Error · No response/;

let browser: Browser;
const lines: Line[] = [];
beforeAll(async () => {
  browser = await launch();
});
afterEach(() => {
  for (const line of lines.splice(0)) line.cut();
});
afterAll(() => browser.close());

interface Uploader extends Trader {
  readonly line: Line;
  /** The idempotency keys of the requests. */
  readonly keys: (string | undefined)[];
}

/** Makes the page's canvas answer noise, as browsers do that hide their device: the app then sends pictures as they are. */
const sendOriginals = (page: Page) =>
  page.addInitScript(() => {
    CanvasRenderingContext2D.prototype.getImageData = () => new ImageData(1, 1);
  });

/** Fills in a deposit of 55 with its picture, and stops the clock. */
async function fillIn(): Promise<Uploader> {
  const line = await Line.open(origin());
  lines.push(line);
  const who = await trader(browser, { base: line.origin });
  const { page } = who;
  await sendOriginals(page);
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/recharge/submit')) keys.push(request.headers()['idempotency-key']);
  });
  await page.clock.install();
  await page.goto(`${line.origin}/recharge`);
  await page.getByLabel('Deposit amount').fill('55');
  await page.getByLabel('Proof of payment').setInputFiles(PROOF);
  await page.getByRole('img', { name: 'Preview of the chosen image' }).waitFor();
  // Later than a slow machine gets here, because the clock can't be set back.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 10 * SECOND);
  return { ...who, line, keys };
}

const bar = (page: Page) => page.getByRole('progressbar', { name: 'Upload progress' });
const share = async (page: Page) => Number(await bar(page).getAttribute('aria-valuenow'));
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Runs the page's clock until the app gives up. */
async function untilLost(page: Page, said: string | RegExp = LOST): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.clock.runFor(SECOND);
        return page.getByText(said).isVisible();
      },
      { timeout: 60_000 },
    )
    .toBe(true);
}

async function isAsItWas(page: Page): Promise<void> {
  expect(await page.getByLabel('Deposit amount').inputValue()).toBe('55');
  await page.getByText('paid.png').waitFor();
  await page.getByText('Will be uploaded when you submit').waitFor();
  await page.getByRole('img', { name: 'Preview of the chosen image' }).waitFor();
  await bar(page).waitFor({ state: 'detached' });
}

const deposits = async (token: string) =>
  (await api<{ items: { amount: string }[] }>('recharge/list', token)).items.map(({ amount }) => amount);

async function isSubmittedOnce({ page, token, keys }: Uploader, tries: number): Promise<void> {
  await page.getByRole('heading', { name: 'Submitted Successfully' }).waitFor({ timeout: 60_000 });
  expect(keys).toHaveLength(tries);
  expect(new Set(keys).size).toBe(1);
  expect(await deposits(token)).toEqual(['55.000000']);
}

describe('the upload of a picture', () => {
  test('shows its progress, and is not given up while it advances', async () => {
    const who = await fillIn();
    const { page, line } = who;
    line.hold(SUBMIT);
    await press(page, 'Submit deposit');
    // The system decides how much it buffers before any is read: nothing, or up to four tenths.
    await page.getByText(/Uploading \d+%/).waitFor();
    let last = await share(page);
    for (let step = 0; step < 3; step += 1) {
      // The system also decides how much must be read before the browser can send more.
      const next = () => {
        // Only after the last part has passed: otherwise a slow machine would get all of it at once.
        if (line.isThrough()) line.letThrough(MB / 8);
        return share(page);
      };
      await soon(next).toBeGreaterThan(last);
      last = await share(page);
      // Seven seconds in total, and never five without progress.
      await page.clock.runFor(2.4 * SECOND);
    }
    await page.getByText(/Uploading \d+%$|Uploaded, waiting for a response/).waitFor();
    line.release();
    await isSubmittedOnce(who, 1);
  });

  test('is given up when it stops; the typed form and the picture stay, and sending again counts once', async () => {
    const who = await fillIn();
    const { page, line } = who;
    line.hold(SUBMIT);
    await press(page, 'Submit deposit');
    line.letThrough(MB / 2);
    await soon(() => share(page)).toBeGreaterThan(0);
    // The reader stops the upload.
    await press(page, 'Cancel upload');
    await isAsItWas(page);
    await press(page, 'Submit deposit');
    line.letThrough(MB / 2);
    await soon(() => share(page)).toBeGreaterThan(0);
    // The line stops it.
    await untilLost(page);
    await isAsItWas(page);
    expect(await deposits(who.token)).toEqual([]);
    line.release();
    await press(page, 'Submit again');
    await isSubmittedOnce(who, 3);
  });

  test('is given up without an answer, and counts once when it is sent again', async () => {
    const who = await fillIn();
    const { page, line } = who;
    line.hold(SUBMIT);
    line.letThrough(20 * MB);
    await press(page, 'Submit deposit');
    await page.getByText('Uploaded, waiting for a response').waitFor({ timeout: 60_000 });
    await soon(() => deposits(who.token), 60_000).toEqual(['55.000000']);
    await untilLost(page);
    await isAsItWas(page);
    line.release();
    await press(page, 'Submit again');
    await isSubmittedOnce(who, 2);
  });
});

describe('the upload of two identity pictures', () => {
  const NAME_LOST = 'Network Error: no response. What you entered is still here; please try again.';
  const SIDES = ['Front of the document', 'Back of the document'] as const;
  const FIELDS = [
    ['Document number', 'E1234567'],
    ['Real name', '张三丰'],
    ['Address on the document', '1 Raffles Place'],
  ] as const;
  const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

  async function fillInName(): Promise<Uploader> {
    const line = await Line.open(origin());
    lines.push(line);
    const who = await trader(browser, { base: line.origin });
    const { page } = who;
    await sendOriginals(page);
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/user/submitReal')) keys.push(undefined);
    });
    await page.clock.install();
    await page.goto(`${line.origin}/realName`);
    await chooseCountry(page, 'Issuing country or region', 'SG');
    await field(page, 'Document type').selectOption('id_card');
    for (const [label, value] of FIELDS) await field(page, label).fill(value);
    await page.getByLabel('My current address is the address on the document').check();
    for (const side of SIDES) {
      await field(page, side).setInputFiles({ ...PROOF, name: 'photo.png' });
      await page.getByRole('img', { name: `Preview: ${side}` }).waitFor();
    }
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 10 * SECOND);
    line.hold('POST /api/user/submitReal');
    return { ...who, line, keys };
  }

  const statusOf = async (token: string) =>
    (await api<{ realStatus: string }>('user/realInfo', token)).realStatus;

  /** Waits until the server has them, then runs the page's clock until it shows that. */
  async function untilUnderReview(page: Page, token: string): Promise<void> {
    await soon(() => statusOf(token), 60_000).toBe('pending');
    await expect
      .poll(
        async () => {
          await page.clock.runFor(SECOND);
          return page.getByRole('heading', { name: 'Under review' }).isVisible();
        },
        { timeout: 60_000 },
      )
      .toBe(true);
  }

  test('is given up when it stops; the typed form and both pictures stay and are sent again', async () => {
    const { page, line, token, keys } = await fillInName();
    await press(page, 'Submit for review');
    line.letThrough(MB);
    const sending = page.getByRole('progressbar', { name: 'Submitting' });
    await soon(async () => Number(await sending.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
    await untilLost(page, NAME_LOST);
    for (const [label, value] of FIELDS) expect(await field(page, label).inputValue()).toBe(value);
    for (const side of SIDES) await page.getByRole('img', { name: `Preview: ${side}` }).waitFor();
    expect(await statusOf(token)).toBe('none');
    line.release();
    await press(page, 'Submit for review');
    await untilUnderReview(page, token);
    expect(keys).toHaveLength(2);
  });

  test('shows the review that began although no answer comes, and sends nothing twice', async () => {
    const { page, line, token, keys } = await fillInName();
    line.letThrough(40 * MB);
    await press(page, 'Submit for review');
    await untilUnderReview(page, token);
    expect(keys).toHaveLength(1);
  });
});

describe('a picture of a phone', () => {
  const proof = (page: Page) => page.getByLabel('Proof of payment');
  const preview = (page: Page) => page.getByRole('img', { name: 'Preview of the chosen image' });
  const named = (buffer: Buffer, name = '照片📷.JPG', mimeType = 'application/octet-stream') => ({
    name,
    mimeType,
    buffer,
  });
  const heic = () => readFileSync(new URL('../kit/people/phones/gradient.heic', import.meta.url));

  async function open(): Promise<Trader> {
    const who = await trader(browser);
    await who.page.goto(`${origin()}/recharge`);
    await who.page.getByLabel('Deposit amount').fill('55');
    return who;
  }

  test('of 50 megapixels, under any name and type, is shrunk before it is sent', async () => {
    const { page, token, complaints } = await open();
    await proof(page).setInputFiles(named(await photo({ width: 6144, height: 8192 })));
    await preview(page).waitFor();
    expect(
      await preview(page).evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]),
    ).toEqual([1800, 2400]);
    await press(page, 'Submit deposit');
    await page.getByRole('heading', { name: 'Submitted Successfully' }).waitFor();
    expect(await deposits(token)).toEqual(['55.000000']);
    expect(complaints).toEqual([]);
  });

  test('in HEIC, which this browser does not show, is sent as it is and taken', async () => {
    const { page, token } = await open();
    await proof(page).setInputFiles(named(heic(), 'IMG_0001.HEIC', ''));
    await page.getByText('Will be uploaded when you submit').waitFor();
    await press(page, 'Submit deposit');
    await page.getByRole('heading', { name: 'Submitted Successfully' }).waitFor();
    expect(await deposits(token)).toEqual(['55.000000']);
    await page.goto(`${origin()}/realName`);
    await page.getByLabel('Front of the document', { exact: true }).setInputFiles(named(heic()));
    await page.getByText('Chosen. No preview here').waitFor();
    await page.getByRole('button', { name: 'Remove Front of the document' }).waitFor();
  });

  test('that can not be used gets a sentence at its field, and what was typed stays', async () => {
    const { page } = await open();
    const refusals = [
      [Buffer.alloc(0), 'This file is empty'],
      [Buffer.from('%PDF-1.7'), 'Only photos and screenshots can be used, not PDF or TIFF files'],
      [Buffer.from('II*\0'), 'Only photos and screenshots can be used, not PDF or TIFF files'],
      [Buffer.concat([heic(), Buffer.alloc(11 * MB)]), 'The image is larger than 10 MB'],
    ] as const;
    for (const [bytes, told] of refusals) {
      await proof(page).setInputFiles(named(paper(120, 200)));
      await preview(page).waitFor();
      await proof(page).setInputFiles(named(bytes));
      await page.getByText(told).waitFor();
      // The picture before it is not sent in its place.
      expect(await preview(page).count()).toBe(0);
    }
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('recharge/submit')) sent.push(request.url());
    });
    await press(page, 'Submit deposit');
    await page.getByText('The image is larger than 10 MB').waitFor();
    await page.evaluate(() => {
      File.prototype.arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'));
    });
    await proof(page).setInputFiles(named(paper(120, 200)));
    await page.getByText('The file can no longer be read').waitFor();
    expect(sent).toEqual([]);
    expect(await page.getByLabel('Deposit amount').inputValue()).toBe('55');
  });

  test('of 50 megapixels is taken, also when three come at once', async () => {
    const bytes = await photo({ width: 8192, height: 6144 });
    const answers = Array.from({ length: 3 }, async () => {
      const { token } = await register();
      const form = { fields: { channelId: '1', amount: '55' }, files: { proof: bytes } };
      const { body } = await upload(origin(), 'recharge/submit', form, { token });
      return body.code;
    });
    expect(await Promise.all(answers)).toEqual([1, 1, 1]);
  });
});
