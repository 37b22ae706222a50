import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const text = read('docs/GLOSSARY.md');

const [, avoided = ''] = text.split('| avoid | write | in |\n|---|---|---|\n');

/** Words to avoid in names of files, in docs, on screens or in names of the code. */
function avoidedIn(place: 'files' | 'docs' | 'screens' | 'code'): string[] {
  return avoided
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, , , places]) => places?.split(', ').includes(place))
    .flatMap(([, words]) => (words as string).split(', '));
}

test('the glossary is one table, sorted, with each word once', () => {
  const [, table = ''] = (text.split('\n## ')[0] as string).split('|---|---|\n');
  const lines = table.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(80);
  expect(lines.filter((line) => !/^\| [^|]+ \| [^|]+ \|$/.test(line))).toEqual([]);
  const words = lines.map((line) => (line.split('|')[1] as string).trim().toLowerCase());
  expect(words).toEqual([...words].sort());
  expect(words).toEqual([...new Set(words)]);
});

describe('words to avoid', () => {
  const found = (words: readonly string[], avoid: readonly string[], place: string) =>
    avoid
      .filter((word) => ` ${words.join(' ').toLowerCase()} `.includes(` ${word} `))
      .map((word) => `${place}: ${word}`);

  test('are in no name of a file or folder', () => {
    const avoid = avoidedIn('files');
    expect(avoid.length).toBeGreaterThan(15);
    const files = globSync('{apps,packages,tests,scripts,bench}/**/*.{ts,tsx,css,sql,json}', {
      cwd: ROOT,
      exclude: (name) => ['node_modules', 'dist'].includes(name),
    });
    expect(files.length).toBeGreaterThan(900);
    expect(files.flatMap((file) => found(file.split(/[/.-]/), avoid, file))).toEqual([]);
  });

  test('are in no name of the code but those of the wire: endpoints, fields, codes and addresses', () => {
    const namesIn = (file: string) => read(file).match(/[A-Za-z_]\w*/g) ?? [];
    const codeOf = (...globs: string[]) =>
      globSync(globs, { cwd: ROOT, exclude: (name) => ['node_modules', 'dist'].includes(name) });
    const wire = new Set(
      [...codeOf('packages/protocol/src/**/*.ts'), 'apps/web/src/shell/routes.ts'].flatMap(namesIn),
    );
    // A name that a file declares is its own, also where the wire has the same.
    const declaredIn = (file: string) =>
      [...read(file).matchAll(/\b(?:function\*?|const|let|class|interface|type)\s+(\w+)/g)].map(
        ([, name]) => name,
      );
    const avoid = avoidedIn('code');
    expect(avoid.length).toBeGreaterThan(2);
    const files = codeOf('{apps,tests,scripts,bench}/**/*.{ts,tsx,sql}', 'packages/{proof,ui}/**/*.{ts,tsx}');
    expect(files.length).toBeGreaterThan(900);
    const faults = files.flatMap((file) => {
      const declared = new Set(declaredIn(file));
      return [...new Set(namesIn(file))]
        .filter((name) => !wire.has(name) || declared.has(name))
        .flatMap((name) => found(name.split(/_|(?<=[a-z])(?=[A-Z])/), avoid, `${file} ${name}`));
    });
    expect(faults).toEqual([]);
  });

  test('are not in the prose of docs', () => {
    const avoid = avoidedIn('docs');
    expect(avoid.length).toBeGreaterThan(5);
    const faults = globSync('docs/*.md', { cwd: ROOT })
      .filter((file) => !/GLOSSARY|SPECIFICATION/.test(file))
      .flatMap((file) =>
        found(
          read(file)
            .replace(/```[\s\S]*?```|`[^`]*`/g, '')
            .split(/[^A-Za-z]+/),
          avoid,
          file,
        ),
      );
    expect(faults).toEqual([]);
  });

  test('are not in English texts of screens', () => {
    const avoid = avoidedIn('screens');
    const faults = globSync('{apps/{web,office},packages/ui}/src/messages/**/en.json', { cwd: ROOT }).flatMap(
      (file) =>
        Object.entries(JSON.parse(read(file)) as Record<string, string>).flatMap(([id, message]) =>
          found(message.split(/[^A-Za-z]+/), avoid, `${file} ${id}`),
        ),
    );
    expect(avoid.length).toBeGreaterThan(4);
    expect(faults).toEqual([]);
  });
});
