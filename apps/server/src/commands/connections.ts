import type pg from 'pg';
import type { Config, ProcessRole } from '../config/config.ts';
import { UnfitDatabaseError } from '../platform/db/unfit-database.ts';
import { withClient } from '../platform/db/with-client.ts';

/** The most connections that one process opens: docs/OPERATIONS.md, "Capacity". */
function connectionsOf({ roles, office, newsFeeds, witnesses, feed }: Layout): number {
  const has = (role: ProcessRole, count: number) => (roles.has(role) ? count : 0);
  const simulated = feed.kind === 'simulated' && (roles.has('feed') || roles.has('api')) ? 2 : 0;
  const api = 40 + Number(newsFeeds.length > 0) + witnesses.filter(({ url }) => url !== null).length;
  const decide = has('feed', 4) + has('engine', 13) + has('chain', 3);
  return 9 + decide + has('api', api + (office === null ? 0 : 12)) + simulated;
}

type Layout = Pick<Config, 'roles' | 'office' | 'newsFeeds' | 'witnesses' | 'feed' | 'chains'>;

/** Those of a process with all roles, or of two processes of each role. */
function connectionsOfAll(config: Layout): { needed: number; who: string } {
  const roles: readonly ProcessRole[] = ['api', 'engine', 'feed'];
  if (roles.every((role) => config.roles.has(role)))
    return { needed: connectionsOf(config), who: 'this process opens' };
  const each = [...roles, ...(config.chains.length > 0 ? (['chain'] as const) : [])].map((role) =>
    connectionsOf({ ...config, roles: new Set([role]) }),
  );
  return { needed: 2 * each.reduce((sum, one) => sum + one, 0), who: 'two processes of each role open' };
}

export function refuseFewConnections(address: pg.ClientConfig, config: Layout): Promise<void> {
  return withClient(address, 'start', async (client) => {
    const { rows } = await client.query<{ most: number }>(
      `select current_setting('max_connections')::int as most`,
    );
    const { needed, who } = connectionsOfAll(config);
    const most = rows[0]?.most ?? 0;
    if (most < needed)
      throw new UnfitDatabaseError(
        `PostgreSQL's max_connections is ${most}, and ${who} up to ${needed}: set it to ${needed + 10} or more and restart PostgreSQL (docs/OPERATIONS.md, Capacity)`,
      );
  });
}
