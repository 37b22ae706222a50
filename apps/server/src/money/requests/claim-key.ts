import { randomUUID } from 'node:crypto';
import { type Client, type Pool, type Queryable, transaction } from '../../platform/db/database.ts';
import { RefusalError, type SessionContext } from '../../platform/http/context.ts';
import { hashInput, hashKey } from '../../platform/request-hashes.ts';

/** The hashes with which a key is claimed. */
export interface Claim {
  readonly keyHash: Buffer;
  /** Covers all inputs except secrets: a client that repeats the key learns whether the two inputs are equal. */
  readonly inputHash: Buffer;
}

/** The hashes of a request; one without a key gets a key of its own. */
export const claimOf = ({ idempotencyKey, path, fields }: SessionContext): Claim => ({
  keyHash: hashKey(idempotencyKey ?? randomUUID()),
  inputHash: hashInput(path, fields),
});

/** Works once for each key, in a transaction. A refusal rolls it back, and with it the key. */
export const once = (
  pool: Pool,
  customerId: string,
  claim: Claim,
  work: (client: Client) => Promise<void>,
): Promise<void> =>
  transaction(pool, async (client) => {
    if (await claimKey(client, customerId, claim)) await work(client);
  });

/**
 * Claims an idempotency key in the current transaction. An order with the same key is placed before or after it, never
 * concurrently: both lock the customer's balances before they look up the key.
 * @returns false when the same request has claimed it before
 * @throws RefusalError IDEMPOTENCY_MISMATCH when another request has
 */
async function claimKey(db: Queryable, customerId: string, { keyHash, inputHash }: Claim): Promise<boolean> {
  await db.query(
    `select ledger.lock_balances(array_agg(owner_id), array_agg(asset_id)) from ledger.balances where owner_id = $1`,
    [customerId],
  );
  const claimed = await db.query(
    `insert into used_keys (customer_id, key_hash, input_hash)
     select $1, $2, $3 where not exists (select from orders where customer_id = $1 and key_hash = substr($2::bytea, 1, 8))
     on conflict do nothing`,
    [customerId, keyHash, inputHash],
  );
  if (claimed.rowCount === 1) return true;
  if (!(await isKnown(db, customerId, { keyHash, inputHash })))
    throw new RefusalError('IDEMPOTENCY_MISMATCH');
  return false;
}

/**
 * Whether the same request has claimed the key before; false for an unused key.
 * @throws RefusalError IDEMPOTENCY_MISMATCH when another request has
 */
export async function isKnown(
  db: Queryable,
  customerId: string,
  { keyHash, inputHash }: Claim,
): Promise<boolean> {
  const { rows } = await db.query<{ input_hash: Buffer }>(
    'select input_hash from used_keys where customer_id = $1 and key_hash = $2',
    [customerId, keyHash],
  );
  const known = rows[0]?.input_hash;
  if (!known) return false;
  if (inputHash.equals(known)) return true;
  throw new RefusalError('IDEMPOTENCY_MISMATCH');
}
