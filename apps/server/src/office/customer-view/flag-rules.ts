import type { flagOperations, OfficeData } from '@fairtick/protocol/office';
import { call, perform } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { ms, type QueueFilter, who } from '../../platform/office-queries.ts';
import { readPage } from '../../platform/paging.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import { indicesOf } from '../../platform/sealing/records.ts';
import { demandNote } from './demand-note.ts';

type Task = OfficeData<'task/list'>['items'][number];
type Change = OfficeData<'flagRule/changes'>['items'][number];

const MOST_NAMES = 1_000;

const CHANGES = {
  columns: `r.state as status, r.subject as rule, (r.content ->> 'isOn')::boolean as "isOn", (r.content ->> 'bound')::int as bound,
    (r.content ->> 'days')::int as days, jsonb_array_length(r.content -> 'names') as names, r.content ->> 'note' as note`,
};

const tasks = ({
  state = 'open',
}: QueueFilter) => `select r.id::text, r.rule, r.customer_id::text as "customerId", c.account,
    ${ms('r.found_at')} as "foundAt", r.facts, ${who('r.closed_by')} as "closedBy", ${ms('r.closed_at')} as "closedAt", r.note
  from flag_tasks r join customers c on c.id = r.customer_id where ${
    state === 'open'
      ? 'r.closed_at is null and ($1::bigint is null or r.id > $1) order by r.id'
      : 'r.closed_at is not null and ($1::bigint is null or r.id < $1) order by r.id desc'
  } limit $2`;

/** Rules that flag customers, and their tasks (`schema/customers/flag-rules.sql`). */
export function flagHandlers(parts: {
  readonly pool: Pool;
  readonly keys: KeyRing;
}): OfficeHandlers<keyof typeof flagOperations> {
  const { pool, keys } = parts;
  const proposals = new OfficeProposals<Change>(pool, ['flag_rule'], CHANGES);
  return {
    'task/list': (filter) =>
      readPage(filter, async (limit) => (await pool.query<Task>(tasks(filter), [filter.cursor, limit])).rows),
    'task/close': async ({ id, note }, { session }) => {
      demandNote(note);
      return perform(pool, 'flag_task_close', { staff: session.staffId, id, note });
    },
    'flagRule/list': async () => {
      const { rows } = await pool.query<OfficeData<'flagRule/list'>[number]>(
        'select rule, is_on as "isOn", bound, days, cardinality(names) as names from flag_rules order by rule',
      );
      return rows;
    },
    'flagRule/changes': (filter) => proposals.list(filter),
    'flagRule/propose': async ({ names: text, note, ...terms }, { session }) => {
      demandNote(note);
      const names = text === undefined ? null : indexed(keys, text);
      const values = { staff: session.staffId, ...terms, names, note };
      return { id: await call(pool, 'flag_rule_propose', values) };
    },
    'flagRule/decide': ({ id, verdict }, { session }) => proposals.decide(session.staffId, id, verdict),
  };
}

/** The blind indices of one name a line. */
function indexed(keys: KeyRing, text: string): Buffer[] {
  const names = text.split('\n').flatMap((line) => line.trim() || []);
  if (names.length > MOST_NAMES) throw refusalOf('INVALID_VALUE', 'names');
  return names.flatMap((name) => indicesOf(keys, 'name', name));
}
