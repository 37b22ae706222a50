import { randomBytes } from 'node:crypto';
import { DEFAULT_LANGUAGE, fieldIn, LANGUAGES } from '@fairtick/protocol/languages';
import type { newsOperations, OfficeInput } from '@fairtick/protocol/office';
import { callRow, perform } from '../platform/db/call.ts';
import type { Pool } from '../platform/db/database.ts';
import { RefusalError, refusalOf } from '../platform/http/context.ts';
import { OfficeFile, type OfficeHandlers } from '../platform/office-area.ts';
import { LateWorkError, WorkThread } from '../platform/threads/work-thread.ts';
import type { Uploads } from '../platform/uploads/uploads.ts';
import { readCover } from './news-queries.ts';
import type { NewsWork } from './news-worker.ts';
import { readDraft, readQueue } from './office-queries.ts';

type Path = keyof typeof newsOperations;
const MAX_SUMMARY = 160;

/** Functions of `schema/news/articles.sql` decide what may be saved, published and withdrawn. */
export function newsOfficeHandlers({
  pool,
  uploads,
}: {
  pool: Pool;
  uploads: Uploads;
}): OfficeHandlers<Path> {
  const thread = new WorkThread<NewsWork>(new URL('./news-worker.ts', import.meta.url));
  return {
    'news/queue': (filter) => readQueue(pool, filter),
    'news/article': ({ id, version }) => readDraft(pool, id, version ?? null),
    'news/preview': async ({ text }) => ({
      nodes: await thread.run('nodes', text ?? '').catch(tooSlow('text')),
    }),
    'news/picture': async ({ name }) => {
      const picture = await readCover(pool, name, 'full');
      if (!picture) throw new RefusalError('NEWS_NOT_FOUND');
      return new OfficeFile('image/jpeg', picture);
    },
    'news/cover': async ({ picture }, { session }) => {
      const made = await uploads.prepare('picture', Buffer.from(picture, 'base64url'));
      const name = randomBytes(24).toString('base64url');
      const { width, height, full, thumb } = made;
      const values = { staff: session.staffId, name, width, height, picture: full, thumb };
      await perform(pool, 'news_add_cover', values);
      return { name, width, height };
    },
    'news/save': async (input, { session }) => {
      const { category, cover, source, note } = input;
      const version = {
        category,
        cover: cover || null,
        source,
        sourceUrl: readUrl(input.sourceUrl),
        note: note?.trim() || null,
      };
      return callRow(pool, 'news_save', {
        staff: session.staffId,
        id: input.id,
        base: input.base ?? 0,
        version,
        texts: JSON.stringify(await readTexts(input, thread)),
      });
    },
    'news/publish': async ({ id, version, at }, { session }) => {
      const { rows } = await pool.query<{ at: number }>(
        `select (extract(epoch from news_publish($1, $2, $3, to_timestamp($4::float8 / 1000))) * 1000)::bigint::float8 as at`,
        [session.staffId, id, version, at ?? null],
      );
      return rows[0] as { at: number };
    },
    'news/unschedule': ({ id, version }, { session }) =>
      perform(pool, 'news_unschedule', { staff: session.staffId, id, version }),
    'news/withdraw': ({ id, reason }, { session }) =>
      perform(pool, 'news_withdraw', { staff: session.staffId, id, reason }),
  };
}

function readUrl(text: string | undefined): string | null {
  const typed = text?.trim() ?? '';
  if (typed === '') return null;
  const url = URL.parse(typed);
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > 2_000)
    throw refusalOf('INVALID_VALUE', 'sourceUrl');
  return url.href;
}

/** The languages with a text. A title without a body, or a body without a title, is incomplete. */
async function readTexts(input: OfficeInput<'news/save'>, thread: WorkThread<NewsWork>) {
  const texts = [];
  for (const language of LANGUAGES) {
    const [titleField, bodyField] = [fieldIn('title', language), fieldIn('body', language)];
    const title = (input[titleField] ?? '').trim();
    const body = (input[bodyField] ?? '').trim();
    if (title === '' && body === '') continue;
    if (title === '') throw refusalOf('FORM_INCOMPLETE', titleField);
    if (body === '') throw refusalOf('FORM_INCOMPLETE', bodyField);
    const typed = (input[fieldIn('summary', language)] ?? '').trim();
    // A text with a summary is read too: one that can't be read in time must not be saved.
    const made = await thread.run('summary', body, MAX_SUMMARY).catch(tooSlow(bodyField));
    texts.push({ language, title, summary: typed || made || title, body });
  }
  if (texts.length === 0) throw refusalOf('FORM_INCOMPLETE', fieldIn('title', DEFAULT_LANGUAGE));
  return texts;
}

/** Markdown that takes longer than any article is refused at its field. */
const tooSlow = (field: string) => (error: unknown) => {
  throw error instanceof LateWorkError ? refusalOf('INVALID_VALUE', field) : error;
};
