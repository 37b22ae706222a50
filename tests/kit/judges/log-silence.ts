import type pg from 'pg';

/** Times in ms of the steps without a price, of four steps per second from `fromMs` to `toMs`. */
export async function missingSteps(db: pg.Pool, fromMs: number, toMs: number): Promise<number[]> {
  const written = new Set(await readSteps(db, fromMs, toMs));
  const missing: number[] = [];
  for (let step = Math.ceil(fromMs / STEP_MS) * STEP_MS; step < toMs; step += STEP_MS)
    if (!written.has(step)) missing.push(step);
  return missing;
}

const STEP_MS = 250;

async function readSteps(db: pg.Pool, fromMs: number, toMs: number): Promise<number[]> {
  const { rows } = await db.query<{ time_ms: string }>(
    `select distinct time_ms - time_ms % ${STEP_MS} as time_ms from log_entries
     where kind = log_kind('tick') and time_ms between $1 and $2 order by 1`,
    [fromMs, toMs],
  );
  return rows.map((row) => Number(row.time_ms));
}
