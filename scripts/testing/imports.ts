import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A line of a source file that imports another file of this project. Paths are relative to the root, with `/`. */
export interface Import {
  readonly from: string;
  readonly line: number;
  readonly to: string;
  /** There is no file at that path. */
  readonly isLost: boolean;
  /** The import names types alone, so it brings no code. */
  readonly isType: boolean;
}

/** Biome formats all sources: an import begins its line and has single quotes. The last form also stands within a line. */
const IMPORT = /^(?:import|export)\b([^'"`;]*?)\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;
const TYPES_ALONE = /^\s*type\s|^\s*{(\s*type\s[^,}]+,?)+\s*}\s*$/;
const PACKAGE = /^@fairtick\/(\w+)(.*)$/;

/** Paths of all source files. */
export function sourceFiles(root: string): string[] {
  const inFolders = globSync('{apps,bench,packages,scripts,tests}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
  });
  return [...inFolders, ...globSync('*.ts', { cwd: root })].map((path) => path.replaceAll('\\', '/')).sort();
}

/** All imports of files of this project: those of Node, of other packages and of modules that the build makes are left out. */
export function importsOf(root: string, files: readonly string[]): Import[] {
  const known = new Map(files.map((file) => [file, true]));
  const isThere = (path: string) => {
    const isKnown = known.get(path) ?? existsSync(join(root, path));
    known.set(path, isKnown);
    return isKnown;
  };
  const pathOf = ownPackages(root);
  return files.flatMap((from) => {
    const text = readFileSync(join(root, from), 'utf8');
    return [...text.matchAll(IMPORT)].flatMap(({ index, 1: clause = '', 2: named, 3: bare, 4: inline }) => {
      const name = named ?? bare ?? inline ?? '';
      const to = name.startsWith('.')
        ? posix.join(posix.dirname(from), name.replace(/\?.*/, ''))
        : pathOf(name);
      if (to === null) return [];
      const line = text.slice(0, index).split('\n').length;
      return [{ from, line, to, isLost: !isThere(to), isType: TYPES_ALONE.test(clause) }];
    });
  });
}

/** @returns what gives the path that a name such as `@fairtick/ui/client` stands for by the package's `exports`, and null for others */
function ownPackages(root: string): (name: string) => string | null {
  const exportsOf = new Map<string, Record<string, string>>();
  return (name) => {
    const [, own, rest] = PACKAGE.exec(name) ?? [];
    if (own === undefined) return null;
    const folder = own === 'kit' ? 'tests/kit' : `packages/${own}`;
    if (!exportsOf.has(folder)) {
      const text = readFileSync(join(root, folder, 'package.json'), 'utf8');
      exportsOf.set(folder, (JSON.parse(text) as { exports: Record<string, string> }).exports);
    }
    const listed = exportsOf.get(folder) ?? {};
    return posix.join(folder, listed[`.${rest}`] ?? `.${rest}`);
  };
}
