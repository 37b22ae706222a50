import { createHash, randomBytes } from 'node:crypto';
import type { StaffRole } from '@fairtick/protocol/office';
import type { Pool } from '../../../apps/server/src/platform/db/database.ts';

/** The token hash of the session that {@link beginStaffSession} starts. */
export const staffTokenHash = (staffId: string): Buffer =>
  createHash('sha256').update(`session of staff ${staffId}`).digest();

/** Sessions of staff who logged in themselves, by database and staff id. */
export const staffTokens = new Map<string, Buffer>();

/** Starts a session for staff who have none; the server acts under it for them. */
export async function beginStaffSession(owner: Pool, staffId: string): Promise<void> {
  await owner.query(
    `insert into staff_sessions (token_hash, staff_id, proved_until, is_strong, user_agent)
     values ($1, $2, 'infinity', true, 'kit') on conflict do nothing`,
    [staffTokenHash(staffId), staffId],
  );
}

/**
 * Installs a member of staff with one role that is valid at once, like the demo's; `owner` is the schema's owner.
 * @param logsIn whether they log in themselves; otherwise they get a session
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
