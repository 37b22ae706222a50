import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { loadSigningKeys } from '../apps/server/src/market/keys/signing-keys.ts';
import { readLogHead } from '../apps/server/src/market/log/log-head.ts';
import { type Product, Products } from '../apps/server/src/market/products.ts';
import { FeedRole } from '../apps/server/src/processes/feed-role.ts';
import { BusyFeed } from './kit/busy-writer.ts';
import { openInstallation } from './kit/installation.ts';
import { percentile, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * Intervals at which signed heads of the log become visible while every product ticks four times a second, by the feed's own loop
 * on the system's clock; the baseline is the same loop with one product.
 *   npm run bench -- heads [SECONDS]
 */
const SECONDS = Number(process.argv[2] ?? sized(120, 4));
const LOOK_EVERY_MS = 5;
const MS_PER_SECOND = 1_000;
/** Time until the rules take effect and the first head is signed. */
const SETTLING_IN_MS = 5_000;

interface Seen {
  readonly ticksPerSecond: number;
  /** Time between one head and the next, ms. */
  readonly apartMs: readonly number[];
}

const installation = await openInstallation();
try {
  const products = await Products.load(installation.server);
  const one = await watch(products, products.all.slice(0, 1));
  const all = await watch(products, products.all);
  const row = (what: string, { ticksPerSecond, apartMs }: Seen) => {
    const figures = [0, 0.5, 0.99, 1].map((share) => percentile(apartMs, share));
    return [what, Math.round(ticksPerSecond), apartMs.length, ...figures.map(Math.round)];
  };
  printTable(
    ['products', 'ticks/s', 'heads', 'shortest ms', 'p50 ms', 'p99 ms', 'longest ms', '× p99 of one'],
    [
      [...row('1', one), '1.00'],
      [
        ...row(String(products.all.length), all),
        (percentile(all.apartMs, 0.99) / percentile(one.apartMs, 0.99)).toFixed(2),
      ],
    ],
  );
} finally {
  await installation.close();
}

/** Runs the feed's loop with prices of some products for a while. */
async function watch(products: Products, quoted: readonly Product[]): Promise<Seen> {
  const { server, dataDir } = installation;
  const { origin } = await readLogHead(server);
  const role = new FeedRole({
    pool: server,
    feed: new BusyFeed(quoted),
    products,
    signer: loadSigningKeys(join(dataDir, 'signing.key'), origin).checkpoints,
    holder: `bench of ${quoted.length}`,
    log: pino({ level: 'warn' }),
  });
  role.start();
  await sleep(SETTLING_IN_MS);
  const before = await readLogHead(server);
  const startedMs = performance.now();
  const apartMs: number[] = [];
  let last = { size: 0, atMs: 0 };
  while (performance.now() - startedMs < SECONDS * MS_PER_SECOND) {
    const { rows } = await server.query<{ size: string }>('select max(size) as size from log_checkpoints');
    const size = Number(rows[0]?.size ?? 0);
    const atMs = performance.now();
    if (size > last.size) {
      if (last.size > 0) apartMs.push(atMs - last.atMs);
      last = { size, atMs };
    }
    await sleep(LOOK_EVERY_MS);
  }
  const written = (await readLogHead(server)).size - before.size;
  const ticksPerSecond = (written * MS_PER_SECOND) / (performance.now() - startedMs);
  await role.stop();
  if (apartMs.length === 0) throw new Error('no head was signed');
  return { ticksPerSecond, apartMs };
}
