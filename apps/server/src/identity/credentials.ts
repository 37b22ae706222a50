import type { Queryable } from '../db/database.ts';

/** What a customer proves themselves with at a login. */
export interface Credentials {
  readonly id: string;
  readonly account: string;
  readonly passwordHash: string;
  readonly hasSecondFactor: boolean;
  readonly isClosed: boolean;
  /** Whether somebody has logged in from the network that was asked about. */
  readonly isKnownPlace: boolean;
}

export type Checked = Omit<Credentials, 'isKnownPlace'>;

export const CREDENTIALS = `id, account, password_hash as "passwordHash", has_second_factor as "hasSecondFactor",
  closed_at is not null as "isClosed"`;

/**
 * What an account is found by. Lower case is made here and of ASCII letters only: the database's own reading of other
 * letters (a Turkish dotted I is an i to it) would find one account under many names, each with tries of its own. What
 * could not be an account is looked up all the same, as a name that nobody has.
 */
export function lookUpKey(account: string): string {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(account) ? account.toLowerCase() : '';
}

/** @param network of whoever asks */
export async function findByAccount(
  db: Queryable,
  account: string,
  network: string,
): Promise<Credentials | null> {
  const { rows } = await db.query<Credentials>(
    `select ${CREDENTIALS}, exists (select from login_events e where e.customer_id = customers.id and e.is_success
         and e.at > now() - interval '90 days' and e.address <<= $2::inet) as "isKnownPlace"
     from customers where lower(account) = $1`,
    [lookUpKey(account), network === 'unknown' ? null : network],
  );
  return rows[0] ?? null;
}

export async function findById(db: Queryable, customerId: string): Promise<Checked> {
  const { rows } = await db.query<Checked>(`select ${CREDENTIALS} from customers where id = $1`, [
    customerId,
  ]);
  if (!rows[0]) throw new Error(`no customer ${customerId}`);
  return rows[0];
}
