import { beforeEach, expect, test } from 'vitest';
import { useCachedViews, useUi } from './ui.ts';

const { add, remove, clear } = useCachedViews.getState();
const names = () => useCachedViews.getState().cachedViews;
beforeEach(clear);

test('a view is added once, unless it is marked no-cache; it can be removed, and all of them cleared (S3-03, S4-26, S4-27, S4-28)', () => {
  add('index', true);
  add('product', true);
  add('index', true);
  add('login', false);
  expect(names()).toEqual(['index', 'product']);
  remove('index');
  remove('never-there');
  expect(names()).toEqual(['product']);
  clear();
  expect(names()).toEqual([]);
});

test('the visibility of the bars and the chat link can be set, and reset to those of the route (S3-01, S3-02, S4-25)', () => {
  const { setTabbar, setNavbar, setCharUrl } = useUi.getState();
  setTabbar(false);
  setNavbar(true);
  setCharUrl('https://example.com/chat');
  expect(useUi.getState()).toMatchObject({
    isShowTabbar: false,
    isShowNavbar: true,
    charUrl: 'https://example.com/chat',
  });
  setTabbar(null);
  setNavbar(null);
  setCharUrl('');
  expect(useUi.getState()).toMatchObject({ isShowTabbar: null, isShowNavbar: null, charUrl: '' });
});
