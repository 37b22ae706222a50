import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { decisionIndex, INDEX_PATH, readDecisions } from './decision-index.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

test('every path and command in CONTRIBUTING.md exists', () => {
  const text = read('CONTRIBUTING.md');
  const paths = [...text.matchAll(/`((?:apps|docs|ops|packages|scripts|tests)\/[\w./-]+)`/g)].map(
    ([, path]) => path as string,
  );
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const commands = [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, name]) => name as string);
  expect(commands.length).toBeGreaterThan(1);
  expect(commands.filter((name) => !(name in scripts))).toEqual([]);
});

test('every file that a comment or a document names by its path is there', () => {
  const tracked = globSync('{apps,bench,docs,ops,packages,scripts,tests}/**/*.*', {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
  });
  const sources = tracked.filter((file) => /\.(tsx?|sql|cjs)$/.test(file));
  const documents = ['README.md', 'CHANGELOG.md', ...tracked.filter((file) => file.endsWith('.md'))];
  const gone = [...sources, ...documents].flatMap((file) =>
    [...read(file).matchAll(file.endsWith('.md') ? /^(.*)$/gm : /^\s*(?:\/\/|\/?\*\*?|--) (.*)$/gm)]
      .flatMap(
        ([, text = '']) =>
          text
            .replaceAll('../', '')
            .match(/(?<![\w/@.:-])(?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|sql|md|css|cjs|yml)(?![\w/])/g) ?? [],
      )
      // Capitals stand for any name.
      .filter((path) => !/[A-Z]{4}/.test(path) && !tracked.some((each) => each.endsWith(path)))
      .map((path) => `${file}: ${path}`),
  );
  expect(sources.length).toBeGreaterThan(1_000);
  expect(gone).toEqual([]);
});

test('what a file exports is used by another file', () => {
  const files = globSync('{apps,bench,packages,scripts,tests}/**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
  });
  const uses = new Map<string, number>();
  const exported = files.flatMap((file) => {
    const source = read(file);
    for (const name of new Set(source.match(/\w+/g))) uses.set(name, (uses.get(name) ?? 0) + 1);
    if (!/^(apps|packages)\/\w+\/(src|bin)\//.test(file)) return [];
    return [...source.matchAll(/^export (?:async |abstract )*(?:function\*?|const|let|class) (\w+)/gm)].map(
      ([, name = '']) => ({ file, name }),
    );
  });
  expect(exported.length).toBeGreaterThan(2_000);
  expect(exported.filter(({ name }) => uses.get(name) === 1)).toEqual([]);
});

test('ARCHITECTURE.md has a line for each folder of the server', () => {
  const listed = new Set(
    [...read('docs/ARCHITECTURE.md').matchAll(/^\| `([^`]+)` \|/gm)].map(([, path]) => path),
  );
  const folders = globSync('apps/server/{src,schema}/**/*.{ts,sql}', { cwd: ROOT })
    .map((file) => dirname(file))
    .filter((folder) => folder !== 'apps/server/src');
  expect(folders.length).toBeGreaterThan(200);
  expect([...new Set(folders)].filter((folder) => !listed.has(folder))).toEqual([]);
});

test('each package names the packages of ours that its product files import', () => {
  const faults = globSync('{apps,packages}/*/package.json', { cwd: ROOT }).flatMap((file) => {
    const { name, dependencies = {} } = JSON.parse(read(file)) as {
      name: string;
      dependencies?: Record<string, string>;
    };
    const used = globSync(`${dirname(file)}/{src,bin}/**/*.{ts,tsx}`, { cwd: ROOT })
      .filter((source) => !source.includes('.test.'))
      .flatMap((source) => [...read(source).matchAll(/from '(@fairtick\/\w+)/g)])
      .map(([, one = '']) => one);
    return [...new Set(used)]
      .filter((one) => one !== name && !(one in dependencies))
      .map((one) => `${file}: ${one}`);
  });
  expect(faults).toEqual([]);
});

test('every folder, operation and name of the code that a document names is there', () => {
  const tracked = globSync(['{apps,bench,docs,packages,scripts,tests}/**/*.*', 'ops/*'], {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
  });
  const sources = tracked.filter((file) => /\.(tsx?|sql|css|mts|js|cjs|ya?ml|json|sh)$/.test(file));
  const text = sources.map(read).join('\n');
  const words = new Set(text.match(/[A-Za-z_]\w*/g));
  const paths = tracked.map((file) => `/${file}\n`).join('');
  const isThere = (path: string) =>
    paths.includes(`/${path}`) || text.includes(`'${path}'`) || /^(text|service|cosignature)\//.test(path);
  const gone = tracked
    .filter((file) => file.endsWith('.md') && !file.endsWith('SPECIFICATION.md'))
    .flatMap((file) => {
      const quoted = [
        ...read(file)
          .replace(/```[\s\S]*?```/g, '')
          .matchAll(/`([^`\n]+)`/g),
      ];
      return quoted.flatMap(([, name = '']) => {
        const isPath = /^[a-z][a-z-]*(\/[a-zA-Z-]+)+\/?$/.test(name);
        // Pages for operators name settings of PostgreSQL and of other programs, too.
        const isName = /^[a-z]+(_[a-z]+)+(\(.*\))?$|^[a-z]+([A-Z][a-z]+)+(\(.*\))?$/.test(name);
        const isOurs = !/ALERTS|AVAILABILITY|OPERATIONS/.test(file);
        const isGone = isPath
          ? !isThere(name.replace(/\/$/, ''))
          : isName && isOurs && !words.has(name.replace(/\(.*/, ''));
        return isGone ? [`${file}: ${name}`] : [];
      });
    });
  expect(words.size).toBeGreaterThan(5_000);
  expect(gone).toEqual([]);
});

test('each decision has its number, status and date in its heading, and names folders as its rooms', () => {
  const records = readDecisions(ROOT);
  expect(records.length).toBeGreaterThan(50);
  const faults = records.filter(({ file, heading, rooms }) => {
    const [, number = ''] = /(\d{3})-[\w-]+\.md$/.exec(file) ?? [];
    const format = new RegExp(
      `^# ${number}: .+ \\((accepted|superseded by \\d{3}), \\d{4}-\\d\\d-\\d\\d\\)$`,
    );
    const isFolder = (room: string) =>
      ['', 'apps/server/', 'apps/server/src/'].some((above) => existsSync(join(ROOT, above, room)));
    return number === '' || !format.test(heading) || rooms.length === 0 || !rooms.every(isFolder);
  });
  expect(faults).toEqual([]);
  expect(read(INDEX_PATH)).toBe(decisionIndex(records));
});

test('the licence that package.json names is in the repository', () => {
  const { license } = JSON.parse(read('package.json')) as { license: string };
  expect(license).toBe('Apache-2.0');
  expect(read('LICENSE')).toContain('Apache License');
  expect(read('LICENSE')).toContain('Version 2.0, January 2004');
});
