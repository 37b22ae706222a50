import { randomUUID } from 'node:crypto';
import type { Assets } from '../assets.ts';
import { type Pool, transaction } from '../db/database.ts';
import type { Handlers } from '../http/context.ts';
import { hashInput, hashKey } from '../idempotency.ts';
import { readBalances } from '../identity/accounts.ts';
import { pageOf, readCursor } from '../orders/routes.ts';
import { claimKey } from './claim-key.ts';
import { type FundFilter, readFundLog } from './fund-log.ts';

const DEFAULT_LIMIT = 20;

export interface FundRouteParts {
  readonly pool: Pool;
  readonly assets: Assets;
}

export function fundHandlers(parts: FundRouteParts): Pick<Handlers, 'fundLog' | 'resetDemo'> {
  return {
    fundLog: async (input, { session }) => {
      const limit = input.limit ?? DEFAULT_LIMIT;
      const asset = input.asset === undefined ? undefined : parts.assets.byCode(input.asset);
      if (asset === null) return { items: [], nextCursor: null };
      const filter: FundFilter = {
        customerId: session.customerId,
        beforeId: input.cursor === undefined ? null : readCursor(input.cursor),
        type: input.type ?? null,
        result: input.result ?? null,
        assetId: asset?.id ?? null,
        fromMs: input.from ?? null,
        toMs: input.to ?? null,
        limit: limit + 1,
      };
      return pageOf(await readFundLog(parts.pool, parts.assets, filter), limit);
    },
    resetDemo: async (_input, context) => {
      const { customerId } = context.session;
      await resetPractice(parts, customerId, {
        key: context.idempotencyKey ?? randomUUID(),
        inputHash: hashInput(context.path, context.fields),
      });
      return readBalances(parts.pool, parts.assets, customerId);
    },
  };
}

/** Sets practice money back. The same key does it once. */
async function resetPractice(
  parts: FundRouteParts,
  customerId: string,
  { key, inputHash }: { key: string; inputHash: Buffer },
): Promise<void> {
  const practice = parts.assets.all.find((asset) => asset.isPractice);
  if (!practice) throw new Error('there is no practice asset');
  const keyHash = hashKey(key);
  await transaction(parts.pool, async (client) => {
    if (!(await claimKey(client, customerId, { keyHash, inputHash }))) return;
    await client.query('select ledger.reset_practice($1, $2, $3, $4)', [
      `practice:${customerId}:${keyHash.toString('hex')}`,
      inputHash,
      customerId,
      practice.id,
    ]);
    await client.query(`select pg_notify('orders', $1)`, [`${customerId}:0`]);
  });
}
