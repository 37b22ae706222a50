import type { Language } from '@fairtick/protocol';
import type { StepOf } from '@fairtick/protocol/lifecycles';
import type { Queryable } from '../../platform/db/database.ts';
import { ms } from '../../platform/office-queries.ts';
import { reasonText } from './reasons.ts';

/** One step of a request's history, as its customer reads it: it does not name members of staff. */
export interface HistoryEntry {
  readonly time: number;
  readonly step: 'submitted' | StepOf<'deposit' | 'withdrawal'>;
  readonly by: 'customer' | 'staff' | 'house';
  readonly reason: string | null;
}

/** Oldest first. A request has few events: each edit of staff adds one. */
export async function readHistory(
  db: Queryable,
  request: { kind: 'deposit' | 'withdrawal'; id: string },
  language: Language,
): Promise<HistoryEntry[]> {
  const { rows } = await db.query<HistoryEntry & { readonly text: string | null }>(
    `select ${ms('at')} as time, step, actor as by, reason, facts ->> 'text' as text
     from request_events where kind = $1 and request_id = $2 order by id limit 1000`,
    [request.kind, request.id],
  );
  return rows.map(({ text, reason, ...row }) => ({
    ...row,
    reason: reason && reasonText(reason, text, language),
  }));
}
