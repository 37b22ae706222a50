import type { Queryable } from '../../platform/db/database.ts';

/** The end of the log as last committed. Times are the log's, Unix ms. */
export interface LogHead {
  readonly origin: string;
  readonly begunMs: number;
  readonly size: number;
  readonly root: Buffer;
  readonly peaks: Buffer;
  readonly timeMs: number;
  readonly offsetMs: number;
  /** The log's clock when the head was read. */
  readonly nowMs: number;
  readonly lastBatch: number;
  readonly epoch: number;
  readonly beat: number;
  readonly holder: string | null;
}

const HEAD = `select origin, begun_ms::float8 as "begunMs", size::float8, root, peaks, time_ms::float8 as "timeMs",
  offset_ms::float8 as "offsetMs", log_now()::float8 as "nowMs", last_batch::float8 as "lastBatch", epoch::float8, beat::float8, holder
  from log_head`;

export async function readLogHead(db: Queryable): Promise<LogHead> {
  const { rows } = await db.query<LogHead>({ name: 'log-head', text: HEAD });
  if (!rows[0]) throw new Error('the log has not begun');
  return rows[0];
}

/** The newest checkpoint as the published signed note, null before the first. */
export async function readLastCheckpoint(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ note: string }>({
    name: 'checkpoint-last',
    text: 'select note from log_checkpoints order by size desc limit 1',
  });
  return rows[0]?.note ?? null;
}
