import type { Language } from '@fairtick/protocol';
import { dataExportHandlers } from '../../customers/data-export/routes.ts';
import { DEMO_CUSTOMER } from '../../customers/identity/demo-customer.ts';
import { identityHandlers } from '../../customers/identity/routes.ts';
import { customerFactors } from '../../customers/identity/second-factors.ts';
import { securityHandlers } from '../../customers/identity/security-routes.ts';
import { personalHandlers } from '../../customers/personal-data/routes.ts';
import { protectionHandlers } from '../../customers/protection/routes.ts';
import { statisticsHandlers } from '../../customers/statistics/routes.ts';
import { verificationHandlers } from '../../customers/verification/routes.ts';
import { productHandlers } from '../../market/routes.ts';
import { depositHandlers } from '../../money/deposits/routes.ts';
import { earningsHandlers } from '../../money/earnings/routes.ts';
import { fundHandlers } from '../../money/fund-log/routes.ts';
import { withdrawHandlers } from '../../money/withdrawals/routes.ts';
import { newsHandlers } from '../../news/routes.ts';
import { noticeHandlers } from '../../notices/routes.ts';
import type { landingOf } from '../../pages/landing/landing.ts';
import { inLine } from '../../platform/fairness/line.ts';
import { supportHandlers } from '../../support/routes.ts';
import { alertHandlers } from '../../trading/price-alerts/routes.ts';
import { publishedReceipt } from '../../trading/receipts/published-receipt.ts';
import { orderHandlers } from '../../trading/routes.ts';
import { transparencyHandlers } from '../../transparency/public/routes.ts';
import type { ApiParts } from './api-parts.ts';
import { appConfig } from './app-config.ts';

export function makeHandlers(parts: ApiParts, landing: ReturnType<typeof landingOf>) {
  const { pool, readers, personal, place, queries, lines } = parts;
  const { config, assets, products } = parts.processParts;
  const { keys, uploads } = personal;
  const { market } = queries;
  return {
    ...accountHandlers(parts),
    ...productHandlers({
      db: pool,
      assets,
      products,
      market,
      ...parts.hub.stateParts,
      history: parts.past,
      readersDb: readers,
      readLine: lines.market,
      turns: parts.turns,
    }),
    ...orderHandlers({
      ...queries,
      queue: parts.queue,
      newestTicks: parts.newestTicks,
      readers: { db: readers, reader: parts.publicReader },
    }),
    ...fundHandlers({ pool, assets }),
    ...earningsHandlers({ pool, assets }),
    ...depositHandlers({ pool, assets, uploads, chains: config.chains, reader: queries.reader }),
    ...withdrawHandlers({ pool, assets, chains: config.chains, ...personal }),
    ...noticeHandlers({ pool, assets, products }),
    ...protectionHandlers({ pool, assets }),
    ...alertHandlers({ pool, products }),
    ...statisticsHandlers({ pool, assets, products }),
    ...inLine(lines.news, newsHandlers({ db: readers })),
    ...supportHandlers({ pool, keys, uploads, chats: parts.chats }),
    ...inLine(
      lines.log,
      transparencyHandlers({
        db: readers,
        reader: parts.publicReader,
        keys: parts.processParts.keys,
        witnesses: config.witnesses,
        assets,
        products,
        mode: config.mode,
        feed: config.feed.kind,
        publishedReceipt: receiptForAll(parts),
      }),
    ),
    appLanding: async (_input: unknown, { language }: { language: Language }) => landing(language),
    appConfig: async (_input: unknown, { language }: { language: Language }) =>
      appConfig(
        {
          assets,
          ...place,
          riskOf: parts.riskOf,
          feed: config.feed.kind,
          support: config.support,
          nowMs: parts.hub.logTime.now(),
        },
        language,
      ),
  };
}

/** A visitor may check the receipt of the demo's customer, in whose name anybody can log in. */
function receiptForAll({ queries, readers, publicReader, processParts }: ApiParts) {
  if (processParts.config.mode === 'live') return async () => null;
  const parts = { ...queries, readers: { db: readers, reader: publicReader } };
  return () => publishedReceipt(parts, DEMO_CUSTOMER.account);
}

function accountHandlers({ pool, publicPool, sessions, personal, place, processParts }: ApiParts) {
  const { assets, products, passwords, config } = processParts;
  const { keys, uploads } = personal;
  const account = {
    pool,
    publicPool,
    assets,
    passwords,
    sessions,
    products,
    ...place,
    ...personal,
    ...customerFactors({ pool, publicPool }, keys, config.publicOrigin),
  };
  return {
    ...identityHandlers(account),
    ...securityHandlers(account),
    ...personalHandlers(account),
    ...dataExportHandlers({ pool, assets, keys, uploads }),
    ...verificationHandlers({ pool, keys, uploads, ...place }),
  };
}
