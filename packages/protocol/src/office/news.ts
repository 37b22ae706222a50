import * as z from 'zod';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { fieldIn, LANGUAGES, type Language } from '../languages.ts';
import { type ArticleNode, NEWS_CATEGORIES, newsCategory } from '../news-endpoints.ts';
import { isPlainLine, isPlainText } from '../plain-text.ts';
import { officeGet, officePost } from './operation.ts';
import { ms, PROVED, pages, who } from './parts.ts';

const language = z.enum(LANGUAGES);

const NEWS_STATES = ['draft', 'scheduled', 'shown', 'withdrawn'] as const;
const state = z.enum(NEWS_STATES);
export type NewsState = z.infer<typeof state>;

/** Maximum length of an article in one language, in characters. */
const MAX_BODY = 30_000;

const newsRow = z.object({
  id: z.string(),
  state,
  category: newsCategory,
  /** The title of the newest version, in the first language that it has. */
  title: z.string(),
  languages: z.array(language),
  version: z.int(),
  /** The newest version differs from the one that readers see. */
  hasDraft: z.boolean(),
  isSample: z.boolean(),
  feed: z.string().nullable(),
  savedAt: ms,
  publishAt: ms.nullable(),
});

const newsArticle = z.object({
  id: z.string(),
  state,
  isSample: z.boolean(),
  feed: z.string().nullable(),
  publishedAt: ms.nullable(),
  withdrawn: z.object({ at: ms, by: who, reason: z.string() }).nullable(),
  /** The requested version, or the newest one. */
  version: z.int(),
  category: newsCategory,
  cover: z.string().nullable(),
  source: z.string(),
  sourceUrl: z.string().nullable(),
  bodyForm: z.enum(['markdown', 'html']),
  texts: z.array(z.object({ language, title: z.string(), summary: z.string(), body: z.string() })),
  versions: z.array(
    z.object({
      version: z.int(),
      savedAt: ms,
      savedBy: who.nullable(),
      note: z.string().nullable(),
      publishAt: ms.nullable(),
      /** The version that readers see. */
      isShown: z.boolean(),
    }),
  ),
});

const READERS = ['content', 'auditor'] as const;
const WRITERS = ['content'] as const;

const words = (max: number, description: string, isPlain = isPlainText) =>
  z
    .string({ error: 'INVALID_VALUE' })
    .max(max, { error: 'INVALID_VALUE' })
    .refine(isPlain, { error: 'HIDDEN_CHARACTERS' })
    .optional()
    .meta({ description, example: 'x' });
const line = (max: number, description: string) => words(max, description, isPlainLine);
const id = fields.idOf('NEWS_NOT_FOUND');
const MOVED = ['NEWS_MOVED', 'NEWS_WITHDRAWN'] as const;
const version = fields.whole(1, 1000).meta({ description: 'A version of it.', example: 1 });

/** A field for each language, such as `titleZh`. */
const inFields = <Name extends string, Field>(name: Name, field: Field) =>
  Object.fromEntries(LANGUAGES.map((each) => [fieldIn(name, each), field])) as Record<
    `${Name}${Capitalize<Language>}`,
    Field
  >;

const texts = {
  ...inFields('title', line(200, 'In one language at least, title and text belong together.')),
  ...inFields('summary', words(500, 'Empty: the beginning of the text.')),
  ...inFields('body', words(MAX_BODY, 'Markdown.')),
};

/** The operator's articles: writing, scheduled publication, withdrawal. */
export const newsOperations = {
  'news/queue': pages(READERS, newsRow, 'Articles, the newest first', {
    state: fields.choice(NEWS_STATES).optional(),
  }),
  'news/article': officeGet(READERS, { id, version: version.optional() }, newsArticle, {
    summary: 'One article in one of its versions, and all that it had',
  }),
  'news/preview': officePost(
    READERS,
    { text: words(MAX_BODY, 'Markdown.') },
    z.object({ nodes: z.array(z.custom<ArticleNode>()) }),
    { summary: 'A text as readers will see it', maxBytes: 400_000 },
  ),
  'news/picture': officeGet(READERS, { name: fields.id }, z.unknown(), {
    summary: 'A cover, shown or not',
    isFile: true,
    errors: ['NEWS_NOT_FOUND'],
  }),
  'news/cover': officePost(
    WRITERS,
    {
      picture: z
        .string({ error: 'FORM_INCOMPLETE' })
        .min(1, { error: 'FORM_INCOMPLETE' })
        .max(8_400_000, { error: 'IMAGE_TOO_LARGE' })
        .meta({ description: 'JPEG, PNG, WebP, GIF, AVIF or HEIC in base64url.', example: '_9j_4A' }),
    },
    z.object({ name: z.string(), width: z.int(), height: z.int() }),
    {
      summary: 'Stores a picture for covers, made anew',
      maxBytes: 9_000_000,
      errors: ['IMAGE_TYPE', 'IMAGE_HEIC', 'IMAGE_UNREADABLE', 'IMAGE_TOO_LARGE'],
    },
  ),
  'news/save': officePost(
    WRITERS,
    {
      id: id.optional(),
      base: fields
        .whole(0, 1000)
        .optional()
        .meta({ description: 'The version that was edited.', example: 0 }),
      category: fields.choice(NEWS_CATEGORIES),
      cover: line(64, 'The name of a stored picture; empty: none.'),
      source: fields.line(120, { description: 'Who says so.', example: 'Fairtick' }),
      sourceUrl: line(2000, 'Where it can be read there; empty: nowhere.'),
      note: words(500, 'What was changed, for readers.'),
      ...texts,
    },
    z.object({ id: z.string(), version: z.int() }),
    {
      summary: 'Saves another version; nothing that was saved is changed',
      maxBytes: 1_500_000,
      errors: MOVED,
    },
  ),
  'news/publish': officePost(
    WRITERS,
    {
      id,
      version,
      at: fields.time.optional().meta({ description: 'From when on; absent: now.' }),
    },
    z.object({ at: ms }),
    {
      summary: 'Shows the newest version, now or from a moment on',
      ...PROVED,
      errors: MOVED,
    },
  ),
  'news/unschedule': officePost(WRITERS, { id, version }, nothing, {
    summary: 'Takes back a moment that has not come',
    errors: MOVED,
  }),
  'news/withdraw': officePost(
    WRITERS,
    {
      id,
      reason: fields.line(500, { description: 'Kept in the audit log.', example: 'The date was wrong.' }),
    },
    nothing,
    { summary: 'Takes an article back, for good', errors: ['NEWS_WITHDRAWN'] },
  ),
} as const;
