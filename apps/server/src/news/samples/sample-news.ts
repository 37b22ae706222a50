import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { ARTICLES, type SampleArticle } from './articles.ts';

const SIZE = { width: 1280, height: 720 } as const;
/** The names can be guessed, because the pictures are public. */
const coverName = (file: string) => `sample-cover-${file}`.padEnd(32, '-');
const read = (file: string) => readFileSync(new URL(`./${file}.jpg`, import.meta.url));

/** Inserts the demo's articles once. Each is marked as a sample wherever it shows; live mode shows none of them. */
export async function seedSampleNews(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from news_items where is_sample limit 1');
  if (rowCount !== 0) return;
  for (const article of ARTICLES) await insertArticle(client, article);
}

async function insertArticle(client: pg.Client, article: SampleArticle): Promise<void> {
  if (article.cover !== null) {
    await client.query(
      `insert into news_covers (name, width, height, picture, thumb) values ($1, $2, $3, $4, $5) on conflict do nothing`,
      [
        coverName(article.cover),
        SIZE.width,
        SIZE.height,
        read(article.cover),
        read(`${article.cover}-small`),
      ],
    );
  }
  const { rows } = await client.query<{ id: string }>(
    `insert into news_items (is_sample, published_at) values (true, now() - $1 * interval '1 hour') returning id`,
    [article.hoursAgo],
  );
  const id = rows[0]?.id;
  await client.query(
    `insert into news_versions (news_id, version, category, cover_id, source, publish_at)
     select $1, 1, $2, (select id from news_covers where name = $3), 'Fairtick', published_at from news_items where id = $1`,
    [id, article.category, article.cover === null ? null : coverName(article.cover)],
  );
  for (const [language, { title, summary, body }] of Object.entries(article.texts)) {
    await client.query(
      'insert into news_texts (news_id, version, language, title, summary, body) values ($1, 1, $2, $3, $4, $5)',
      [id, language, title, summary, body],
    );
  }
}
