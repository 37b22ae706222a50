import type { ChainSettings } from '../../../apps/server/src/config/chains-file.ts';
import { chainAddresses } from '../../../apps/server/src/money/chains/chain-addresses.ts';
import type { ChainSource } from '../../../apps/server/src/money/chains/chain-source.ts';
import { ChainWatcher } from '../../../apps/server/src/money/chains/chain-watcher.ts';
import { Assets } from '../../../apps/server/src/platform/assets.ts';
import { createLog } from '../../../apps/server/src/platform/logger.ts';
import type { TestDatabase } from '../database/database.ts';
import { newPayee, type Payee } from '../people/money.ts';

export async function watcherOf(
  db: TestDatabase,
  chain: ChainSettings,
  source: ChainSource,
  second: ChainSource | null = null,
): Promise<ChainWatcher> {
  const assets = await Assets.load(db.chain);
  return new ChainWatcher({ chain, db: db.chain, assets, source, second, log: createLog('silent') });
}

/** A customer who may withdraw, with an address of their own on the chain. */
export async function newDepositor(
  db: TestDatabase,
  chain: ChainSettings,
): Promise<Payee & { readonly to: string }> {
  const payee = await newPayee(db);
  const own = await chainAddresses(db.server, [chain], payee.id);
  return { ...payee, to: own.get(chain.chain) as string };
}
