import pg from 'pg';
import { SETTINGS } from './embedded.ts';

/** Settings that decide about speed and that only the server's own configuration can set. */
const MEASURED = [
  'shared_buffers',
  'max_wal_size',
  'checkpoint_timeout',
  'wal_compression',
  'max_connections',
];

/**
 * Compares a server's settings with those under which `docs/PERFORMANCE.md` was measured.
 * @returns one line that names each difference; null: there is none
 */
export async function tuningDifference(address: pg.ClientConfig): Promise<string | null> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; here: string }>(
      'select n as name, current_setting(n) as here from unnest($1::text[]) with ordinality as l (n, place) order by place',
      [MEASURED],
    );
    const differing = rows.filter(({ name, here }) => here !== SETTINGS[name]);
    if (differing.length === 0) return null;
    const named = differing.map(({ name, here }) => `${name} ${here} (${SETTINGS[name]})`).join(', ');
    return `this PostgreSQL differs from the one that was measured (in brackets): ${named}`;
  } finally {
    await client.end();
  }
}
