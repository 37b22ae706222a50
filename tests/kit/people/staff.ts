import { randomBytes } from 'node:crypto';
import type { StaffRole } from '@fairtick/protocol/office';
import type { Pool } from '../../../apps/server/src/db/database.ts';

/** A member of staff with one role that counts from now on, as the demo's are; `owner` is the schema's owner. */
export async function installStaff(
  owner: Pool,
  role: StaffRole,
  account = `s${randomBytes(5).toString('hex')}`,
  passwordHash = 'not a hash',
): Promise<string> {
  const { rows } = await owner.query<{ id: string }>('select staff_install($1, $1, $2, $3, true) as id', [
    account,
    passwordHash,
    role,
  ]);
  return (rows[0] as { id: string }).id;
}
