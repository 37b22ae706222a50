import { hkdfSync } from 'node:crypto';
import pg from 'pg';

export const SERVER_ROLE = 'fairtick_server';

/**
 * Where the server logs in by itself, as the role that has only what the migrations granted it. A connection that began as the
 * owner's could go back to being it. Its password follows from the owner's, so that several processes agree on it; whoever gives
 * an address of its own (DATABASE_SERVER_URL) need not give the owner's to what serves.
 */
export function serverAddressOf(ownerUrl: string): pg.ClientConfig {
  const url = new URL(ownerUrl);
  const password =
    url.searchParams.get('password') ?? (decodeURIComponent(url.password) || process.env.PGPASSWORD || null);
  // What stands in the query is what the driver takes first.
  url.username = '';
  url.password = '';
  url.searchParams.set('user', SERVER_ROLE);
  if (password !== null) url.searchParams.set('password', derivedPassword(password));
  return { connectionString: url.href };
}

const derivedPassword = (ownerPassword: string): string =>
  Buffer.from(hkdfSync('sha256', ownerPassword, '', `login of ${SERVER_ROLE}`, 32)).toString('base64url');

/** As PostgreSQL says that a role may not log in so. */
const REFUSED: readonly (string | null)[] = ['28P01', '28000'];

/**
 * Sees to it that the server's role can log in, and gives it its password where it can't yet. To be called by whoever migrates.
 * @throws Error which says what to do, where the owner may not do that or the server's settings refuse the role
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
      throw new Error(
        `${SERVER_ROLE} can't be given a password (${messageOf(error)}): give it one, and its address in DATABASE_SERVER_URL`,
      );
    } finally {
      await client.end();
    }
  }
  const refusal = await tryLogin(server);
  if (refusal !== null)
    throw new Error(
      `${SERVER_ROLE} can't log in (${refusal}): admit it in pg_hba.conf as the owner is, or give its address in DATABASE_SERVER_URL`,
    );
}

/** @returns why the role is not let in; null: it is */
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
