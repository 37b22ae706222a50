import type { Queryable } from '../db/database.ts';

/** Entries of the log that are looked at in one transaction. */
const STRETCH = 20_000;

/**
 * Tells those whose price was reached by what the log has grown by; see alerts_fire (migration 027). After a pause the log is
 * gone through stretch by stretch, so that nobody's lock is held for long.
 * @returns how many were told
 */
export async function fireAlerts(db: Queryable, isStopped: () => boolean = () => false): Promise<number> {
  let told = 0;
  for (;;) {
    const { rows } = await db.query<{ told: number; is_more: boolean }>({
      name: 'alerts-fire',
      text: 'select * from alerts_fire($1)',
      values: [STRETCH],
    });
    told += rows[0]?.told ?? 0;
    if (!rows[0]?.is_more || isStopped()) return told;
  }
}
