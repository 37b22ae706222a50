import type { Language, Notice } from '@fairtick/protocol';
import type { Queryable } from '../platform/db/database.ts';
import { ms } from '../platform/office-queries.ts';
import { type NoticeParameters, type NoticeWords, renderNotice } from './notice-texts.ts';

/** A notice as stored; its text is made for each reader. */
export interface StoredNotice {
  readonly id: string;
  readonly time: number;
  readonly kind: string;
  readonly parameters: NoticeParameters;
  readonly isRead: boolean;
}

/** The columns of notices `n`. */
export const NOTICE = `select n.id::text, ${ms('n.at')} as time, n.kind, n.parameters, n.read_at is not null as "isRead" from notices n`;

/** A customer's notices, newest first. */
export async function readNotices(
  db: Queryable,
  {
    customerId,
    id,
    cursor,
    limit,
  }: { customerId: string; id?: string; cursor?: string | undefined; limit: number },
): Promise<StoredNotice[]> {
  const { rows } = await db.query<StoredNotice>(
    `${NOTICE} where n.customer_id = $1 and ($2::bigint is null or n.id = $2) and ($3::bigint is null or n.id < $3)
     order by n.id desc limit $4`,
    [customerId, id, cursor, limit],
  );
  return rows;
}

export function presentNotice(
  { parameters, ...stored }: StoredNotice,
  words: NoticeWords,
  language: Language,
): Notice {
  const [about] = stored.kind.split('.');
  return {
    ...stored,
    ...renderNotice(stored.kind, parameters, { ...words, language }),
    ref: parameters.id === undefined ? null : `${about}:${parameters.id}`,
  };
}
