import type { Language, Notice } from '@fairtick/protocol';
import type { Queryable } from '../platform/db/database.ts';
import { type NoticeParameters, type NoticeWords, renderNotice } from './notice-texts.ts';

/** A notice as stored; its text is made for each reader. */
export interface StoredNotice {
  readonly id: string;
  readonly at_ms: string;
  readonly kind: string;
  readonly parameters: NoticeParameters;
  readonly is_read: boolean;
}

/** A customer's notices, newest first. */
export async function readNotices(
  db: Queryable,
  filter: { customerId: string; id?: string; beforeId?: number | undefined; limit: number },
): Promise<StoredNotice[]> {
  const { rows } = await db.query<StoredNotice>(
    `select id, floor(extract(epoch from at) * 1000)::bigint as at_ms, kind, parameters, read_at is not null as is_read
     from notices where customer_id = $1 and ($2::bigint is null or id = $2) and ($3::bigint is null or id < $3)
     order by id desc limit $4`,
    [filter.customerId, filter.id ?? null, filter.beforeId ?? null, filter.limit],
  );
  return rows;
}

export function presentNotice(stored: StoredNotice, words: NoticeWords, language: Language): Notice {
  const { id, kind, parameters } = stored;
  const about = kind.split('.')[0];
  return {
    id,
    time: Number(stored.at_ms),
    kind,
    ...renderNotice(kind, parameters, { ...words, language }),
    isRead: stored.is_read,
    ref: parameters.id === undefined ? null : `${about}:${parameters.id}`,
  };
}
