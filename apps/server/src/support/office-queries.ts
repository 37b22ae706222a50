import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../platform/db/database.ts';
import { RefusalError } from '../platform/http/context.ts';
import { ms, who } from '../platform/office-queries.ts';
import type { PageFilter } from '../platform/paging.ts';
import type { KeyRing } from '../platform/sealing/key-ring.ts';
import { openRecord } from '../platform/sealing/records.ts';
import { TYPING } from './chats.ts';
import { answerBy, type OfficeHours } from './office-hours.ts';

type List = OfficeData<'chat/list'>;
export type Case = List['items'][number];
type Row = Omit<Case, 'answerBy'> & { readonly move: string };

/** `$1`: the member of staff who asks. */
const CASE = `select c.customer_id::text as id, k.account, k.language, ${ms('c.last_at')} as "lastAt", c.last_place as messages,
    (select count(*)::int from chat_messages m where m.customer_id = c.customer_id and m.place > c.staff_read and m.staff_id is null) as unread,
    ${ms('c.waiting_since')} as "waitingSince",
    case when c.claimed_at > now() - chat_claim_time() then json_build_object('by', ${who('c.claimed_by')},
      'isMine', c.claimed_by = $1, 'until', ${ms('c.claimed_at + chat_claim_time()')}) end as claim`;
const FROM = 'from chats c join customers k on k.id = c.customer_id';

const FILTERS = {
  waiting: {
    move: 'c.waiting_move',
    where:
      'c.waiting_move is not null and ($2::bigint is null or c.waiting_move > $2) order by c.waiting_move',
  },
  mine: {
    move: 'c.last_move',
    where: `c.claimed_by = $1 and c.claimed_at > now() - chat_claim_time() and ($2::bigint is null or c.last_move < $2)
      order by c.last_move desc`,
  },
  all: {
    move: 'c.last_move',
    where: 'c.last_move is not null and ($2::bigint is null or c.last_move < $2) order by c.last_move desc',
  },
} as const;

/** Waiting conversations, longest wait first; one's own and all, newest first. */
export async function readCases(
  db: Queryable,
  hours: OfficeHours,
  filter: PageFilter & { staffId: string; filter?: keyof typeof FILTERS | undefined },
): Promise<List> {
  const { move, where } = FILTERS[filter.filter ?? 'waiting'];
  const { limit = 20 } = filter;
  const { rows } = await db.query<Row>(`${CASE}, ${move}::text as move ${FROM} where ${where} limit $3`, [
    filter.staffId,
    filter.cursor,
    limit + 1,
  ]);
  const { rows: counts } = await db.query<{ waiting: number }>(
    'select count(*)::int as waiting from chats where waiting_move is not null',
  );
  const items = rows.slice(0, limit).map((row) => presentCase(row, hours));
  return {
    items,
    nextCursor: rows.length > limit ? (rows[limit - 1]?.move ?? null) : null,
    waiting: counts[0]?.waiting ?? 0,
  };
}

function presentCase({ move: _move, ...row }: Row, hours: OfficeHours): Case {
  return { ...row, answerBy: row.waitingSince === null ? null : answerBy(hours, row.waitingSince) };
}

type Facts = Pick<
  OfficeData<'chat/conversation'>,
  'case' | 'nickname' | 'realStatus' | 'level' | 'customerReceivedPlace' | 'isCustomerTyping'
>;

/** @throws RefusalError when the conversation has no messages */
export async function readFacts(
  db: Queryable,
  hours: OfficeHours,
  { staffId, customerId }: { staffId: string; customerId: string },
): Promise<Facts> {
  const { rows } = await db.query<Row & Omit<Facts, 'case'>>(
    `${CASE}, '' as move, k.nickname, k.real_status as "realStatus", k.level, c.customer_received as "customerReceivedPlace",
       coalesce(c.customer_typing_at > now() - ${TYPING}, false) as "isCustomerTyping"
     ${FROM} where c.customer_id = $2 and c.last_move is not null`,
    [staffId, customerId],
  );
  if (!rows[0]) throw new RefusalError('CHAT_NOT_FOUND');
  const { nickname, realStatus, level, customerReceivedPlace, isCustomerTyping, ...row } = rows[0];
  return {
    case: presentCase(row, hours),
    nickname,
    realStatus,
    level,
    customerReceivedPlace,
    isCustomerTyping,
  };
}

/** Notes of staff, and who held the conversation when: the newest hundred of each, oldest first. */
export async function readInternal(
  db: Queryable,
  keys: KeyRing,
  customerId: string,
): Promise<Pick<OfficeData<'chat/conversation'>, 'notes' | 'steps'>> {
  type Note = Omit<OfficeData<'chat/conversation'>['notes'][number], 'text'>;
  const notes = await db.query<Note & { readonly sealed: Buffer | null }>(
    `select n.id::text, ${who('n.staff_id')} as by, ${ms('n.at')} as time, n.sealed
     from chat_notes n where n.customer_id = $1 order by n.at desc, n.id desc limit 100`,
    [customerId],
  );
  const steps = await db.query<OfficeData<'chat/conversation'>['steps'][number]>(
    `select e.step, ${who('e.staff_id')} as by, ${who('e.to_staff')} as to, ${ms('e.at')} as time
     from chat_steps e where e.customer_id = $1 order by e.id desc limit 100`,
    [customerId],
  );
  return {
    notes: notes.rows.reverse().map(({ sealed, ...note }) => {
      const binding = { table: 'chat_notes', record: note.id, customer: customerId } as const;
      return { ...note, text: sealed && openRecord(keys, binding, sealed).text };
    }),
    steps: steps.rows.reverse(),
  };
}
