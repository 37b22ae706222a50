import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startServerProcess } from '@fairtick/kit/browser/server.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { CHROMIUM_FLAGS, ensureChromium } from '../scripts/chromium.ts';

/**
 * Lighthouse, mobile, on the pages that visitors see first: `npm run bench -- lighthouse [/index /product]`. Prints the four
 * scores, the figures behind performance, and the script bytes transferred. The median of three runs counts. npm fetches
 * Lighthouse at the first run: with its dependencies it is larger than everything else that tests need.
 */
const LIGHTHOUSE = 'lighthouse@13.5.0';
const PAGES = process.argv.length > 2 ? process.argv.slice(2) : ['/index', '/product'];
const RUNS = 3;
const DEBUG_PORT = 9333;

const server = process.env.ORIGIN ? null : await startServerProcess();
const origin = process.env.ORIGIN ?? server?.origin ?? '';
const profile = mkdtempSync(join(tmpdir(), 'fairtick-lighthouse-'));
const browser = spawn(
  ensureChromium(),
  [...CHROMIUM_FLAGS, `--remote-debugging-port=${DEBUG_PORT}`, `--user-data-dir=${profile}`, 'about:blank'],
  { stdio: 'ignore' },
);
try {
  await untilListening();
  for (const page of PAGES) {
    const runs = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await measure(`${origin}${page}`));
    runs.sort((a, b) => a.performance - b.performance);
    const middle = runs[Math.floor(RUNS / 2)];
    console.log(
      page,
      JSON.stringify(middle),
      `all performance: ${runs.map((run) => run.performance).join(', ')}`,
    );
  }
} finally {
  browser.kill();
  await server?.stop();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}

async function untilListening(): Promise<void> {
  const look = async () => (await fetch(`http://127.0.0.1:${DEBUG_PORT}/json/version`).catch(() => null))?.ok;
  await seen(look, { withinMs: 10_000, everyMs: 100, what: 'the browser' });
}

/** The part of Lighthouse's result that is read here. */
interface Result {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>;
  readonly audits: Readonly<
    Record<
      string,
      {
        readonly id: string;
        readonly score: number | null;
        readonly numericValue?: number;
        readonly scoreDisplayMode: string;
        readonly details?: unknown;
      }
    >
  >;
}

async function measure(url: string) {
  const options = [`--port=${DEBUG_PORT}`, '--output=json', '--quiet'];
  const { stdout } = await promisify(execFile)(
    'npm',
    ['exec', '--yes', `--package=${LIGHTHOUSE}`, '--', 'lighthouse', url, ...options],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const { categories, audits } = JSON.parse(stdout) as Result;
  const score = (name: string) => Math.round((categories[name]?.score ?? 0) * 100);
  const value = (name: string) => Math.round(audits[name]?.numericValue ?? 0);
  const failing = Object.values(audits)
    .filter((audit) => audit.score !== null && audit.score < 0.9 && audit.scoreDisplayMode === 'binary')
    .map((audit) => audit.id);
  const requests = (
    audits['network-requests']?.details as {
      items?: { resourceType: string; transferSize: number; url: string }[];
    }
  )?.items;
  const scripts = (requests ?? []).filter((request) => request.resourceType === 'Script');
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    seo: score('seo'),
    firstPaintMs: value('first-contentful-paint'),
    largestPaintMs: value('largest-contentful-paint'),
    blockingMs: value('total-blocking-time'),
    layoutShift: audits['cumulative-layout-shift']?.numericValue,
    scriptBytes: scripts.reduce((sum, request) => sum + request.transferSize, 0),
    failing,
  };
}
