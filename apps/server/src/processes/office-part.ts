import { join } from 'node:path';
import { Destinations } from '../customers/personal-data/destinations.ts';
import { screeningHandlers } from '../customers/screening/office.ts';
import { Screening } from '../customers/screening/screening.ts';
import { VendorInquiries } from '../customers/screening/vendor-inquiries.ts';
import { identityOfficeHandlers } from '../customers/verification/office.ts';
import { priceAges } from '../market/price-ages.ts';
import { bankFileHandlers } from '../money/bank-files/office.ts';
import { depositOfficeHandlers } from '../money/deposits/office.ts';
import { earningOfficeHandlers } from '../money/earnings/office.ts';
import { manualConfirmations } from '../money/requests/confirmations.ts';
import { DailyReconciliation } from '../money/treasury/daily-reconciliation.ts';
import { treasuryHandlers } from '../money/treasury/office.ts';
import { withdrawalOfficeHandlers } from '../money/withdrawals/office.ts';
import { payoutOfficeHandlers } from '../money/withdrawals/payout-batches-office.ts';
import type { Payouts } from '../money/withdrawals/payouts.ts';
import { newsOfficeHandlers } from '../news/office.ts';
import { catalogueHandlers } from '../office/catalogue/office.ts';
import { startOffice } from '../office/core/start-office.ts';
import { flagHandlers } from '../office/customer-view/flag-rules.ts';
import { customerHandlers } from '../office/customer-view/office.ts';
import { restrictionHandlers } from '../office/customer-view/restrictions.ts';
import { dashboardHandlers, readQueues } from '../office/dashboard/office.ts';
import { orderCaseHandlers } from '../office/order-case/office.ts';
import { reportHandlers } from '../office/reports/office.ts';
import { sourceHandlers } from '../office/sources/office.ts';
import { lastBackup } from '../platform/backup/backup-folder.ts';
import type { DatabaseAddress } from '../platform/db/database.ts';
import { supportOfficeHandlers } from '../support/office.ts';
import { recoveryOfficeHandlers } from '../support/recoveries.ts';
import { personalParts } from './personal-parts.ts';
import type { Part, ProcessParts } from './process-parts.ts';

export async function startOfficePart(
  shared: ProcessParts,
  database: DatabaseAddress,
  { appDist, payouts }: { appDist: string | null; payouts: Payouts | null },
): Promise<Part | null> {
  const { config, log, assets, products, passwords } = shared;
  if (config.office === null) return null;
  const { keys, uploads } = await personalParts(shared, shared.pool);
  const ages = priceAges({ db: shared.pool, products, rules: shared.rules });
  const office = await startOffice({
    config,
    office: config.office,
    database,
    log,
    passwords,
    keys,
    registry: shared.registry,
    figures: shared.figures,
    queues: readQueues,
    // Each folder that has operations of the office adds its handlers here.
    areas: (pool) => ({
      ...identityOfficeHandlers({ pool, keys, uploads }),
      ...newsOfficeHandlers({ pool, uploads }),
      ...supportOfficeHandlers({ pool, keys, uploads, hours: config.support }),
      ...recoveryOfficeHandlers({ pool, keys }),
      ...treasuryHandlers({ pool, assets }),
      ...bankFileHandlers({ pool, destinations: new Destinations({ pool, keys }) }),
      ...earningOfficeHandlers({ pool, assets }),
      ...customerHandlers({ pool, assets }),
      ...restrictionHandlers({ pool, assets }),
      ...flagHandlers({ pool, keys }),
      ...screeningHandlers({ pool }),
      ...orderCaseHandlers({ pool, assets, products, rules: shared.rules, keys: shared.keys }),
      ...reportHandlers({ pool, address: database.server, assets, signer: shared.keys.acceptances, log }),
      ...dashboardHandlers({
        pool,
        products,
        assets,
        ages,
        facts: () => ({
          hasMetrics: config.metricsPort !== null,
          lastBackupMs: lastBackup(config, database.embedded === null),
        }),
      }),
      ...sourceHandlers({ pool, feed: config.feed.kind, ages }),
      ...catalogueHandlers({
        pool,
        products,
        feed: config.feed.kind,
        mode: config.mode,
        sourcesFile: config.feed.kind === 'live' ? config.feed.sourcesFile : null,
      }),
      ...depositOfficeHandlers({
        pool,
        assets,
        uploads,
        confirmations: manualConfirmations,
        chains: config.chains,
      }),
      ...payoutOfficeHandlers({
        pool,
        destinations: new Destinations({ pool, keys }),
        chains: config.chains,
      }),
      ...withdrawalOfficeHandlers({
        pool,
        destinations: new Destinations({ pool, keys }),
        payouts,
        log,
      }),
    }),
    dist: appDist === null ? null : join(appDist, 'office'),
  });
  if (office === null) return null;
  const daily = new DailyReconciliation(database.server, log);
  daily.start();
  const destinations = new Destinations({ pool: shared.pool, keys });
  const screening = new Screening({ pool: shared.pool, keys, destinations }, log);
  screening.start();
  const inquiries = new VendorInquiries(
    { pool: shared.pool, keys, destinations, vendors: config.vendors ?? [] },
    log,
  );
  inquiries.start();
  return {
    drain: office.drain,
    stop: async () => {
      await daily.stop();
      await screening.stop();
      await inquiries.stop();
      await office.stop();
    },
  };
}
