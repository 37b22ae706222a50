import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { Passwords } from '../../customers/identity/passwords.ts';

const ENOUGH = 2;
const ACCOUNT = /^[A-Za-z][A-Za-z0-9_]{5,17}$/;

export interface FirstAdministrator {
  readonly account: string;
  readonly oneTimePassword: string;
}

/**
 * Creates the first two administrators, for two people, because granting rights takes two. Refuses while two are active
 * whose one-time passwords are not over; until then it also restores access when all but one are gone.
 * @param owner a connection with the rights of the schema's owner
 * @throws Error that says what is wrong
 */
export async function makeFirstAdministrators(
  owner: pg.Client,
  accounts: readonly string[],
): Promise<FirstAdministrator[]> {
  const different = new Set(accounts.map((account) => account.toLowerCase()));
  if (accounts.length !== ENOUGH || different.size !== ENOUGH) {
    throw new Error(
      'say two accounts, for two people: npm run admin -- first-administrators ACCOUNT ACCOUNT',
    );
  }
  const wrong = accounts.find((account) => !ACCOUNT.test(account));
  if (wrong !== undefined) {
    throw new Error(
      `an account starts with a letter and has 6 to 18 letters, digits or underscores, not ${wrong}`,
    );
  }
  const passwords = new Passwords();
  const made = await Promise.all(
    accounts.map(async (account) => {
      const oneTimePassword = randomBytes(15).toString('base64url');
      return { account, oneTimePassword, passwordHash: await passwords.hash(oneTimePassword) };
    }),
  );
  await owner.query('begin');
  try {
    // Two concurrent commands create two administrators in all, not four.
    await owner.query('select pg_advisory_xact_lock(7025)');
    await refuseIfEnough(owner);
    for (const { account, passwordHash } of made) {
      await owner.query(`select staff_install($1, $1, $2, 'administrator', false)`, [account, passwordHash]);
    }
    await owner.query('commit');
  } catch (error) {
    await owner.query('rollback');
    if ((error as { code?: string }).code === '23505') throw new Error('one of these accounts is taken');
    throw error;
  }
  return made.map(({ account, oneTimePassword }) => ({ account, oneTimePassword }));
}

async function refuseIfEnough(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ count: number }>(
    `select count(distinct s.person)::int as count from staff s join staff_roles r on r.staff_id = s.id
     where r.role = 'administrator' and s.is_active
       and not (s.must_change_password and s.one_time_from < now() - interval '24 hours')`,
  );
  const count = rows[0]?.count ?? 0;
  if (count >= ENOUGH) {
    throw new Error(
      `there are ${count} administrators already: they grant roles in the office, two at a time`,
    );
  }
}
