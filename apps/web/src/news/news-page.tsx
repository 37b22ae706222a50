import { useLayoutEffect } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { pageOf } from '../parts/page.tsx';
import { useUi } from '../state/ui.ts';
import { NewsArticle } from './news-article.tsx';
import { NewsList } from './news-list.tsx';

/** `/news`: the list; with `?id=` one article, with a way back instead of the tabs. */
export default pageOf('news', News);

function News() {
  const id = new URLSearchParams(useSearch()).get('id');
  const isArticle = id !== null;
  // A layout effect: after painting, the screen would jump by the height of the bar.
  useLayoutEffect(() => {
    if (!isArticle) return;
    useUi.setState({ isShowNavbar: true, isShowTabbar: false });
    return () => useUi.setState({ isShowNavbar: null, isShowTabbar: null });
  }, [isArticle]);
  return id === null ? <NewsList /> : <NewsArticle key={id} id={id} />;
}
