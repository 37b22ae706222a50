import { setTimeout as sleep } from 'node:timers/promises';
import { origin } from '@fairtick/kit/browser/browser.ts';
import { ownFonts } from '@fairtick/kit/browser/fonts.ts';
import { member, shown, view } from '@fairtick/kit/browser/screens.ts';
import { startServerProcess } from '@fairtick/kit/browser/server.ts';
import { noteShifts, shiftsOf } from '@fairtick/kit/browser/shifts.ts';
import { type Browser, chromium } from 'playwright-core';
import { CHROMIUM_FLAGS, ensureChromium } from '../scripts/chromium.ts';
import { inTurn, median, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * Screens on a slow phone: 4 × slower processor, slow 4G (150 ms, 1.6 Mbit/s down, 750 kbit/s up, as Lighthouse's mobile setting), a
 * first visit of a customer. For each screen the largest contentful paint, when the first candles are seen, the longest task until 10 s
 * after it, the sum of layout shifts meanwhile, and the bytes transferred until the screen is shown. The baseline of the paint is the same server's text page.
 *   npm run bench -- walk [PATH…]
 */
const BASELINE = '/healthz';
const PATHS =
  process.argv.length > 2
    ? process.argv.slice(2)
    : sized(['/product?symbol=BTC/USDT', '/index', '/home'], ['/home']);
const RUNS = sized(3, 1);
const SLOWER = 4;
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 };
const WATCHED_MS = sized(10_000, 1_000);

interface Figures {
  readonly paintMs: number;
  /** Not a number on a screen without a chart. */
  readonly candlesMs: number;
  readonly longestTaskMs: number;
  readonly shift: number;
  readonly bytes: number;
}

const server = process.env.FAIRTICK_ORIGIN ? null : await startServerProcess({ MODE: 'demo' });
if (server) process.env.FAIRTICK_ORIGIN = server.origin;
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: CHROMIUM_FLAGS,
  env: await ownFonts(),
});
try {
  const contenders = [BASELINE, ...PATHS].map((path) => [path, () => measure(browser, path)] as const);
  const results = await inTurn(RUNS, Object.fromEntries(contenders));
  const of = (path: string, name: keyof Figures) => median((results[path] ?? []).map((run) => run[name]));
  printTable(
    [
      'screen',
      'largest paint, ms',
      '×',
      'first candles, ms',
      'longest task, ms',
      'layout shift',
      'transferred, kB',
    ],
    [BASELINE, ...PATHS].map((path) => [
      path,
      Math.round(of(path, 'paintMs')),
      (of(path, 'paintMs') / of(BASELINE, 'paintMs')).toFixed(2),
      Number.isNaN(of(path, 'candlesMs')) ? '–' : Math.round(of(path, 'candlesMs')),
      Math.round(of(path, 'longestTaskMs')),
      of(path, 'shift').toFixed(4),
      (of(path, 'bytes') / 1_000).toFixed(1),
    ]),
  );
} finally {
  await browser.close();
  await server?.stop();
}

async function measure(from: Browser, path: string): Promise<Figures> {
  const { page, context } = await member(from, { language: 'en' });
  // The app keeps the language in a cookie, so that the server prerenders in it.
  await context.addCookies([{ name: 'language', value: 'en', url: origin() }]);
  await noteShifts(context);
  await context.addInitScript(noteTimes);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', SLOW_4G);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  let bytes = 0;
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(`${origin()}${path}`);
  if (path !== BASELINE) {
    await shown(page, path);
    await view(page).first().waitFor();
  }
  const atOnce = bytes;
  await sleep(WATCHED_MS);
  const times = await page.evaluate(() => (globalThis as unknown as { times: Times }).times);
  const shift = (await shiftsOf(page)).reduce((sum, { value }) => sum + value, 0);
  await context.close();
  const { paintMs, candlesMs } = times;
  return { paintMs, candlesMs, longestTaskMs: Math.max(0, ...times.tasksMs), shift, bytes: atOnce };
}

interface Times {
  paintMs: number;
  candlesMs: number;
  readonly tasksMs: number[];
}

function noteTimes(): void {
  const times: Times = { paintMs: Number.NaN, candlesMs: Number.NaN, tasksMs: [] };
  Object.assign(globalThis, { times });
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) times.paintMs = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) times.tasksMs.push(duration);
  }).observe({ type: 'longtask', buffered: true });
  const look = () => {
    if (document.querySelector('[data-first-candles] path, [role=img] canvas'))
      times.candlesMs = performance.now();
    else requestAnimationFrame(look);
  };
  look();
}
