import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { launch, origin, visit } from '@fairtick/kit/browser/browser.ts';
import { axeFindings, call, open, view } from '@fairtick/kit/browser/screens.ts';
import { soon } from '@fairtick/kit/browser/trader.ts';
import type { Browser, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** What a stranger sees first: products with their marks, what the app is, rules before an account, and a receipt for people. */
let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** Bytes of the file of all marks, compressed: a page loads it once. */
const MOST_OF_MARKS = 6_000;

describe('the products', () => {
  test('have flags, a coin, a metal’s sign or a letter each, from one small file', async () => {
    const { page, complaints, context } = await visit(browser, { language: 'en' });
    const { data } = await call('product/list?lang=en', '');
    const classes = new Map(
      (data as { symbol: string; assetClass: string }[]).map((row) => [row.symbol, row.assetClass]),
    );
    await open(page, '/product');
    const rows = view(page).getByRole('list', { name: 'Markets' }).getByRole('listitem');
    await soon(() => rows.count()).toBe(classes.size);
    const marks = await rows.evaluateAll((all) =>
      all.map((row) => ({
        symbol: new URL(row.querySelector('a')?.href ?? '').searchParams.get('symbol') ?? '',
        addresses: [...row.querySelectorAll('use')].map((use) => use.getAttribute('href') ?? ''),
        letters: row.querySelector('[aria-hidden]')?.textContent ?? '',
      })),
    );
    const [file = ''] = marks[0]?.addresses[0]?.split('#') ?? [];
    const svg = await (await fetch(`${origin()}${file}`)).text();
    expect(gzipSync(svg).byteLength).toBeLessThan(MOST_OF_MARKS);
    for (const { symbol, addresses, letters } of marks) {
      const assetClass = classes.get(symbol);
      const pictures =
        { forex: 2, energy: symbol === 'NGAS' ? 1 : 2, index: 1, crypto: 1 }[assetClass ?? ''] ?? 0;
      expect([symbol, addresses.length]).toEqual([symbol, pictures]);
      for (const address of addresses) {
        const [from, id] = address.split('#');
        expect([symbol, from, svg.includes(`<symbol id="${id}"`)]).toEqual([symbol, file, true]);
      }
      if (assetClass === 'stock') expect([symbol, letters.length]).toEqual([symbol, 1]);
      if (assetClass === 'metal')
        expect([symbol, letters]).toEqual([symbol, expect.stringMatching(/^(Au|Ag|P[td])$/)]);
    }
    // They are drawn: a symbol that the file lacks, or a file that the page may not load, has no extent.
    const drawn = () =>
      rows
        .locator('use')
        .evaluateAll((uses) =>
          uses.slice(0, 12).every((use) => (use as SVGGraphicsElement).getBBox().width > 0),
        );
    await soon(drawn).toBe(true);
    // Each open product among the first has the day's prices as a line.
    await soon(() => rows.locator('polyline').count()).toBeGreaterThan(3);
    // So it has beside the other columns of a small laptop.
    await page.setViewportSize({ width: 1024, height: 768 });
    await open(page, '/index');
    await soon(() => rows.locator('polyline:visible').count()).toBeGreaterThan(3);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('a page before the app has loaded', () => {
  test.each(['/index', '/product', '/product?symbol=BTC/USDT', '/home'])(
    '%s brings the styles of all that it shows',
    async (path) => {
      const { page, context } = await visit(browser, { language: 'en' });
      const html = await (await fetch(`${origin()}${path}`)).text();
      await open(page, path);
      await view(page).first().waitFor();
      // The app's page refuses to parse a string.
      const blank = await context.newPage();
      const served = await blank.evaluate(classesAndStyles, html);
      const { shown, missing } = await page.evaluate(stylesMissingIn, served);
      expect(shown).toBeGreaterThan(20);
      expect(missing).toEqual([]);
      await context.close();
    },
  );

  test('shows the price of the product that its address names, and never that of another one', async () => {
    const { context } = await visit(browser, { language: 'en' });
    await context.addCookies([{ name: 'language', value: 'en', url: origin() }]);
    const page = await context.newPage();
    await page.setViewportSize({ width: 375, height: 812 });
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.goto(`${origin()}/product?symbol=BTC/USDT`);
    expect(await page.getByTestId('price').textContent()).toMatch(/^\d{2,3},\d{3}\.\d{2}$/);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Bitcoin');
    // As the offline cache answers, which keeps one page for all products.
    const body = await page.content();
    await page.route(
      ({ pathname }) => pathname === '/product',
      (route) => route.fulfill({ contentType: 'text/html', body }),
    );
    await page.goto(`${origin()}/product?symbol=ETH/USDT`);
    expect(await page.getByTestId('price').isVisible()).toBe(false);
    await page.goto(`${origin()}/product?symbol=BTC%2FUSDT`);
    expect(await page.getByTestId('price').isVisible()).toBe(true);
    await context.close();
  });

  test.each([320, 375, 430])('has the first candles where the chart draws them at %i px', async (width) => {
    const { context } = await visit(browser, { language: 'en', width });
    await context.addCookies([{ name: 'language', value: 'en', url: origin() }]);
    const page = await context.newPage();
    await page.setViewportSize({ width, height: 812 });
    // Without scripts, as before any of them is there.
    await page.route('**/assets/*.js', (route) => route.abort());
    const picture = page.locator('[data-first-candles] svg');
    await openWithCandles(page);
    const shapes = await picture
      .locator('path')
      .evaluateAll((all) => all.map((one) => one.getAttribute('d')));
    expect(shapes.join('').split('Z').length - 1).toBe(40);
    const before = (await picture.boundingBox())!;
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    const chart = page.getByRole('img', { name: /^Price chart/ });
    await chart.locator('canvas').first().waitFor();
    await picture.waitFor({ state: 'detached' });
    const pane = await chart.evaluate((box) => {
      const area = ({ width, height }: DOMRect) => width * height;
      const boxes = [...box.querySelectorAll('canvas')].map((canvas) => canvas.getBoundingClientRect());
      const { x, y, width, height } = boxes.sort((a, b) => area(b) - area(a))[0] as DOMRect;
      return { x, y, width, height };
    });
    for (const side of ['x', 'y', 'width', 'height'] as const)
      expect(Math.abs(pane[side] - before[side]), side).toBeLessThanOrEqual(2);
    await context.close();
  });

  test('has no first candles for a reader whose chart looks another way', async () => {
    const { context } = await visit(browser, { language: 'en' });
    await context.addCookies([{ name: 'language', value: 'en', url: origin() }]);
    const page = await context.newPage();
    await page.setViewportSize({ width: 375, height: 812 });
    await page.route('**/assets/*.js', (route) => route.abort());
    await openWithCandles(page);
    const isShown = async (stored: object) => {
      await page.goto(`${origin()}/product?symbol=BTC/USDT`);
      await page.evaluate((chart) => localStorage.setItem('chart', chart), JSON.stringify(stored));
      await page.reload();
      return page.locator('[data-first-candles]').isVisible();
    };
    const usual = { period: '1m', style: 'candles', scale: 'normal', hasMagnet: false, studies: [] };
    await soon(() => isShown(usual)).toBe(true);
    expect(await isShown({ ...usual, period: '5m' })).toBe(false);
    expect(await isShown({ ...usual, studies: ['ma'] })).toBe(false);
    await context.close();
  });
});

/** The past of a simulated product is made when somebody first asks for it. */
async function openWithCandles(page: Page): Promise<void> {
  const path = 'product/candles?symbol=BTC/USDT&period=1m&limit=40';
  await soon(async () => ((await call(path, '')).data as unknown[]).length).toBe(40);
  await soon(async () => {
    await page.goto(`${origin()}/product?symbol=BTC/USDT`);
    return page.locator('[data-first-candles]').count();
  }).toBe(1);
}

function classesAndStyles(html: string): { names: string[]; own: string } {
  const served = new DOMParser().parseFromString(html, 'text/html');
  const own = [...served.querySelectorAll('style')].map(({ textContent }) => textContent).join();
  return {
    names: [...served.querySelectorAll('body [class]')].flatMap(({ classList }) => [...classList]),
    own,
  };
}

/** The number of classes of a page as served, and those that the app has a style for and the served page has none. */
function stylesMissingIn({ names, own }: { names: string[]; own: string }): {
  shown: number;
  missing: string[];
} {
  const all = [...document.styleSheets]
    .flatMap(({ cssRules }) => [...cssRules])
    .map(({ cssText }) => cssText)
    .join();
  const classes = [...new Set(names)].map((name) => `.${CSS.escape(name)}`);
  const missing = classes.filter((name) => all.includes(name) && !own.includes(name));
  return { shown: classes.length, missing };
}

describe('the home of a visitor', () => {
  test.each([
    ['zh', 375, '买涨或买跌，1 至 60 分钟，赔付率固定', '注册'],
    ['tw', 1280, '買漲或買跌，1 至 60 分鐘，賠付率固定', '註冊'],
    ['en', 375, 'Up or down, for 1 to 60 minutes, at a fixed payout', 'Register'],
    ['en', 1280, 'Up or down, for 1 to 60 minutes, at a fixed payout', 'Register'],
  ] as const)('says in %s at %i px what the app is', async (language, width, words, register) => {
    const { page, complaints, context } = await visit(browser, { language, width });
    await open(page, '/index');
    await view(page).getByText(words, { exact: true }).waitFor();
    await view(page).getByRole('link', { name: register, exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('the registration', () => {
  test.each([
    ['zh', 375, '订单规则', '结算', '风险说明', '全部投入'],
    ['tw', 375, '訂單規則', '結算', '風險說明', '全部投入'],
    ['en', 1280, 'Rules of an order', 'Settlement', 'Risk statement', 'whole stake'],
  ] as const)(
    'shows in %s at %i px the rules and the risk that it asks to accept, and keeps what was typed',
    async (language, width, rules, rule, risk, words) => {
      const { page, complaints, context } = await visit(browser, { language, width });
      await open(page, '/register');
      const account = page.locator('input[autocomplete=username]');
      await account.fill('somebody');
      const sheet = (name: string) => page.getByRole('dialog', { name });
      await page.getByRole('button', { name: rules, exact: true }).click();
      await sheet(rules).getByRole('listitem').filter({ hasText: rule }).first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: risk, exact: true }).click();
      await sheet(risk).getByText(words).waitFor();
      await page.keyboard.press('Escape');
      await sheet(risk).waitFor({ state: 'hidden' });
      expect(await account.inputValue()).toBe('somebody');
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});

interface Vectors {
  readonly receipts: Readonly<Record<string, { readonly receipt: object }>>;
}

/** Checks the receipt on the landing page and opens the report. */
async function openReport(page: Page, words: { check: string; steps: string }) {
  await page.goto(`${origin()}/home`);
  await page.getByRole('button', { name: words.check }).click();
  await page.getByRole('button', { name: words.steps }).click();
  const report = page.getByRole('dialog', { name: words.steps });
  await report.locator('section[data-valid]').waitFor();
  return report;
}

const ENGLISH = { check: 'Check this one', steps: 'Every check' };

describe('a receipt', () => {
  test('says the result first, then one sentence for each part, with all checks folded away', async () => {
    const { page, complaints, context } = await visit(browser, { language: 'en' });
    const report = await openReport(page, ENGLISH);
    await report.getByText(/^(Profit|Loss|No loss): [\d.,]+ \w+ staked, [\d.,]+ \w+ returned$/).waitFor();
    await report.getByText(/^Checked \d/).waitFor();
    const sentences = report.locator('ol').first().getByRole('listitem');
    const patterns = [
      /^Accepted and signed at/,
      /^In the public log/,
      /^Opened at/,
      /^Settled at/,
      /^The rules give back/,
    ];
    const told = await sentences.allInnerTexts();
    expect(told.map((text) => text.trim())).toEqual(patterns.map((each) => expect.stringMatching(each)));
    const fold = report.getByText('All checks', { exact: true });
    const check = report.getByText('The log is signed', { exact: true });
    expect(await check.isVisible()).toBe(false);
    await fold.click();
    await check.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('is passed on as a picture and as a file: by the device’s own sheet, or saved where there is none', async () => {
    const { page, complaints, context } = await visit(browser, { language: 'en' });
    const saved = await openReport(page, ENGLISH);
    const saving = page.waitForEvent('download');
    await saved.getByRole('button', { name: 'Save as picture' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toMatch(/^fairtick-receipt-\d+\.png$/);
    const picture = PNG.sync.read(await readFile(await download.path()));
    expect([picture.width, picture.height > 900]).toEqual([1_080, true]);
    expect(new Set(picture.data).size).toBeGreaterThan(20);
    await context.addInitScript(() => {
      const passedOn: string[] = [];
      Object.assign(globalThis, { passedOn });
      Object.assign(navigator, {
        canShare: ({ files = [] }: ShareData) => files.every(({ type }) => type === 'image/png'),
        share: async ({ files = [] }: ShareData) => passedOn.push(...files.map(({ name }) => name)),
      });
    });
    const shared = await openReport(page, ENGLISH);
    await shared.getByRole('button', { name: 'Share as picture' }).click();
    const passedOn = () => page.evaluate(() => (globalThis as unknown as { passedOn: string[] }).passedOn);
    await soon(passedOn).toEqual([expect.stringMatching(/\.png$/)]);
    // The sheet takes no such file here, so it is saved.
    const file = page.waitForEvent('download');
    await shared.getByRole('button', { name: 'Share as file' }).click();
    expect((await file).suggestedFilename()).toMatch(/\.json$/);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test.each([
    ['zh', '核对这一张', '逐项核对结果', '受理单没有运营方的有效签名。'],
    ['tw', '核對這一張', '逐項核對結果', '受理單沒有營運方的有效簽名。'],
    ['en', 'Check this one', 'Every check', 'The acceptance has no valid signature of the operator.'],
  ] as const)(
    'of another log is refuted in %s, and no picture of it is offered',
    async (language, check, steps, fault) => {
      const { page, complaints, context } = await visit(browser, { language });
      const vectors = JSON.parse(
        await readFile(new URL('../../docs/receipt-vectors.json', import.meta.url), 'utf8'),
      ) as Vectors;
      await page.route('**/api/transparency/receipt?*', (route) =>
        route.fulfill({ json: { code: 1, msg: '', data: vectors.receipts.lost?.receipt } }),
      );
      const report = await openReport(page, { check, steps });
      await report.getByText(fault, { exact: true }).waitFor();
      await report
        .locator('q[lang=en]')
        .getByText(/not signed by a key that is trusted/)
        .waitFor();
      expect(await report.getByRole('button', { name: /picture|图片|圖片/ }).count()).toBe(0);
      expect(await axeFindings(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});
