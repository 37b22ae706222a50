import type { Queryable } from '../../platform/db/database.ts';

/** Log entries that are read in one transaction. */
const STRETCH = 20_000;

/**
 * Fires the alerts whose price was reached in the log entries since the last call; see alerts_fire. After a pause
 * it reads the log in stretches, so that no lock is held for long, and calls `onStretch` between them, which renews a lease.
 * @returns how many alerts fired
 */
export async function fireAlerts(
  db: Queryable,
  {
    isStopped = () => false,
    onStretch,
  }: { isStopped?: () => boolean; onStretch?: () => Promise<unknown> } = {},
): Promise<number> {
  let told = 0;
  for (;;) {
    const { rows } = await db.query<{ told: number; is_more: boolean }>({
      name: 'alerts-fire',
      text: 'select * from alerts_fire($1)',
      values: [STRETCH],
    });
    told += rows[0]?.told ?? 0;
    if (!rows[0]?.is_more || isStopped()) return told;
    await onStretch?.();
  }
}
