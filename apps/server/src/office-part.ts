import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Assets } from './assets.ts';
import { catalogueHandlers } from './catalogue/office.ts';
import type { Config } from './config.ts';
import { customerHandlers } from './customer-view/office.ts';
import { dashboardHandlers, readQueues } from './dashboard/office.ts';
import type { DatabaseAddress, Pool } from './db/database.ts';
import { earningOfficeHandlers } from './earnings/office.ts';
import type { Passwords } from './identity/passwords.ts';
import type { Products } from './market-data/products.ts';
import { newsOfficeHandlers } from './news/office.ts';
import { factorBox, startOffice } from './office/start-office.ts';
import { Destinations } from './personal-data/destinations.ts';
import { personalParts } from './personal-parts.ts';
import { manualConfirmations } from './recharge/confirmations.ts';
import { depositOfficeHandlers } from './recharge/office.ts';
import { supportOfficeHandlers } from './support/office.ts';
import { recoveryOfficeHandlers } from './support/recoveries.ts';
import { DailyReconciliation } from './treasury/daily-reconciliation.ts';
import { treasuryHandlers } from './treasury/office.ts';
import { identityOfficeHandlers } from './verification/office.ts';
import { withdrawalOfficeHandlers } from './withdraw/office.ts';
import { manualPayouts } from './withdraw/payouts.ts';

interface OfficeShared {
  readonly config: Config;
  readonly log: Logger;
  readonly pool: Pool;
  readonly assets: Assets;
  readonly products: Products;
  readonly passwords: Passwords;
  readonly registry: Registry;
}

interface OfficePart {
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the office if this process serves one. */
export async function startOfficePart(
  shared: OfficeShared,
  database: DatabaseAddress,
  appDist: string | null,
): Promise<OfficePart | null> {
  const { config, log, assets, passwords } = shared;
  if (config.office === null) return null;
  const { keys, uploads } = await personalParts(shared, shared.pool);
  const office = await startOffice({
    config,
    office: config.office,
    database,
    log,
    assets,
    passwords,
    box: factorBox(keys),
    registry: shared.registry,
    queues: readQueues,
    // Each folder that has operations of the office adds its handlers here.
    areas: (pool) => ({
      ...identityOfficeHandlers({ pool, keys, uploads }),
      ...newsOfficeHandlers({ pool, uploads }),
      ...supportOfficeHandlers({ pool, keys, uploads, hours: config.support }),
      ...recoveryOfficeHandlers({ pool }),
      ...treasuryHandlers({ pool, assets }),
      ...earningOfficeHandlers({ pool, assets }),
      ...customerHandlers({ pool, assets }),
      ...dashboardHandlers({ pool, products: shared.products, assets }),
      ...catalogueHandlers({ pool, products: shared.products, feed: config.feed.kind }),
      ...depositOfficeHandlers({ pool, assets, uploads, confirmations: manualConfirmations }),
      ...withdrawalOfficeHandlers({
        pool,
        destinations: new Destinations({ pool, keys }),
        payouts: manualPayouts,
      }),
    }),
    dist: appDist === null ? null : join(appDist, 'office'),
  });
  if (office === null) return null;
  const daily = new DailyReconciliation(database.server, log);
  daily.start();
  return {
    drain: office.drain,
    stop: async () => {
      await daily.stop();
      await office.stop();
    },
  };
}
