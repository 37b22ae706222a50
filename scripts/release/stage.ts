import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { noticeOf } from './licences.ts';

/** Commands of an installation; the others need files that are not in it. */
const SCRIPTS = ['start', 'build', 'fairtick', 'admin'];
const SHIPPED = [
  '{apps,packages,docs,ops}/**/*',
  'scripts/node',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  '.npmrc',
  'tsconfig.json',
];
const LEFT_OUT = /(^|\/)(node_modules|dist|test|\.cache)(\/|$)|\.test\.tsx?$|\.log$/;

/** Whether a file of the checkout is part of an installation. */
export const isShipped = (path: string): boolean => !LEFT_OUT.test(path);

/**
 * Makes a folder that holds what an installation needs: sources without tests, the lock file without packages that only the development
 * needs, the built apps, and all packages in `node_modules`.
 * @param folder a new one
 * @param commit of the checkout, which `/healthz` and `--version` name; empty: unknown
 */
export function stageRelease(root: string, folder: string, commit: string): void {
  if (existsSync(folder)) throw new Error(`${folder} exists: stage into a new folder`);
  for (const file of globSync(SHIPPED, { cwd: root, withFileTypes: true })) {
    const path = relative(root, join(file.parentPath, file.name));
    if (file.isFile() && isShipped(path)) copy(root, folder, path);
  }
  writeManifest(root, folder);
  copyFileSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
  if (commit !== '') writeFileSync(join(folder, 'COMMIT'), `${commit}\n`);
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  // All that is left is in the lock file already, so npm asks no registry.
  run('npm', 'install', '--package-lock-only', '--offline', '--ignore-scripts');
  run('npm', 'ci', '--omit=dev', '--prefer-offline');
  run('npm', 'run', 'build');
  writeFileSync(join(folder, 'NOTICE'), noticeOf(folder));
}

function copy(root: string, folder: string, path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  copyFileSync(join(root, path), join(folder, path));
}

function writeManifest(root: string, folder: string): void {
  const {
    devDependencies: _,
    scripts,
    ...manifest
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const staged = {
    ...manifest,
    workspaces: ['apps/*', 'packages/*'],
    scripts: Object.fromEntries(SCRIPTS.map((name) => [name, scripts[name]])),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(staged, null, 2)}\n`);
}
