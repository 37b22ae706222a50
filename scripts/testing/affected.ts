import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Import, importsOf, sourceFiles } from './imports.ts';
import { changedUses } from './schema-changes.ts';

/** A file that differs. Its text before, and now; null: it was or is not there. */
export interface Change {
  readonly path: string;
  readonly before: string | null;
  readonly now: string | null;
}

const TEST = /\.test\.ts$/;
const CODE = /\.tsx?$/;
const SCREENS = /^apps\/(web|office)\/src\/(?:(\w+)\/)?.*\.(tsx?|css|json)$/;
/** Name files as examples, and prove nothing about a change of them. */
const NAMES_ALL = /\/defects\/|\/changed\.test\.ts$/;
/** Journeys that open all screens of the customer's app. */
const ALL_SCREENS = /^tests\/journeys\/(appearance|layout|shell)\.(full\.)?test\.ts$/;

/** Tests that read whole folders, so that no test names their files. */
const READERS: readonly (readonly [changed: RegExp, tests: RegExp])[] = [
  [
    /\.sql$/,
    /^apps\/server\/(schema\/\S+|src\/platform\/db\/(constraints|migrate))\.test|^tests\/security\/(mint\S*|rights|levers)\.test/,
  ],
  [/\/messages\/.*\.json$/, /^scripts\/(terms|glossary)\.test|\/src\/messages\/messages\.test/],
  [/\.css$/, /^scripts\/stylesheets\.test/],
  [/\.md$/, /^scripts\/(contributing|glossary)\.test/],
  [/^tests\/kit\/levers\//, /\/levers\.test/],
  [/^tests\/pictures\//, /^tests\/journeys\/pictures\./],
  [/^apps\/(web|office)\/([^/]+|public\/.*)$|^packages\/ui\/src\//, ALL_SCREENS],
];

/** Finds the tests of changed files: by imports, by names, and for screens by their addresses. */
export class TestFinder {
  readonly #root: string;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #imports: readonly Import[];
  readonly #importers = new Map<string, string[]>();

  constructor(root: string) {
    this.#root = root;
    const files = sourceFiles(root);
    this.#texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
    this.#imports = importsOf(root, files);
    for (const { from, to } of this.#imports)
      this.#importers.set(to, [...(this.#importers.get(to) ?? []), from]);
  }

  /** Paths of test files, those of full size and the long ones, too; none: it can't tell. */
  testsOf(change: Change): string[] {
    const { path } = change;
    const found = this.#reaching([path]);
    for (const [changed, tests] of READERS) if (changed.test(path)) found.push(...this.#tests(tests));
    if (SCREENS.test(path)) found.push(...this.#journeysOf(path));
    if (path.endsWith('.sql')) found.push(...this.#usersOf(change));
    if (!CODE.test(path) || found.length === 0) found.push(...this.#naming(path));
    return [...new Set(found)].sort();
  }

  #tests(pattern: RegExp): string[] {
    return [...this.#texts.keys()].filter((file) => TEST.test(file) && pattern.test(file));
  }

  /** Tests among the files, and those that import one of them by however many steps. */
  #reaching(files: readonly string[]): string[] {
    const seen = new Set(files);
    for (const file of seen) for (const importer of this.#importers.get(file) ?? []) seen.add(importer);
    return [...seen].filter((file) => TEST.test(file) && this.#texts.has(file));
  }

  /** Tests among the files, and those that import one of them themselves. */
  #beside(files: readonly string[]): string[] {
    const importers = files.flatMap((file) => this.#importers.get(file) ?? []);
    return [...files, ...importers].filter((file) => TEST.test(file));
  }

  #containing(text: RegExp): string[] {
    return [...this.#texts].filter(([, each]) => text.test(each)).map(([file]) => file);
  }

  /** Tests of the files that have the file's name in quotes. */
  #naming(path: string): string[] {
    const name = basename(path).includes('.') ? basename(path) : path;
    const files = this.#containing(new RegExp(`['"\`/]${RegExp.escape(name)}['"\`]`));
    return this.#beside(files.filter((file) => !NAMES_ALL.test(file)));
  }

  /**
   * Tests that use what changed in a schema file, those of the server's files that use it, and those in the folders of all these and of
   * the same noun: `market/candles.sql` has the ones of `apps/server/src/market/candles`.
   */
  #usersOf({ path, before, now }: Change): string[] {
    const users = this.#containing(changedUses(this.#root, before ?? '', now ?? ''));
    const code = users.filter((file) => file.startsWith('apps/server/src/') && !TEST.test(file));
    const folders = new Set([path, ...code].map((file) => dirname(file)));
    const noun = new RegExp(`^apps/server/src/(.*/)?${basename(path, '.sql')}[./]`);
    const inFolders = this.#tests(/^apps\/server\//).filter(
      (file) => folders.has(dirname(file)) || noun.test(file),
    );
    return [...users.filter((file) => TEST.test(file)), ...this.#beside(code), ...inFolders];
  }

  /** Journeys that open a screen of the file's area, or of the areas that read its texts; and those that open all screens. */
  #journeysOf(path: string): string[] {
    const [, app, folder = ''] = SCREENS.exec(path) ?? [];
    const [, part] = /\/messages\/(\w+)\//.exec(path) ?? [];
    const readers =
      part === undefined ? [] : this.#containing(new RegExp(`<WithTexts part="${part}"|pageOf\\('${part}'`));
    const areas = [folder, ...readers.map((file) => SCREENS.exec(file)?.[2])];
    const isOffice = app === 'office';
    const pages = isOffice
      ? /(\w+): \['\w',[\s\S]*?import\('\.\/(\w+)\//g
      : /(\w+): \(\) => import\('\.\/(\w+)\//g;
    const list = this.#texts.get(`apps/${app}/src/${isOffice ? 'pages' : 'views'}.ts`) ?? '';
    const own = [...list.matchAll(pages)]
      .filter(([, , area]) => areas.includes(area))
      .map(([, page]) => page);
    const opens = new RegExp(`['"\`}]/(${own.join('|') || '(?!)'})\\b`);
    const general = isOffice ? /^tests\/journeys\/office\./ : ALL_SCREENS;
    return this.#tests(/^tests\/journeys\//).filter((file) => {
      const text = this.#texts.get(file) ?? '';
      return general.test(file) || (opens.test(text) && (!isOffice || /officeOrigin|Desk/.test(text)));
    });
  }
}
