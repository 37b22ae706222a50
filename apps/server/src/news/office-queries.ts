import { LANGUAGES } from '@fairtick/protocol';
import type { NewsState, OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../platform/db/database.ts';
import { RefusalError } from '../platform/http/context.ts';
import { ms, who } from '../platform/office-queries.ts';
import { type PageFilter, readPage } from '../platform/paging.ts';

const IN_ORDER = `array_position(array[${LANGUAGES.map((one) => `'${one}'`).join(', ')}], t.language)`;

/** An article's state at the current time. */
const STATE = `case when i.withdrawn_at is not null then 'withdrawn' when i.published_at is null then 'draft'
  when i.published_at > now() then 'scheduled' else 'shown' end`;
const NEWEST =
  'cross join lateral (select * from news_versions v where v.news_id = i.id order by v.version desc limit 1) v';

type Queued = OfficeData<'news/queue'>['items'][number];

export const readQueue = (db: Queryable, filter: PageFilter & { state?: NewsState | undefined }) =>
  readPage(filter, async (limit) => {
    const { rows } = await db.query<Queued>(
      `select i.id::text, ${STATE} as state, v.category, i.is_sample as "isSample", i.news_feed as feed, v.version,
       (v.publish_at is null) as "hasDraft", ${ms('v.saved_at')} as "savedAt", ${ms('i.published_at')} as "publishAt",
       t.languages, t.title
     from news_items i ${NEWEST}
     cross join lateral (select array_agg(t.language order by ${IN_ORDER}) as languages,
         (array_agg(t.title order by ${IN_ORDER}))[1] as title
       from news_texts t where t.news_id = i.id and t.version = v.version) t
     where ($1::text is null or ${STATE} = $1) and ($2::bigint is null or i.id < $2)
     order by i.id desc limit $3`,
      [filter.state, filter.cursor, limit],
    );
    return rows;
  });

type Draft = OfficeData<'news/article'>;
type Head = Pick<Draft, 'state' | 'isSample' | 'feed' | 'publishedAt' | 'withdrawn'>;
type Version = Pick<Draft, 'category' | 'cover' | 'source' | 'sourceUrl' | 'bodyForm'> &
  Omit<Draft['versions'][number], 'isShown'> & { readonly isPast: boolean };

export async function readDraft(db: Queryable, id: string, asked: number | null): Promise<Draft> {
  const head = (
    await db.query<Head>(
      `select ${STATE} as state, i.is_sample as "isSample", i.news_feed as feed, ${ms('i.published_at')} as "publishedAt",
         case when i.withdrawn_at is not null then json_build_object('at', ${ms('i.withdrawn_at')}, 'by', ${who('i.withdrawn_by')},
           'reason', i.withdrawn_reason) end as withdrawn
       from news_items i where i.id = $1`,
      [id],
    )
  ).rows[0];
  const { rows: versions } = await db.query<Version>(
    `select v.version, v.category, c.name as cover, v.source, v.source_url as "sourceUrl", v.body_form as "bodyForm",
       ${ms('v.saved_at')} as "savedAt", ${who('v.saved_by')} as "savedBy", v.note,
       ${ms('v.publish_at')} as "publishAt", coalesce(v.publish_at <= now(), false) as "isPast"
     from news_versions v left join news_covers c on c.id = v.cover_id
     where v.news_id = $1 order by v.version desc`,
    [id],
  );
  const chosen = asked === null ? versions[0] : versions.find(({ version }) => version === asked);
  if (!head || !chosen) throw new RefusalError('NEWS_NOT_FOUND');
  const { rows: texts } = await db.query<Draft['texts'][number]>(
    'select language, title, summary, body from news_texts where news_id = $1 and version = $2 order by language',
    [id, chosen.version],
  );
  const shown = head.state === 'shown' ? versions.find(({ isPast }) => isPast)?.version : undefined;
  const { version, category, cover, source, sourceUrl, bodyForm } = chosen;
  return {
    id,
    ...head,
    ...{ version, category, cover, source, sourceUrl, bodyForm, texts },
    versions: versions.map(({ version, savedAt, savedBy, note, publishAt }) => ({
      ...{ version, savedAt, savedBy, note, publishAt },
      isShown: version === shown,
    })),
  };
}
