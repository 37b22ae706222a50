import type { ChatMessage, ChatState } from '@fairtick/protocol';
import type { Queryable } from '../platform/db/database.ts';
import { ms } from '../platform/office-queries.ts';
import type { PageFilter } from '../platform/paging.ts';
import type { KeyRing } from '../platform/sealing/key-ring.ts';
import { openRecord } from '../platform/sealing/records.ts';
import { answerBy, type OfficeHours, openingOf } from './office-hours.ts';

export interface ChatParts {
  readonly pool: Queryable;
  readonly keys: KeyRing;
  readonly hours: OfficeHours;
}

type MessageRow = Omit<ChatMessage, 'text' | 'from'> & { readonly sealed: Buffer | null };

type StateRow = Pick<
  ChatState,
  'lastPlace' | 'unread' | 'readPlace' | 'staffReadPlace' | 'agent' | 'typingUntil' | 'waitingSince'
>;

/** How long a typing indicator lasts. */
export const TYPING = `interval '6 seconds'`;

const MESSAGE = `select m.id::text, m.place, ${ms('m.at')} as time, m.staff_id::text as staff, m.sealed,
    case when u.id is not null then json_build_object('width', u.width, 'height', u.height) end as image
  from chat_messages m left join uploads u on u.id = m.upload_id and u.file is not null`;

const NOTHING_SAID: StateRow = {
  lastPlace: 0,
  unread: 0,
  readPlace: 0,
  staffReadPlace: 0,
  agent: null,
  typingUntil: null,
  waitingSince: null,
};

/** Conversations as their customers see them. No query here reads the notes that staff write for each other. */
export class Chats {
  readonly #parts: ChatParts;

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /** Newest first. */
  async messages(customerId: string, limit: number, cursor?: string): Promise<ChatMessage[]> {
    const { rows } = await this.#parts.pool.query<MessageRow>(
      `${MESSAGE} where m.customer_id = $1 and ($2::bigint is null or m.place < $2) order by m.place desc limit $3`,
      [customerId, cursor, limit],
    );
    return rows.map((row) => this.#present(customerId, row));
  }

  /** A page of them; its cursor is a message's place. */
  async page(
    customerId: string,
    { cursor, limit = 20 }: PageFilter,
  ): Promise<{ items: ChatMessage[]; nextCursor: string | null }> {
    const found = await this.messages(customerId, limit + 1, cursor);
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? String(items.at(-1)?.place) : null };
  }

  async message(customerId: string, id: string): Promise<ChatMessage | null> {
    const { rows } = await this.#parts.pool.query<MessageRow>(
      `${MESSAGE} where m.customer_id = $1 and m.id = $2`,
      [customerId, id],
    );
    return rows[0] ? this.#present(customerId, rows[0]) : null;
  }

  /** The promised time of an answer depends only on when the wait began and on the office hours, so staff can't postpone it. */
  async state(customerId: string, nowMs = Date.now()): Promise<ChatState> {
    const { hours } = this.#parts;
    const { rows } = await this.#parts.pool.query<StateRow>(
      `select c.last_place as "lastPlace", c.customer_read as "readPlace", c.staff_read as "staffReadPlace",
         (select count(*)::int from chat_messages m where m.customer_id = $1 and m.place > c.customer_read and m.staff_id is not null) as unread,
         case when c.claimed_at > now() - chat_claim_time() then c.claimed_by::text end as agent,
         ${ms(`c.staff_typing_at + ${TYPING}`)} as "typingUntil", ${ms('c.waiting_since')} as "waitingSince"
       from chats c where c.customer_id = $1`,
      [customerId],
    );
    const { typingUntil, waitingSince, ...row } = rows[0] ?? NOTHING_SAID;
    return {
      ...row,
      typingUntil: typingUntil !== null && typingUntil > nowMs ? typingUntil : null,
      waitingSince,
      answerBy: waitingSince === null ? null : answerBy(hours, waitingSince),
      ...openingOf(hours, nowMs),
      answerMinutes: hours.answerMinutes,
      zone: hours.schedule.zone,
      hours: hours.schedule.windows.map(({ days, from, to }) => ({ days: [...days], from, to })),
    };
  }

  #present(customerId: string, { sealed, ...row }: MessageRow): ChatMessage {
    const binding = { table: 'chat_messages', record: row.id, customer: customerId } as const;
    return {
      ...row,
      from: row.staff === null ? 'customer' : 'staff',
      text: sealed && openRecord(this.#parts.keys, binding, sealed).text,
    };
  }
}
