import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '@fairtick/kit/browser/server.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import lighthouse from 'lighthouse';
import { CHROMIUM_FLAGS, ensureChromium } from '../scripts/chromium.ts';

/**
 * Lighthouse, mobile, on the pages that everybody sees first: `npm run bench:lighthouse [-- /index /product]`. Prints the
 * four scores, the figures behind performance, and the script bytes transferred. The middle of three runs counts.
 */
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

async function measure(url: string) {
  const result = await lighthouse(url, { port: DEBUG_PORT, output: 'json', logLevel: 'silent' });
  if (!result) throw new Error('Lighthouse gave no result');
  const { categories, audits } = result.lhr;
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
