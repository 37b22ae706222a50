import type { ChatMessage, ChatState } from '@fairtick/protocol';
import type { Queryable } from '../platform/db/database.ts';
import type { KeyRing } from '../platform/sealing/key-ring.ts';
import { openRecord } from '../platform/sealing/records.ts';
import { answerBy, type OfficeHours, openingOf } from './office-hours.ts';

export interface ChatParts {
  readonly pool: Queryable;
  readonly keys: KeyRing;
  readonly hours: OfficeHours;
}

interface MessageRow {
  readonly id: string;
  readonly place: number;
  readonly at_ms: string;
  readonly staff_id: string | null;
  readonly sealed: Buffer | null;
  readonly width: number | null;
  readonly height: number | null;
}

interface StateRow {
  readonly last_place: number;
  readonly unread: number;
  readonly customer_read: number;
  readonly staff_read: number;
  readonly agent: string | null;
  readonly typing_ms: string | null;
  readonly waiting_ms: string | null;
}

/** How long a typing indicator lasts. */
export const TYPING = `interval '6 seconds'`;

const MESSAGE = `select m.id::text, m.place, floor(extract(epoch from m.at) * 1000)::bigint as at_ms, m.staff_id::text,
    m.sealed, u.width, u.height
  from chat_messages m left join uploads u on u.id = m.upload_id and u.file is not null`;

const NOTHING_SAID: StateRow = {
  last_place: 0,
  unread: 0,
  customer_read: 0,
  staff_read: 0,
  agent: null,
  typing_ms: null,
  waiting_ms: null,
};

/** Conversations as their customers see them. No query here reads the notes that staff write for each other. */
export class Chats {
  readonly #parts: ChatParts;

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /** Newest first; with `beforePlace`, only older ones. */
  async messages(
    customerId: string,
    { beforePlace, limit }: { beforePlace?: number | undefined; limit: number },
  ): Promise<ChatMessage[]> {
    const { rows } = await this.#parts.pool.query<MessageRow>(
      `${MESSAGE} where m.customer_id = $1 and ($2::int is null or m.place < $2) order by m.place desc limit $3`,
      [customerId, beforePlace ?? null, limit],
    );
    return rows.map((row) => this.#present(customerId, row));
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
      `select c.last_place, c.customer_read, c.staff_read,
         (select count(*)::int from chat_messages m where m.customer_id = $1 and m.place > c.customer_read and m.staff_id is not null) as unread,
         case when c.claimed_at > now() - chat_claim_time() then c.claimed_by::text end as agent,
         floor(extract(epoch from c.staff_typing_at + ${TYPING}) * 1000)::bigint as typing_ms,
         floor(extract(epoch from c.waiting_since) * 1000)::bigint as waiting_ms
       from chats c where c.customer_id = $1`,
      [customerId],
    );
    const row = rows[0] ?? NOTHING_SAID;
    const waitingSince = row.waiting_ms === null ? null : Number(row.waiting_ms);
    const typingUntil = row.typing_ms === null ? null : Number(row.typing_ms);
    return {
      lastPlace: row.last_place,
      unread: row.unread,
      readPlace: row.customer_read,
      staffReadPlace: row.staff_read,
      agent: row.agent,
      typingUntil: typingUntil !== null && typingUntil > nowMs ? typingUntil : null,
      waitingSince,
      answerBy: waitingSince === null ? null : answerBy(hours, waitingSince),
      ...openingOf(hours, nowMs),
      answerMinutes: hours.answerMinutes,
      zone: hours.schedule.zone,
      hours: hours.schedule.windows.map(({ days, from, to }) => ({ days: [...days], from, to })),
    };
  }

  #present(customerId: string, row: MessageRow): ChatMessage {
    const { id, place, staff_id: staff, sealed, width, height } = row;
    const binding = { table: 'chat_messages', record: id, customer: customerId } as const;
    return {
      id,
      place,
      time: Number(row.at_ms),
      from: staff === null ? 'customer' : 'staff',
      staff,
      text: sealed && openRecord(this.#parts.keys, binding, sealed).text,
      image: width === null || height === null ? null : { width, height },
    };
  }
}
