import type { Queryable } from '../../platform/db/database.ts';

/** A customer's credentials at a login. */
export interface Credentials {
  readonly id: string;
  readonly account: string;
  readonly nickname: string;
  readonly passwordHash: string;
  readonly hasSecondFactor: boolean;
  readonly isClosed: boolean;
  /** Whether somebody has logged in to the account from the caller's network before. */
  readonly isKnownPlace: boolean;
}

export type Checked = Omit<Credentials, 'isKnownPlace'>;

export const CREDENTIALS = `id, account, nickname, password_hash as "passwordHash", has_second_factor as "hasSecondFactor",
  closed_at is not null as "isClosed"`;

/**
 * The key that finds an account. It is lower-cased here and only for ASCII letters, because the database's lower-casing
 * of other letters (Turkish dotted I becomes i) would find one account under many names, each with guesses of its own. A
 * text that can't be an account name becomes the empty name, which no account has, so that the look-up still takes
 * place.
 */
export function lookUpKey(account: string): string {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(account) ? account.toLowerCase() : '';
}

/** @param network of the caller */
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
