import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs one benchmark: `npm run bench -- NAME [ARGUMENTS]`; without a name it lists them. Each is the file `bench/NAME.ts`. */
const BENCHMARKS: Readonly<Record<string, string>> = {
  placement: 'orders per second, from the queue to the signed acceptance',
  'own-server': "placement on a PostgreSQL of one's own against the embedded one URL",
  settlement: 'settlements per second of orders due in one second [COUNT…]',
  together: 'placement during settlement [COUNT]',
  limits: "cost of customers' own limits for placement",
  'where-time-goes': 'time by part of placement and settlement',
  'http-orders': 'an order over HTTP against an empty POST [CONNECTIONS…]',
  stream: 'processor time of the stream for each reader [READERS…]',
  ticks: 'ticks per second through the writer',
  heads: 'intervals between signed heads [SECONDS]',
  earnings: "a day's interest on many accounts [ACCOUNTS]",
  receipts: 'response time of receipts with a long log [TICKS]',
  verification: 'time that a browser takes to check a receipt',
  replay: 'log entries per second of a replay [TICKS]',
  pages: 'response times of a large installation [ORDERS TICKS]',
  footprint: 'memory and start of an idle demo [SECONDS]',
  walk: 'screens on a slow phone: largest paint, longest task, layout shifts, bytes [PATH…]',
  lighthouse: 'Lighthouse scores of the first pages [PATH…]',
};

const [name = '', ...rest] = process.argv.slice(2);
if (Object.hasOwn(BENCHMARKS, name)) {
  const run = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...rest], {
    stdio: 'inherit',
  });
  process.exitCode = run.status ?? 1;
} else {
  console.log('npm run bench -- NAME [ARGUMENTS]\n');
  for (const [each, what] of Object.entries(BENCHMARKS)) console.log(`  ${each.padEnd(16)} ${what}`);
  if (name !== '') process.exitCode = 1;
}
