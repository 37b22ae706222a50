import {
  type Language,
  NEAREST_LANGUAGES,
  type NewsCategory,
  type NewsDetail,
  type NewsItem,
} from '@fairtick/protocol';
import type { Queryable } from '../platform/db/database.ts';
import { RefusalError } from '../platform/http/context.ts';
import { ms } from '../platform/office-queries.ts';
import type { WorkThread } from '../platform/threads/work-thread.ts';
import { type BodyForm, readingMinutes } from './article-html.ts';
import type { NewsWork } from './news-worker.ts';

interface Row {
  readonly id: string;
  readonly category: NewsCategory;
  readonly language: Language;
  readonly title: string;
  readonly summary: string;
  readonly length: number;
  readonly isSample: boolean;
  readonly cover: string | null;
  readonly width: number;
  readonly height: number;
  readonly source: string;
  readonly publishedMs: number;
  readonly shownMs: number;
  readonly version: number;
}

interface DetailRow extends Row {
  readonly withdrawn: boolean;
  readonly form: BodyForm;
  readonly body: string;
  readonly sourceUrl: string | null;
}

/** Columns of an article, with the text in the first available language of `$1`: the reader's, then the nearest. */
const COLUMNS = `n.id::text, n.category, t.language, t.title, t.summary, length(t.body) as length, n.is_sample as "isSample",
  c.name as cover, c.width, c.height, n.source, ${ms('n.published_at')} as "publishedMs", ${ms('n.publish_at')} as "shownMs", n.version`;
const FROM = `from news_visible n
  cross join lateral (select * from news_texts t where t.news_id = n.id and t.version = n.version
    order by array_position($1::text[], t.language) limit 1) t
  left join news_covers c on c.id = n.cover_id`;

export interface NewsFilter {
  readonly category: NewsCategory | null;
  readonly cursor: string | null;
  readonly limit: number;
}

/** The cursor is the key of the last article, so that added articles shift no page. */
export async function readNews(
  db: Queryable,
  language: Language,
  { category, cursor, limit }: NewsFilter,
): Promise<{ items: NewsItem[]; nextCursor: string | null }> {
  const before = cursor === null ? null : readNewsCursor(cursor);
  const { rows } = await db.query<Row & { us: string }>(
    `select ${COLUMNS}, (extract(epoch from n.published_at) * 1000000)::bigint::text as us ${FROM}
     where n.withdrawn_at is null and ($2::text is null or n.category = $2)
       and ($3::bigint is null or (n.published_at, n.id) < ('epoch'::timestamptz + $3 * interval '1 microsecond', $4::bigint))
     order by n.published_at desc, n.id desc limit $5`,
    [NEAREST_LANGUAGES[language], category, before?.us ?? null, before?.id ?? null, limit + 1],
  );
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map((row) => presentItem(row, language)),
    nextCursor: rows.length > limit && last ? `${last.us}-${last.id}` : null,
  };
}

function readNewsCursor(cursor: string): { us: string; id: string } {
  const [, us, id] = /^(\d{1,17})-(\d{1,15})$/.exec(cursor) ?? [];
  if (us === undefined || id === undefined)
    throw new RefusalError('INVALID_CURSOR', { fields: { cursor: 'INVALID_CURSOR' } });
  return { us, id };
}

export async function readArticle(
  db: Queryable,
  thread: WorkThread<NewsWork>,
  language: Language,
  id: string,
): Promise<NewsDetail> {
  const isId = /^[1-9]\d{0,15}$/.test(id);
  const { rows } = isId
    ? await db.query<DetailRow>(
        `select ${COLUMNS}, n.withdrawn_at is not null as withdrawn, n.body_form as form, t.body, n.source_url as "sourceUrl"
         ${FROM} where n.id = $2`,
        [NEAREST_LANGUAGES[language], id],
      )
    : { rows: [] };
  const row = rows[0];
  if (!row) throw new RefusalError('NEWS_NOT_FOUND');
  if (row.withdrawn) throw new RefusalError('NEWS_WITHDRAWN');
  const { rows: versions } = await db.query<NewsDetail['versions'][number]>(
    `select version, ${ms('publish_at')} as "publishedAt", note from news_versions
     where news_id = $1 and publish_at <= now() and version <= $2 order by version desc`,
    [id, row.version],
  );
  return {
    ...presentItem(row, language),
    html: await thread.run('html', row.form, row.body),
    sourceUrl: row.sourceUrl,
    versions,
  };
}

function presentItem(row: Row, language: Language): NewsItem {
  const { id, category, title, summary, isSample, source, version } = row;
  return {
    id,
    category,
    title,
    summary,
    language: row.language,
    isFallback: row.language !== language,
    isSample,
    cover:
      row.cover === null
        ? null
        : { url: `/api/news/cover?name=${row.cover}`, width: row.width, height: row.height },
    source,
    publishedAt: row.publishedMs,
    updatedAt: row.shownMs > row.publishedMs ? row.shownMs : null,
    version,
    minutes: readingMinutes(row.language, row.length),
  };
}

export async function readCover(db: Queryable, name: string, size: 'full' | 'thumb'): Promise<Buffer | null> {
  const { rows } = await db.query<{ picture: Buffer }>(
    `select ${size === 'thumb' ? 'thumb' : 'picture'} as picture from news_covers where name = $1`,
    [name],
  );
  return rows[0]?.picture ?? null;
}
