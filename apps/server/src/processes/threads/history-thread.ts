import type pg from 'pg';
import type { Config } from '../../config/config.ts';
import { modelledProduct } from '../../market/catalogue/listing.ts';
import { openHistoryQueue } from '../../market/history/history-queue.ts';
import { SimulatedHistory } from '../../market/history/simulated-history.ts';
import { readLogHead } from '../../market/log/log-head.ts';
import { Products } from '../../market/products.ts';
import { MarketModel } from '../../market/simulated/market-model.ts';
import { SeedBook } from '../../market/simulated/seed-book.ts';
import { createPool, type Pool } from '../../platform/db/database.ts';
import { KeyRing } from '../../platform/sealing/key-ring.ts';
import { runThread } from './run-thread.ts';

export interface HistoryOptions {
  readonly server: pg.ClientConfig;
  readonly settings: Pick<Config, 'mode' | 'encryptionKeyFile'>;
}

/** Makes the simulated past. Reports `started` when the candles needed before the first tick exist. */
await runThread<HistoryOptions>(async ({ server, settings }, tell) => {
  const pool = createPool(server, { max: 2, name: 'history' });
  const products = await Products.load(pool);
  const history = await openHistory(pool, products, settings);
  const queue = await openHistoryQueue(pool, {
    history,
    products,
    onMade: (productIds) => tell({ kind: 'made', productIds }),
  });
  const finished = queue.run();
  return {
    onMessage: (message) => {
      if (message.kind === 'wanted') queue.want(message.productId);
    },
    finished,
    stop: async () => {
      queue.stop();
      await finished;
      await pool.end();
    },
  };
});

async function openHistory(
  pool: Pool,
  products: Products,
  { mode, encryptionKeyFile }: HistoryOptions['settings'],
): Promise<SimulatedHistory> {
  const { begunMs } = await readLogHead(pool);
  const keys = await KeyRing.load(pool, encryptionKeyFile, { mayMake: mode === 'demo' });
  const seeds = new SeedBook(pool, keys, begunMs);
  await seeds.load(Date.now());
  const modelled = products.all.flatMap((product) => modelledProduct(product) ?? []);
  const model = new MarketModel({ products: modelled, seeds, installedMs: begunMs });
  const history = new SimulatedHistory(pool, model, begunMs);
  await history.begin(products);
  return history;
}
