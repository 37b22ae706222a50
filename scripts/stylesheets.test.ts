import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
/** Stylesheets whose classes have one name in all components of an app. */
const OF_BOTH = ['packages/ui/src/tokens.css', 'packages/ui/src/layout.css'];
const SHARED = {
  'apps/web': [...OF_BOTH, 'apps/web/src/shell/web.css'],
  'apps/office': [...OF_BOTH, 'apps/office/src/shell/office.css'],
  'packages/ui': OF_BOTH,
};
/** The page's own style has them: `apps/server/src/pages/app/pages.ts`. */
const OF_THE_PAGE = ['for-member', 'for-visitor'];
const read = (path: string): string => readFileSync(path, 'utf8').replaceAll(/\/\*.*?\*\//gs, '');

test('each class that a component takes from its stylesheet stands there', () => {
  const components = globSync('{apps/web,apps/office,packages/ui}/src/**/*.tsx', { cwd: ROOT });
  const missing = components.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    return [...source.matchAll(/^import (\w+) from '(\.[^']+\.module\.css)';$/gm)].flatMap(
      ([, name, path]) => {
        const styles = read(join(ROOT, dirname(file), path as string));
        const taken = source.matchAll(new RegExp(`(?<![\\w.'/-])${name}\\.(\\w+)`, 'g'));
        return [...new Set([...taken].map(([, each]) => each))]
          .filter((each) => !new RegExp(`\\.${each}(?![\\w-])`).test(styles))
          .map((each) => `${file}: ${each}`);
      },
    );
  });
  expect(components.length).toBeGreaterThan(200);
  expect(missing).toEqual([]);
});

test('each class that a component names stands in a shared stylesheet, and each of those is used', () => {
  const used = new Set<string>();
  const missing = Object.entries(SHARED).flatMap(([part, sheets]) => {
    const styles = sheets.map((sheet) => read(join(ROOT, sheet))).join('');
    return globSync(`${part}/src/**/*.tsx`, { cwd: ROOT }).flatMap((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8');
      const named = [...source.matchAll(/className=(?:"([^"]*)"|{`([^`]*)`})/g)].flatMap(([, plain, mixed]) =>
        (plain ?? mixed ?? '').replaceAll(/\$\{[^}]*\}/g, '').match(/\S+/g),
      );
      return named
        .filter((name) => name !== null && !OF_THE_PAGE.includes(name))
        .filter((name) => {
          used.add(`${name}`);
          return !new RegExp(`\\.${name}(?![\\w-])`).test(styles);
        })
        .map((name) => `${file}: ${name}`);
    });
  });
  expect(missing).toEqual([]);
  const defined = [...new Set(Object.values(SHARED).flat())].flatMap((sheet) =>
    [...read(join(ROOT, sheet)).matchAll(/^\.([a-z][\w-]*)/gm)].map(([, name]) => name as string),
  );
  expect(defined.filter((name) => name !== 'dark' && !used.has(name) && !/^b?progress$/.test(name))).toEqual(
    [],
  );
});

test('text has the size that its reader set in the browser: no font, line or breakpoint is in px', () => {
  const sheets = globSync('{apps/{web,office},packages/ui}/src/**/*.css', { cwd: ROOT });
  const inPx = sheets.flatMap((file) =>
    // iOS enlarges a page at a field whose text is smaller than 16 px, whatever its reader set: `--field-min`.
    [
      ...read(join(ROOT, file)).matchAll(
        /^\s*((font|font-size|line-height|--t-\d+):|@media\b)[^;{]*?\dpx.*/gm,
      ),
    ].map(([line]) => `${file}: ${line.trim()}`),
  );
  expect(sheets.length).toBeGreaterThan(60);
  expect(inPx).toEqual([]);
});

test('corners and gaps are steps of a scale', () => {
  const steps = '0 2px 4px 6px 8px 10px 12px 14px 16px 20px 24px 28px 32px 40px 48px 64px'.split(' ');
  const corners = ['0', '1px', '2px', '50%'];
  const off = globSync('{apps/{web,office},packages/ui}/src/**/*.css', { cwd: ROOT }).flatMap((file) =>
    [...read(join(ROOT, file)).matchAll(/^\s*(border-radius|(?:row-|column-)?gap): ([^;]+);/gm)]
      .filter(([, property, value]) =>
        (value as string)
          .split(' ')
          .some((part) =>
            property === 'border-radius'
              ? !corners.includes(part) && !/^var\(--r-\w+\)$/.test(part)
              : !steps.includes(part),
          ),
      )
      .map(([line]) => `${file}: ${line.trim()}`),
  );
  expect(off).toEqual([]);
});
