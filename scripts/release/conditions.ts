import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectionOf } from './notes.ts';

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const MOST_FILES = 5;

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** What keeps a checkout from being released; none: it can be. */
export const faultsOf = (root: string): string[] => [
  ...unclean(root),
  ...differingVersions(root),
  ...(sectionOf(root, manifestOf(root).version) === null
    ? [`CHANGELOG.md has no section "## ${manifestOf(root).version}"`]
    : []),
];

function unclean(root: string): string[] {
  const told = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  const files = told.split('\n').filter(Boolean);
  if (files.length === 0) return [];
  const named = files.slice(0, MOST_FILES).map((line) => line.slice(3));
  return [`the tree is not clean: ${named.join(', ')}${files.length > MOST_FILES ? ' and others' : ''}`];
}

/** All workspaces have one version, and name each other by it. */
function differingVersions(root: string): string[] {
  const { version } = manifestOf(root);
  const folders = globSync('{apps,packages}/*/package.json', { cwd: root }).sort();
  return folders.flatMap((path) => {
    const own = manifestOf(join(root, path, '..'));
    const named = Object.entries(own.dependencies ?? {}).filter(([name]) => name.startsWith('@fairtick/'));
    return [['version', own.version] as const, ...named]
      .filter(([, value]) => value !== version)
      .map(([what, value]) => `${path} has ${what} ${value}, package.json ${version}`);
  });
}
