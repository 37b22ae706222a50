import type { PageFilter } from './paging.ts';

/** Parts of queries whose rows are answered as they are. */

/** A time column in Unix milliseconds. */
export const ms = (column: string) => `floor(extract(epoch from ${column}) * 1000)::float8`;
/** A member of staff by number, as JSON. */
export const who = (id: string) =>
  `(select json_build_object('id', f.id::text, 'name', f.display_name) from staff f where f.id = ${id})`;

/** Smallest units as the decimal string of the asset `a`. */
export const amountOf = (column: string) =>
  `round(((${column})::numeric / 10::numeric ^ a.scale), a.scale)::text`;

export interface QueueFilter extends PageFilter {
  readonly state?: 'open' | 'decided' | undefined;
}

/** Open cases `r`, oldest first; decided ones, newest first. `$2` is the cursor of the page, `$3` its length. */
export function queueCondition({ state = 'open' }: QueueFilter): string {
  return state === 'open'
    ? `r.decided_at is null and ($2::bigint is null or r.id > $2) order by r.id limit $3`
    : `r.decided_at is not null and ($2::bigint is null or r.id < $2) order by r.id desc limit $3`;
}
