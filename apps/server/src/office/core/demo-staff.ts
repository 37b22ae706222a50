import type { StaffRole } from '@fairtick/protocol/office';
import pg from 'pg';
import { Passwords } from '../../customers/identity/passwords.ts';

/**
 * Two of each role that needs a second person, and one of each other; all with one password, which is printed at the
 * start.
 */
const PEOPLE: readonly (readonly [StaffRole, number])[] = [
  ['administrator', 2],
  ['cashier', 2],
  ['approver', 2],
  ['support', 2],
  ['verification', 2],
  ['catalogue', 2],
  ['content', 1],
  ['auditor', 1],
];

export const DEMO_STAFF_PASSWORD = 'Staff-1234';
export const DEMO_STAFF: readonly { readonly account: string; readonly role: StaffRole }[] = PEOPLE.flatMap(
  ([role, count]) =>
    Array.from({ length: count }, (_, index) => ({ account: `${accountOf(role)}_${index + 1}`, role })),
);

/** Shortened, because an account has at most 18 letters. */
function accountOf(role: StaffRole): string {
  return role === 'administrator' ? 'admin' : role;
}

/** Whether an origin is reached from this machine alone. The password of the demo's staff is public, so they exist only there. */
export const isThisMachine = (origin: string): boolean =>
  /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(origin).hostname);

/**
 * Runs before the first request is served, with the rights of the schema's owner.
 * @param origins those of the app and the office
 * @throws Error when live mode finds active demo staff
 */
export async function prepareStaff(
  address: pg.ClientConfig,
  mode: 'demo' | 'live',
  origins: readonly string[],
): Promise<void> {
  const owner = new pg.Client(address);
  await owner.connect();
  try {
    await owner.query('select pg_advisory_lock(7025)');
    if (mode === 'live') await refuseDemoStaff(owner);
    else if (origins.every(isThisMachine)) await seedDemoStaff(owner);
    else await turnOffDemoStaff(owner);
  } finally {
    await owner.end();
  }
}

/** An installation that was tried on one machine and now serves others. Its first administrators are made by command. */
async function turnOffDemoStaff(owner: pg.Client): Promise<void> {
  await owner.query(`
    with off as (update staff set is_active = false where is_demo and is_active returning id),
    ended as (delete from staff_sessions where staff_id in (select id from off))
    select audit_append(null, 'staff.disable', 'staff:' || id, '{"reason": "demo"}') from off order by id`);
}

/** Creates the demo's staff once. No second person approves them, because there is no staff yet. */
async function seedDemoStaff(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ account: string }>('select lower(account) as account from staff');
  const known = new Set(rows.map(({ account }) => account));
  const missing = DEMO_STAFF.filter(({ account }) => !known.has(account));
  if (missing.length === 0) return;
  const passwordHash = await new Passwords().hash(DEMO_STAFF_PASSWORD);
  for (const { account, role } of missing) {
    await owner.query('select staff_install($1, $1, $2, $3, true)', [account, passwordHash, role]);
  }
}

/** The demo accounts' password is public, so they must not log in where real money is handled. */
async function refuseDemoStaff(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ account: string }>(
    'select account from staff where is_demo and is_active order by id',
  );
  if (rows.length > 0) {
    throw new Error(
      `MODE=live refuses a database with the demo's staff (${rows.map(({ account }) => account).join(', ')}): turn these accounts off`,
    );
  }
}
