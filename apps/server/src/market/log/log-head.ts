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

export async function readLogHead(db: Queryable): Promise<LogHead> {
  const { rows } = await db.query<{
    origin: string;
    begun_ms: string;
    size: string;
    root: Buffer;
    peaks: Buffer;
    time_ms: string;
    offset_ms: string;
    now_ms: string;
    last_batch: string;
    epoch: string;
    beat: string;
    holder: string | null;
  }>({ name: 'log-head', text: 'select *, log_now() as now_ms from log_head' });
  const row = rows[0];
  if (!row) throw new Error('the log has not begun');
  return {
    origin: row.origin,
    begunMs: Number(row.begun_ms),
    size: Number(row.size),
    root: row.root,
    peaks: row.peaks,
    timeMs: Number(row.time_ms),
    offsetMs: Number(row.offset_ms),
    nowMs: Number(row.now_ms),
    lastBatch: Number(row.last_batch),
    epoch: Number(row.epoch),
    beat: Number(row.beat),
    holder: row.holder,
  };
}

/** The newest checkpoint as the published signed note, null before the first. */
export async function readLastCheckpoint(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ note: string }>({
    name: 'checkpoint-last',
    text: 'select note from log_checkpoints order by size desc limit 1',
  });
  return rows[0]?.note ?? null;
}
