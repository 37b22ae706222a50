import type { Language } from '@fairtick/protocol';
import type { StepOf } from '@fairtick/protocol/lifecycles';
import type { Queryable } from '../../platform/db/database.ts';
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
  const { rows } = await db.query<{
    at_ms: string;
    step: HistoryEntry['step'];
    actor: HistoryEntry['by'];
    reason: string | null;
    text: string | null;
  }>(
    `select floor(extract(epoch from at) * 1000)::bigint as at_ms, step, actor, reason, facts ->> 'text' as text
     from request_events where kind = $1 and request_id = $2 order by id limit 1000`,
    [request.kind, request.id],
  );
  return rows.map((row) => ({
    time: Number(row.at_ms),
    step: row.step,
    by: row.actor,
    reason: row.reason === null ? null : reasonText(row.reason, row.text, language),
  }));
}
