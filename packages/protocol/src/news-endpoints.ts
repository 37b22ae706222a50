import * as z from 'zod';
import { nullable, page, says, time } from './answers.ts';
import { type Endpoint, get, picture } from './endpoint.ts';
import * as fields from './fields.ts';
import { LANGUAGES } from './languages.ts';

export const NEWS_CATEGORIES = ['notice', 'rules', 'market', 'guide'] as const;
export const newsCategory = z.enum(NEWS_CATEGORIES);
export type NewsCategory = z.infer<typeof newsCategory>;

/** An article's text as a tree of strings and elements, which have a tag name. */
export type ArticleNode =
  | string
  | { readonly tag: string; readonly href?: string; readonly nodes: readonly ArticleNode[] };

const newsItem = z
  .object({
    id: z.string(),
    category: newsCategory,
    title: z.string(),
    summary: z.string(),
    language: z.enum(LANGUAGES).meta(says('Of its texts.')),
    isFallback: z.boolean().meta(says('It is not written in the language that was asked for.')),
    isSample: z.boolean().meta(says('Made up for the demo.')),
    cover: nullable(z.object({ url: z.string(), width: z.int(), height: z.int() })),
    source: z.string().meta(says('Who says so.')),
    publishedAt: time,
    updatedAt: nullable(time).meta(says('Since when this version is shown; null: it is the first.')),
    version: z.int(),
    minutes: z.int().meta(says('What reading it takes.')),
  })
  .meta({ id: 'NewsItem' });
export type NewsItem = z.infer<typeof newsItem>;

const newsDetail = newsItem
  .extend({
    html: z.string().meta(says('Sanitised: text, lists, tables and links, and nothing that runs or loads.')),
    sourceUrl: nullable(z.string()),
    versions: z
      .array(
        z.object({
          version: z.int(),
          publishedAt: time,
          note: nullable(z.string()).meta(says('What was changed.')),
        }),
      )
      .meta(says('All that were shown, the newest first.')),
  })
  .meta({ id: 'NewsDetail' });
export type NewsDetail = z.infer<typeof newsDetail>;

/** Articles that the operator publishes. */
export const newsEndpoints = {
  newsList: get(
    'news/list',
    'public',
    {
      category: fields.choice(NEWS_CATEGORIES).optional(),
      limit: fields.limit,
      cursor: fields.keyCursor,
    },
    page(newsItem),
    { summary: 'News, newest first, in the language asked for or marked as a fallback' },
  ),
  newsDetail: get('news/detail', 'public', { id: fields.id }, newsDetail, {
    summary: 'One article, as it is shown now',
    errors: ['NEWS_NOT_FOUND', 'NEWS_WITHDRAWN'],
  }),
  newsCover: {
    ...picture(
      'news/cover',
      'public',
      {
        name: fields.id.meta({
          description: 'As the article’s `cover` names it.',
          example: 'abcdefghijklmnopqrstuvwxyz012345',
        }),
        thumb: fields.flag.optional().meta({ description: 'The small one.', example: 'true' }),
      },
      { summary: 'The picture above an article; never changes', errors: ['NEWS_NOT_FOUND'] },
    ),
    isImmutable: true as const,
  },
} satisfies Record<string, Endpoint>;
