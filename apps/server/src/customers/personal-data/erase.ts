import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../platform/db/database.ts';
import type { DiskStore } from '../../platform/uploads/disk-store.ts';

class ErasureRefused extends Error {}

/**
 * Erases what identifies a customer: the account's name, the sealed records, the pictures, devices and addresses of
 * logins. Records of money stay (ledger, orders, requests, who decided), under a number that identifies no person. See
 * docs/SECURITY.md.
 * @param db a connection of the owner's
 * @param newHash hash of a password that is not known to anybody
 * @throws ErasureRefused while money or a decision is pending
 */
export async function eraseCustomer(
  db: Queryable,
  store: DiskStore,
  { account, newHash }: { account: string; newHash: string },
): Promise<{ customerId: string; files: number }> {
  await db.query('begin');
  let files: string[];
  let customerId: string;
  try {
    const { rows } = await db.query<{ id: string; account: string; real_status: string }>(
      'select id, account, real_status from customers where lower(account) = lower($1) and erased_at is null for update',
      [account],
    );
    const customer = rows[0];
    if (!customer) throw new ErasureRefused(`there is no customer ${account}, or it was erased already`);
    customerId = customer.id;
    await refuseUnfinished(db, customerId, customer.real_status);
    // First, because a change of the password writes a notice, and notices are deleted with the records.
    await eraseAccount(db, customerId, { account: customer.account, newHash });
    files = await eraseRecords(db, customerId);
    await db.query('commit');
  } catch (error) {
    await db.query('rollback');
    throw error;
  }
  // After the commit; if this is interrupted, the server's sweep removes files that no row names.
  for (const file of files) await store.remove(file);
  return { customerId, files: files.length };
}

async function refuseUnfinished(db: Queryable, customerId: string, realStatus: string): Promise<void> {
  if (realStatus === 'pending') throw new ErasureRefused('a real name is under review: decide it first');
  const { rows } = await db.query<{ code: string }>(
    `select a.code from ledger.balances b join ledger.assets a on a.id = b.asset_id
     where b.owner_id = $1 and (b.held > 0 or not a.is_practice and b.available + b.earning > 0) order by a.id`,
    [customerId],
  );
  if (rows.length > 0) {
    const codes = rows.map(({ code }) => code).join(', ');
    throw new ErasureRefused(
      `money is left or held (${codes}): pay it out, and let orders and requests end first`,
    );
  }
  const open = await db.query(`select from deposit_requests where customer_id = $1 and status = 'review'`, [
    customerId,
  ]);
  if (open.rowCount !== 0) throw new ErasureRefused('a deposit is under review: decide it first');
}

/** Deletes the records; returns the names of the files to remove. */
async function eraseRecords(db: Queryable, customerId: string): Promise<string[]> {
  const { rows } = await db.query<{ file: string }>(
    'select file from uploads where customer_id = $1 and file is not null for update',
    [customerId],
  );
  for (const statement of [
    'update uploads set file = null, erased_at = now() where customer_id = $1 and file is not null',
    `update verifications v set sealed = null, name_index = null,
       document_index = case when exists (select from protected_customers p where p.customer_id = v.customer_id
         and p.closed_kind = 'exclusion' and p.closed_until > now()) then document_index end,
       note = case when reason = 'other' then 'erased' end where customer_id = $1`,
    'update verification_events set note = null where customer_id = $1',
    `insert into verification_events (verification_id, customer_id, step)
       select id, customer_id, 'erased' from verifications where customer_id = $1`,
    'update bank_cards set removed_at = now() where customer_id = $1 and removed_at is null',
    'update bank_cards set sealed = null, last4 = null, number_index = null, country = null where customer_id = $1',
    'update crypto_addresses set removed_at = now() where customer_id = $1 and removed_at is null',
    'update crypto_addresses set sealed = null, address_index = null where customer_id = $1',
    'delete from withdrawal_passwords where customer_id = $1',
    'delete from customer_challenges where customer_id = $1',
    'delete from customer_second_factors where customer_id = $1',
    'update chat_messages set sealed = null, erased_at = now() where customer_id = $1',
    'update chat_notes set sealed = null where customer_id = $1',
    `update vendor_events e set sealed = null from vendor_inquiries i where i.id = e.inquiry_id and i.customer_id = $1`,
    'delete from notices where customer_id = $1',
    `update flag_tasks set note = 'erased' where customer_id = $1 and note is not null`,
    `update customer_notes set text = 'erased' where customer_id = $1`,
    `update account_freezes set note = 'erased' where customer_id = $1`,
    'delete from sessions where customer_id = $1',
    'delete from recovery_codes where customer_id = $1',
    'delete from former_factors where customer_id = $1',
    'delete from former_codes where customer_id = $1',
    'delete from former_passwords where customer_id = $1',
    `update login_events set user_agent = '', address = null where customer_id = $1`,
  ]) {
    await db.query(statement, [customerId]);
  }
  return rows.map(({ file }) => file);
}

async function eraseAccount(
  db: Queryable,
  customerId: string,
  { account, newHash }: { account: string; newHash: string },
): Promise<void> {
  await db.query('delete from recovery_requests where lower(account) = lower($1)', [account]);
  await db.query(`delete from proposals where kind = 'account_recovery' and customer_id = $1`, [customerId]);
  // At least six letters, and used by no other account; this name can't be registered any more.
  const name = `x_${randomBytes(7).toString('hex')}`;
  await db.query(
    `update customers set account = $2, nickname = 'erased', password_hash = $3, country = null, watchlist = null,
       erased_at = now() where id = $1`,
    [customerId, name, newHash],
  );
  await db.query('select audit_append(null, $1, $2, $3)', ['customer.erased', `customer:${customerId}`, {}]);
  await db.query(`select tell('sessions', $1)`, [
    JSON.stringify({ customerId, tokenHash: null, exceptHash: null }),
  ]);
}
