import { hkdfSync } from 'node:crypto';
import pg from 'pg';
import { UnfitDatabaseError } from './unfit-database.ts';
import { withClient } from './with-client.ts';

export const SERVER_ROLE = 'fairtick_server';
/** Of the process role `chain` alone. */
export const CHAIN_ROLE = 'fairtick_chain';
const ROLES = [SERVER_ROLE, CHAIN_ROLE] as const;
type Role = (typeof ROLES)[number];

/** A connection of the owner could become the owner again. All processes derive the same password from the owner's. */
export function serverAddressOf(ownerUrl: string, role: Role = SERVER_ROLE): pg.ClientConfig {
  const url = new URL(ownerUrl);
  const password =
    url.searchParams.get('password') ?? (decodeURIComponent(url.password) || process.env.PGPASSWORD || null);
  // The driver takes the query's values first.
  url.username = '';
  url.password = '';
  url.searchParams.set('user', role);
  if (password !== null) url.searchParams.set('password', derivedPassword(password, role));
  return { connectionString: url.href };
}

const derivedPassword = (ownerPassword: string, role: Role): string =>
  Buffer.from(hkdfSync('sha256', ownerPassword, '', `login of ${role}`, 32)).toString('base64url');

const REFUSED: readonly (string | null)[] = ['28P01', '28000'];

/** Sets the role's password if it can't log in. @throws UnfitDatabaseError that says what to do */
export async function giveServerLogin(owner: pg.ClientConfig, server: pg.ClientConfig): Promise<void> {
  if ((await tryLogin(server)) === null) return;
  const { user, password } = new pg.Client(server);
  const role = ROLES.find((one) => one === user) ?? SERVER_ROLE;
  const setting = role === CHAIN_ROLE ? 'DATABASE_CHAIN_URL' : 'DATABASE_SERVER_URL';
  if (user === role && password) {
    await withClient(owner, 'start', async (client) => {
      await client.query('select pg_advisory_lock(7026)');
      await client.query(`alter role ${role} login password ${client.escapeLiteral(password)}`);
    }).catch((error: unknown) => {
      throw new UnfitDatabaseError(
        `${role} can't be given a password (${messageOf(error)}): give it one, and its address in ${setting}`,
      );
    });
  }
  const refusal = await tryLogin(server);
  if (refusal !== null)
    throw new UnfitDatabaseError(
      `${role} can't log in (${refusal}): admit it in pg_hba.conf as the owner is, or give its address in ${setting}`,
    );
}

/** @returns why the login is refused; null: it works */
async function tryLogin(server: pg.ClientConfig): Promise<string | null> {
  try {
    return await withClient({ ...server, connectionTimeoutMillis: 5_000 }, 'start', async () => null);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && REFUSED.includes(error.code ?? null))) throw error;
    return messageOf(error);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
