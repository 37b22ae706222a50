import { hkdfSync } from 'node:crypto';
import pg from 'pg';
import { UnfitDatabaseError } from './unfit-database.ts';

export const SERVER_ROLE = 'fairtick_server';

/**
 * The server's own login, as the role that has only what `schema/rights.sql` grants it; a connection that logged in as the
 * owner could switch back to the owner. Its password is derived from the owner's, so that several processes agree on it.
 * With a separate DATABASE_SERVER_URL the serving processes do not need the owner's password.
 */
export function serverAddressOf(ownerUrl: string): pg.ClientConfig {
  const url = new URL(ownerUrl);
  const password =
    url.searchParams.get('password') ?? (decodeURIComponent(url.password) || process.env.PGPASSWORD || null);
  // The driver takes the query's values first.
  url.username = '';
  url.password = '';
  url.searchParams.set('user', SERVER_ROLE);
  if (password !== null) url.searchParams.set('password', derivedPassword(password));
  return { connectionString: url.href };
}

const derivedPassword = (ownerPassword: string): string =>
  Buffer.from(hkdfSync('sha256', ownerPassword, '', `login of ${SERVER_ROLE}`, 32)).toString('base64url');

/** PostgreSQL's SQLSTATEs for a refused login. */
const REFUSED: readonly (string | null)[] = ['28P01', '28000'];

/**
 * Makes sure that the server's role can log in, and sets its password if it can't. Called by the process that migrates.
 * @throws UnfitDatabaseError that says what to do, when the owner may not set the password or the server's settings refuse the role
 */
export async function giveServerLogin(owner: pg.ClientConfig, server: pg.ClientConfig): Promise<void> {
  if ((await tryLogin(server)) === null) return;
  const { user, password } = new pg.Client(server);
  if (user === SERVER_ROLE && password) {
    const client = new pg.Client(owner);
    await client.connect();
    try {
      await client.query('select pg_advisory_lock(7026)');
      await client.query(`alter role ${SERVER_ROLE} login password ${client.escapeLiteral(password)}`);
    } catch (error) {
      throw new UnfitDatabaseError(
        `${SERVER_ROLE} can't be given a password (${messageOf(error)}): give it one, and its address in DATABASE_SERVER_URL`,
      );
    } finally {
      await client.end();
    }
  }
  const refusal = await tryLogin(server);
  if (refusal !== null)
    throw new UnfitDatabaseError(
      `${SERVER_ROLE} can't log in (${refusal}): admit it in pg_hba.conf as the owner is, or give its address in DATABASE_SERVER_URL`,
    );
}

/** @returns why the login is refused; null: it works */
async function tryLogin(server: pg.ClientConfig): Promise<string | null> {
  const client = new pg.Client({ ...server, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    return null;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && REFUSED.includes(error.code ?? null))) throw error;
    return messageOf(error);
  } finally {
    await client.end().catch(() => {});
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
