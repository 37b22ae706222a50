import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { build, type Rollup } from 'vite';
import { CHROMIUM_FLAGS, ensureChromium } from '../scripts/chromium.ts';
import { median, percentile, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * Time that a browser takes to check a receipt, on this machine and slowed down four times like a cheap phone: the receipts of
 * `docs/receipt-vectors.json`, each by the whole verifier. The baseline is one signed note, opened by the same library in the
 * same page; a receipt has two. Target: 100 ms when slowed down.
 */
const SLOWER = 4;
const ROUNDS = sized(60, 1);
const ENTRY = '\0bench';

const vectors = JSON.parse(
  readFileSync(new URL('../docs/receipt-vectors.json', import.meta.url), 'utf8'),
) as object;
const browser = await chromium.launch({ executablePath: ensureChromium(), args: CHROMIUM_FLAGS });
try {
  const script = await bundle();
  const rows: string[][] = [];
  for (const rate of [1, SLOWER]) {
    // A separate process for each, so that no code has been compiled by the one before.
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addScriptTag({ content: script });
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate });
    const { signature, receipts, cold } = await page.evaluate(
      ([given, rounds]) => (globalThis as unknown as { bench: Bench }).bench(given, rounds),
      [vectors, ROUNDS] as const,
    );
    const all = Object.values(receipts).flat();
    const worst = Object.entries(receipts).sort(([, a], [, b]) => median(b) - median(a))[0];
    rows.push([
      `${rate} ×`,
      median(signature).toFixed(2),
      median(all).toFixed(1),
      percentile(all, 0.99).toFixed(1),
      `${worst?.[0]} ${median(worst?.[1] ?? []).toFixed(1)}`,
      cold.toFixed(1),
      (median(all) / median(signature)).toFixed(1),
    ]);
    await context.close();
  }
  printTable(
    [
      'slowed down',
      'a signature ms',
      'receipt p50 ms',
      'p99 ms',
      'slowest receipt',
      'first of all ms',
      '× a signature',
    ],
    rows,
  );
} finally {
  await browser.close();
}

type Bench = (
  vectors: object,
  rounds: number,
) => { signature: number[]; receipts: Record<string, number[]>; cold: number };

/** The verifier and the code that times it, as one script. */
async function bundle(): Promise<string> {
  const code = `
    import { nobleVerifier, openNote, verifyReceipt } from '@fairtick/proof';
    globalThis.bench = (vectors, rounds) => {
      const keys = {
        log: [nobleVerifier(vectors.keys.log)], acceptances: [nobleVerifier(vectors.keys.acceptances)], witnesses: [],
      };
      const timed = (work) => { const from = performance.now(); work(); return performance.now() - from; };
      const receipts = {};
      let cold = null;
      for (let round = 0; round < rounds; round += 1) {
        for (const [name, { receipt }] of Object.entries(vectors.receipts)) {
          const ms = timed(() => { if (!verifyReceipt(receipt, { keys }).isValid) throw new Error(name); });
          cold ??= ms;
          (receipts[name] ??= []).push(ms);
        }
      }
      const note = Object.values(vectors.receipts)[0].receipt.checkpoint;
      const signature = Array.from({ length: rounds }, () =>
        timed(() => { if (!openNote(note, keys.log)) throw new Error('the note'); }));
      return { signature, receipts, cold };
    };`;
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'entry',
        resolveId: (id: string) => (id === ENTRY ? id : null),
        load: (id: string) => (id === ENTRY ? code : null),
      },
    ],
    build: { write: false, rollupOptions: { input: ENTRY, output: { format: 'iife' } } },
  })) as Rollup.RollupOutput;
  return built.output[0].code;
}
