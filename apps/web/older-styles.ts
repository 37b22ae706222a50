import type { CSSOptions } from 'vite';

type Plugin = NonNullable<Exclude<NonNullable<CSSOptions['postcss']>, string>['plugins']>[number];

/**
 * Values that the oldest browsers lack, with an older value each. A declaration with `var()` is not skipped by a browser that does
 * not know its value, but resets the property; so the new value stands in a block that only the others read.
 */
const NEWER = [
  { value: /(\d)[dsl](v[hw])\b/g, older: '$1$2', support: '(height: 1dvh)' },
  {
    value: /color-mix\(in srgb, (var\(--[\w-]+\)) \d+%, [^()]*(?:\([^()]*\))?\)/g,
    older: '$1',
    support: '(color: color-mix(in srgb, red, red))',
  },
];

export const olderStyles: Plugin = {
  postcssPlugin: 'older-styles',
  Once(root, { AtRule }) {
    root.walkDecls((newer) => {
      const kind = NEWER.find(({ value }) => newer.value.search(value) >= 0);
      const isDone = newer.parent?.type === 'atrule';
      if (!kind || isDone) return;
      const block = new AtRule({ name: 'supports', params: kind.support });
      block.append(newer.clone());
      newer.parent?.append(block);
      newer.value = newer.value.replace(kind.value, kind.older);
    });
    // A ring around what is in focus: with a pointer, too, where a browser can't look into an element.
    root.walkRules((rule) => {
      if (!/:has\([^()]*:focus-visible\)/.test(rule.selector)) return;
      const block = new AtRule({ name: 'supports', params: 'not selector(:has(a))' });
      const older = rule.selector.replace(/:has\([^()]*:focus-visible\)/g, ':focus-within');
      block.append(rule.clone({ selector: older }));
      rule.after(block);
    });
  },
};
