import type { Queryable } from '../../platform/db/database.ts';

/** The beginning or the end of a halt that the log has to state. */
export interface OwedHalt {
  readonly n: number;
  readonly haltId: number;
  readonly isOn: boolean;
  readonly reason: string;
}

/** Records where halts are logged, in the transaction of the append. */
export async function recordHalts(
  db: Queryable,
  halts: readonly (OwedHalt & { readonly index: number })[],
): Promise<void> {
  for (const { n, haltId, isOn, index } of halts)
    await db.query('select halts_logged($1, $2, $3, $4)', [n, haltId, isOn, index]);
}
