import type { Language } from '@fairtick/protocol/languages';
import { useState } from 'react';
import { Link } from 'wouter';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { formatTime } from '../state/format.ts';
import css from './news.module.css';
import { NewsActions } from './news-actions.tsx';
import { NewsEditor } from './news-editor.tsx';
import { draftOf, EMPTY, firstWritten } from './news-model.ts';
import { type Article, useArticle } from './queries.ts';

/** Shows an article, or a form for a new one (null): text, actions and all versions. */
export function NewsCase({ id }: { id: string | null }) {
  const { t } = useText();
  const [language, setLanguage] = useState<Language>();
  const open = { language, onLanguage: setLanguage };
  return (
    <div className="page">
      <Link href="/" className={`link ${css.back}`}>
        ← {t('page.news')}
      </Link>
      {id === null ? (
        <>
          <h1>{t('news.new')}</h1>
          <NewsEditor id={null} base={0} saved={EMPTY} {...open} />
        </>
      ) : (
        <Known id={id} {...open} />
      )}
    </div>
  );
}

function Known(props: {
  id: string;
  language: Language | undefined;
  onLanguage: (language: Language) => void;
}) {
  const { id, ...open } = props;
  const { word } = useText();
  const [version, setVersion] = useState<number>();
  const query = useArticle(id, version);
  const mayWrite = useHas()('content');
  const article = query.data;
  if (!article) return <Loaded query={query}>{() => null}</Loaded>;
  const newest = article.versions[0]?.version ?? article.version;
  const isOpen = mayWrite && article.withdrawn === null;
  const saved = draftOf(article);
  const { title } = saved.texts[open.language ?? firstWritten(saved)];
  return (
    <>
      <div className="head">
        <h1>
          {title || article.texts[0]?.title}{' '}
          <span className={`text-13 ink-3 ${css.state}`}>{word('newsState', article.state)}</span>
        </h1>
        {isOpen && article.version === newest && <NewsActions article={article} />}
      </div>
      <Standing article={article} />
      <NewsEditor
        key={article.version}
        id={id}
        base={newest}
        saved={saved}
        {...open}
        isReadOnly={!isOpen || article.version !== newest || article.bodyForm === 'html'}
      />
      <Versions article={article} onOpen={setVersion} />
    </>
  );
}

function Standing({ article }: { article: Article }) {
  const { t } = useText();
  if (article.withdrawn) {
    const { at, by, reason } = article.withdrawn;
    return <p className="note">{t('news.withdrawnBy', { time: formatTime(at), name: by.name, reason })}</p>;
  }
  if (article.feed !== null) return <p className="note">{t('news.fromFeed', { feed: article.feed })}</p>;
  return null;
}

function Versions({ article, onOpen }: { article: Article; onOpen: (version: number) => void }) {
  const { t } = useText();
  return (
    <section>
      <h2>{t('news.versions')}</h2>
      <ol className={`stack mt-8 ${css.versions}`} reversed>
        {article.versions.map(({ version, savedAt, savedBy, note, publishAt, isShown }) => (
          <li key={version}>
            <button
              type="button"
              className="opens"
              aria-pressed={version === article.version}
              onClick={() => onOpen(version)}
            >
              {t('news.versionNumber', { version })}
            </button>
            <span>{formatTime(savedAt)}</span>
            <span>{savedBy?.name ?? ''}</span>
            <span>{publishAt === null ? t('news.notPublished') : formatTime(publishAt)}</span>
            <span>{isShown ? t('news.isShown') : ''}</span>
            <span>{note ?? ''}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
