import { randomUUID } from 'node:crypto';
import type { Assets } from '../assets.ts';
import { type Pool, type Queryable, transaction } from '../db/database.ts';
import { type Handlers, RefusalError } from '../http/context.ts';
import { hashInput, hashKey } from '../idempotency.ts';
import { readBalances } from '../identity/accounts.ts';
import { pageOf, readCursor } from '../orders/routes.ts';
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
      // Everything that the ledger posted succeeded; requests under review come with their screens.
      if (asset === null || (input.result !== undefined && input.result !== 'success'))
        return { items: [], nextCursor: null };
      const filter: FundFilter = {
        customerId: session.customerId,
        beforeId: input.cursor === undefined ? null : readCursor(input.cursor),
        type: input.type ?? null,
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

/**
 * Takes an idempotency key for the transaction under way. An order of the same key is placed before or after it, never
 * beside it: both hold the customer's balances, and look for the key only then.
 * @returns false when the same request has taken it before
 * @throws RefusalError IDEMPOTENCY_MISMATCH when another one has
 */
export async function claimKey(
  db: Queryable,
  customerId: string,
  { keyHash, inputHash }: { keyHash: Buffer; inputHash: Buffer },
): Promise<boolean> {
  await db.query(
    `select ledger.lock_balances(array_agg(owner_id), array_agg(asset_id)) from ledger.balances where owner_id = $1`,
    [customerId],
  );
  const claimed = await db.query(
    `insert into used_keys (customer_id, key_hash, input_hash)
     select $1, $2, $3 where not exists (select from orders where customer_id = $1 and key_hash = $2)
     on conflict do nothing`,
    [customerId, keyHash, inputHash],
  );
  if (claimed.rowCount === 1) return true;
  const { rows } = await db.query<{ input_hash: Buffer }>(
    'select input_hash from used_keys where customer_id = $1 and key_hash = $2',
    [customerId, keyHash],
  );
  if (!rows[0]?.input_hash.equals(inputHash)) throw new RefusalError('IDEMPOTENCY_MISMATCH');
  return false;
}
