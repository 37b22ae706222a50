import { LANGUAGES, type Language, type NewsCategory } from '@fairtick/protocol';
import type { NewsState, OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../platform/db/database.ts';
import { RefusalError } from '../platform/http/context.ts';

/** The place of a text's language in the list of languages. */
const IN_ORDER = `array_position(array[${LANGUAGES.map((one) => `'${one}'`).join(', ')}], t.language)`;

const DEFAULT_LIMIT = 20;
const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint::float8`;

/** An article's state at the current time. */
const STATE = `case when i.withdrawn_at is not null then 'withdrawn' when i.published_at is null then 'draft'
  when i.published_at > now() then 'scheduled' else 'shown' end`;
const NEWEST =
  'cross join lateral (select * from news_versions v where v.news_id = i.id order by v.version desc limit 1) v';

export async function readQueue(
  db: Queryable,
  filter: { state?: NewsState | undefined; limit?: number | undefined; cursor?: string | undefined },
): Promise<OfficeData<'news/queue'>> {
  const { state, cursor, limit = DEFAULT_LIMIT } = filter;
  if (cursor !== undefined && !/^[1-9]\d{0,15}$/.test(cursor))
    throw new RefusalError('INVALID_CURSOR', { fields: { cursor: 'INVALID_CURSOR' } });
  const { rows } = await db.query<OfficeData<'news/queue'>['items'][number]>(
    `select i.id::text, ${STATE} as state, v.category, i.is_sample as "isSample", i.news_feed as feed, v.version,
       (v.publish_at is null) as "hasDraft", ${ms('v.saved_at')} as "savedAt", ${ms('i.published_at')} as "publishAt",
       t.languages, t.title
     from news_items i ${NEWEST}
     cross join lateral (select array_agg(t.language order by ${IN_ORDER}) as languages,
         (array_agg(t.title order by ${IN_ORDER}))[1] as title
       from news_texts t where t.news_id = i.id and t.version = v.version) t
     where ($1::text is null or ${STATE} = $1) and ($2::bigint is null or i.id < $2)
     order by i.id desc limit $3`,
    [state ?? null, cursor ?? null, limit + 1],
  );
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

interface Head {
  readonly state: NewsState;
  readonly isSample: boolean;
  readonly feed: string | null;
  readonly publishedAt: number | null;
  readonly withdrawnAt: number | null;
  readonly withdrawnBy: string | null;
  readonly withdrawnName: string | null;
  readonly reason: string | null;
}
interface Version {
  readonly version: number;
  readonly category: NewsCategory;
  readonly cover: string | null;
  readonly source: string;
  readonly sourceUrl: string | null;
  readonly bodyForm: 'markdown' | 'html';
  readonly savedAt: number;
  readonly savedBy: string | null;
  readonly savedName: string | null;
  readonly note: string | null;
  readonly publishAt: number | null;
  readonly isPast: boolean;
}

/** @throws RefusalError when there is no such article or version */
export async function readDraft(
  db: Queryable,
  id: string,
  asked: number | null,
): Promise<OfficeData<'news/article'>> {
  const head = (
    await db.query<Head>(
      `select ${STATE} as state, i.is_sample as "isSample", i.news_feed as feed, ${ms('i.published_at')} as "publishedAt",
         ${ms('i.withdrawn_at')} as "withdrawnAt", i.withdrawn_by::text as "withdrawnBy", s.display_name as "withdrawnName",
         i.withdrawn_reason as reason
       from news_items i left join staff s on s.id = i.withdrawn_by where i.id = $1`,
      [id],
    )
  ).rows[0];
  const { rows: versions } = await db.query<Version>(
    `select v.version, v.category, c.name as cover, v.source, v.source_url as "sourceUrl", v.body_form as "bodyForm",
       ${ms('v.saved_at')} as "savedAt", v.saved_by::text as "savedBy", s.display_name as "savedName", v.note,
       ${ms('v.publish_at')} as "publishAt", coalesce(v.publish_at <= now(), false) as "isPast"
     from news_versions v left join news_covers c on c.id = v.cover_id left join staff s on s.id = v.saved_by
     where v.news_id = $1 order by v.version desc`,
    [id],
  );
  const chosen = asked === null ? versions[0] : versions.find(({ version }) => version === asked);
  if (!head || !chosen) throw new RefusalError('NEWS_NOT_FOUND');
  const { rows: texts } = await db.query<{
    language: Language;
    title: string;
    summary: string;
    body: string;
  }>(
    'select language, title, summary, body from news_texts where news_id = $1 and version = $2 order by language',
    [id, chosen.version],
  );
  const shown = head.state === 'shown' ? versions.find(({ isPast }) => isPast)?.version : undefined;
  const { version, category, cover, source, sourceUrl, bodyForm } = chosen;
  return {
    ...{ id, state: head.state, isSample: head.isSample, feed: head.feed, publishedAt: head.publishedAt },
    withdrawn:
      head.withdrawnAt === null
        ? null
        : {
            at: head.withdrawnAt,
            by: { id: head.withdrawnBy ?? '', name: head.withdrawnName ?? '' },
            reason: head.reason ?? '',
          },
    ...{ version, category, cover, source, sourceUrl, bodyForm, texts },
    versions: versions.map((one) => ({
      version: one.version,
      savedAt: one.savedAt,
      savedBy: one.savedBy === null ? null : { id: one.savedBy, name: one.savedName ?? '' },
      note: one.note,
      publishAt: one.publishAt,
      isShown: one.version === shown,
    })),
  };
}
