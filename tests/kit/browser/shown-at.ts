import type { Page } from 'playwright-core';

/** The time at which a page first shows an element whose text matches, in Unix ms, by a clock that no journey shifts. */
export function shownAt(page: Page, selector: string, pattern = ''): Promise<number> {
  return page.evaluate(
    ([what, text]) =>
      new Promise<number>((resolve) => {
        const look = () => {
          const found = [...document.querySelectorAll(what as string)];
          if (!found.some((element) => new RegExp(text as string).test(element.textContent))) return;
          observer.disconnect();
          resolve(performance.timeOrigin + performance.now());
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, {
          subtree: true,
          childList: true,
          attributes: true,
          characterData: true,
        });
        look();
      }),
    [selector, pattern] as const,
  );
}
