import { randomBytes } from 'node:crypto';
import { DEFAULT_LANGUAGE, fieldIn, LANGUAGES } from '@fairtick/protocol/languages';
import type { newsOperations, OfficeInput } from '@fairtick/protocol/office';
import type { Pool } from '../platform/db/database.ts';
import { NamedCall } from '../platform/db/named-call.ts';
import { RefusalError } from '../platform/http/context.ts';
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
    'news/article': ({ id, version }) => readDraft(pool, demandId(id), version ?? null),
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
      await pool.query(ADD_COVER.with({ staff: session.staffId, name, width, height, picture: full, thumb }));
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
      const { rows } = await pool.query<{ id: string; version: number }>(
        SAVE.with({
          staff: session.staffId,
          id: input.id === undefined ? null : demandId(input.id),
          base: input.base ?? 0,
          version: JSON.stringify(version),
          texts: JSON.stringify(await readTexts(input, thread)),
        }),
      );
      return rows[0] as { id: string; version: number };
    },
    'news/publish': async ({ id, version, at }, { session }) => {
      const { rows } = await pool.query<{ at: number }>(
        `select (extract(epoch from news_publish($1, $2, $3, to_timestamp($4::float8 / 1000))) * 1000)::bigint::float8 as at`,
        [session.staffId, demandId(id), version, at ?? null],
      );
      return rows[0] as { at: number };
    },
    'news/unschedule': async ({ id, version }, { session }) => {
      await pool.query('select news_unschedule($1, $2, $3)', [session.staffId, demandId(id), version]);
      return null;
    },
    'news/withdraw': async ({ id, reason }, { session }) => {
      await pool.query('select news_withdraw($1, $2, $3)', [session.staffId, demandId(id), reason]);
      return null;
    },
  };
}

const ADD_COVER = new NamedCall('news_add_cover', {
  staff: 'bigint',
  name: 'text',
  width: 'int',
  height: 'int',
  picture: 'bytea',
  thumb: 'bytea',
});

const SAVE = new NamedCall('news_save', {
  staff: 'bigint',
  id: 'bigint',
  base: 'int',
  version: 'jsonb',
  texts: 'jsonb',
});

function demandId(text: string): string {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new RefusalError('NEWS_NOT_FOUND');
  return text;
}

const refuse = (field: string, code: 'FORM_INCOMPLETE' | 'INVALID_VALUE') =>
  new RefusalError(code, { fields: { [field]: code } });

function readUrl(text: string | undefined): string | null {
  const typed = text?.trim() ?? '';
  if (typed === '') return null;
  const url = URL.parse(typed);
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > 2_000)
    throw refuse('sourceUrl', 'INVALID_VALUE');
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
    if (title === '') throw refuse(titleField, 'FORM_INCOMPLETE');
    if (body === '') throw refuse(bodyField, 'FORM_INCOMPLETE');
    const typed = (input[fieldIn('summary', language)] ?? '').trim();
    // A text with a summary is read too: one that can't be read in time must not be saved.
    const made = await thread.run('summary', body, MAX_SUMMARY).catch(tooSlow(bodyField));
    texts.push({ language, title, summary: typed || made || title, body });
  }
  if (texts.length === 0) throw refuse(fieldIn('title', DEFAULT_LANGUAGE), 'FORM_INCOMPLETE');
  return texts;
}

/** Markdown that takes longer than any article is refused at its field. */
const tooSlow = (field: string) => (error: unknown) => {
  throw error instanceof LateWorkError ? refuse(field, 'INVALID_VALUE') : error;
};
