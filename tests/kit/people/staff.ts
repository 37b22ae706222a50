import { createHash, randomBytes } from 'node:crypto';
import type { StaffRole } from '@fairtick/protocol/office';
import type { Pool } from '../../../apps/server/src/db/database.ts';

/** What the session is found by that {@link beginStaffSession} begins. */
export const staffTokenHash = (staffId: string): Buffer =>
  createHash('sha256').update(`session of staff ${staffId}`).digest();

/** The sessions of staff who logged in by themselves, by database and number. */
export const staffTokens = new Map<string, Buffer>();

/** A session of somebody who has none: what the server does for them then is done under it. */
export async function beginStaffSession(owner: Pool, staffId: string): Promise<void> {
  await owner.query(
    `insert into staff_sessions (token_hash, staff_id, fresh_until, is_strong, user_agent)
     values ($1, $2, 'infinity', true, 'kit') on conflict do nothing`,
    [staffTokenHash(staffId), staffId],
  );
}

/**
 * A member of staff with one role that counts from now on, as the demo's are; `owner` is the schema's owner.
 * @param logsIn by themselves; else they have a session
 */
export async function installStaff(
  owner: Pool,
  role: StaffRole,
  account = `s${randomBytes(5).toString('hex')}`,
  passwordHash = 'not a hash',
  logsIn = false,
): Promise<string> {
  const { rows } = await owner.query<{ id: string }>('select staff_install($1, $1, $2, $3, true) as id', [
    account,
    passwordHash,
    role,
  ]);
  const { id } = rows[0] as { id: string };
  if (!logsIn) await beginStaffSession(owner, id);
  return id;
}
