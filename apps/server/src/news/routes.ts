import type { Queryable } from '../platform/db/database.ts';
import { type Handlers, RefusalError } from '../platform/http/context.ts';
import { WorkThread } from '../platform/threads/work-thread.ts';
import { readArticle, readCover, readNews } from './news-queries.ts';
import type { NewsWork } from './news-worker.ts';

const DEFAULT_LIMIT = 20;

export function newsHandlers({
  db,
}: {
  db: Queryable;
}): Pick<Handlers, 'newsList' | 'newsDetail' | 'newsCover'> {
  const thread = new WorkThread<NewsWork>(new URL('./news-worker.ts', import.meta.url));
  return {
    newsList: ({ category, cursor, limit }, { language }) =>
      readNews(db, language, {
        category: category ?? null,
        cursor: cursor ?? null,
        limit: limit ?? DEFAULT_LIMIT,
      }),
    newsDetail: ({ id }, { language }) => readArticle(db, thread, language, id),
    newsCover: async ({ name, thumb }) => {
      const picture = await readCover(db, name, thumb ? 'thumb' : 'full');
      if (!picture) throw new RefusalError('NEWS_NOT_FOUND');
      return picture;
    },
  };
}
