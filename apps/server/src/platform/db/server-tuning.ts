import type pg from 'pg';
import { SETTINGS } from './embedded.ts';
import { withClient } from './with-client.ts';

const MEASURED = 'shared_buffers max_wal_size checkpoint_timeout wal_compression max_connections'.split(' ');

/** @returns a line that names each difference to the settings of `docs/PERFORMANCE.md`; null: there is none */
export function tuningDifference(address: pg.ClientConfig): Promise<string | null> {
  return withClient(address, 'start', async (client) => {
    const { rows } = await client.query<{ name: string; here: string }>(
      'select n as name, current_setting(n) as here from unnest($1::text[]) with ordinality as l (n, place) order by place',
      [MEASURED],
    );
    const differing = rows.filter(({ name, here }) => here !== SETTINGS[name]);
    if (differing.length === 0) return null;
    const named = differing.map(({ name, here }) => `${name} ${here} (${SETTINGS[name]})`).join(', ');
    return `this PostgreSQL differs from the one that was measured (in brackets): ${named}`;
  });
}
