import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
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
