import type { NewsDetail } from '@fairtick/protocol';
import { ArticleText, ForwardIcon, Notice, Skeleton } from '@fairtick/ui';
import { useMemo } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Link } from '../shell/link.tsx';
import { useNavbar } from '../shell/navbar.tsx';
import { goBack } from '../shell/navigate.ts';
import css from './news.module.css';
import { Cover, Kind, langOf } from './news-list.tsx';
import { fallbackText, newsTime } from './news-words.ts';
import { readNodes } from './read-nodes.ts';

export function NewsArticle({ id }: { id: string }) {
  const { t, language } = useText();
  const query = useAnswer('news/detail', { id, language }, { isSilent: false });
  const title = query.data?.title ?? t('title.news');
  useNavbar(useMemo(() => ({ title, isTitleBelow: true, onBack: () => goBack('/news') }), [title]));
  return (
    <Loaded query={query} waiting={<ArticleSkeleton />}>
      {(article) => <Article article={article} />}
    </Loaded>
  );
}

function Article({ article }: { article: NewsDetail }) {
  const text = useText();
  const { t, tag } = text;
  const fallback = fallbackText(text, article);
  const nodes = useMemo(() => readNodes(article.html), [article.html]);
  return (
    <article className={css.article} data-article={article.id} lang={langOf(article)}>
      <header lang={tag}>
        <Kind item={article} />
        <h1 lang={langOf(article)}>{article.title}</h1>
        <div className={`note flex wrap mt-12 pb-16 line-below ${css.meta}`}>
          <span>{article.source}</span>
          <time dateTime={new Date(article.publishedAt).toISOString()}>
            {newsTime(text, article.publishedAt)}
          </time>
          <span>{t('news.minutes', { minutes: article.minutes })}</span>
          {article.version > 1 && <span>{t('news.version', { version: article.version })}</span>}
        </div>
        {article.isSample && <Notice>{t('news.sampleNote')}</Notice>}
        {fallback && <Notice>{fallback}</Notice>}
      </header>
      <Cover item={article} />
      <ArticleText nodes={nodes} />
      <footer lang={tag}>
        {article.sourceUrl && (
          <a
            className={`card row between gap-12 px-16 strong breaks ${css.source}`}
            href={article.sourceUrl}
            target="_blank"
            rel="noopener noreferrer nofollow"
          >
            {t('news.sourceLink', { source: article.source })}
            <ForwardIcon size={16} />
          </a>
        )}
        {article.versions.length > 1 && <Versions article={article} />}
        <Link className={`secondary inline-row touch ${css.back}`} href="/news">
          {t('news.back')}
        </Link>
      </footer>
    </article>
  );
}

/** The list of changes with their times: articles are never edited silently. */
function Versions({ article: { versions } }: { article: NewsDetail }) {
  const text = useText();
  const { t } = text;
  return (
    <section className={css.versions}>
      <h2>{t('news.versions')}</h2>
      <ul className="lined">
        {versions.map(({ version, publishedAt, note }) => (
          <li key={version} className="secondary">
            <b>{t('news.version', { version })}</b>
            <span>{note ?? t(version === versions.at(-1)?.version ? 'news.first' : 'news.changed')}</span>
            <time dateTime={new Date(publishedAt).toISOString()}>{newsTime(text, publishedAt)}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ArticleSkeleton() {
  return (
    <div className={css.article} aria-busy="true">
      <Skeleton width={48} height={16} />
      <Skeleton width="90%" height={34} />
      <Skeleton width={180} height={16} />
      <Skeleton width="100%" height={190} />
      <Skeleton width="100%" height={22} />
      <Skeleton width="80%" height={22} />
    </div>
  );
}
