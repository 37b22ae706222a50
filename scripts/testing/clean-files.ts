import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The linter's rules and its version; it also turns rules on by the packages that a `package.json` names. */
const DECIDING = ['biome.json', 'package-lock.json', '{.,apps/*,packages/*,tests/kit}/package.json'];
const PICTURES = /\.(png|jpe?g|webp|woff2?|gz)$/;

/** Remembers which files had no fault. The linter judges each file by itself, so a file with the same text has none again. */
export class CleanFiles {
  readonly #memory: string;
  /** Path and digest of each file; null without git, which says what is ours. */
  readonly #files: ReadonlyMap<string, string> | null;

  constructor(root: string, memory: string) {
    this.#memory = memory;
    this.#files = digests(root);
  }

  /** @returns null when it can't tell */
  notKnownClean(): string[] | null {
    if (this.#files === null) return null;
    const clean = this.#read();
    return [...this.#files].filter(([, digest]) => !clean.has(digest)).map(([path]) => path);
  }

  /** @param faults text that names each file with a fault */
  remember(faults: string): void {
    const clean = [...(this.#files ?? [])].filter(([path]) => !faults.includes(path));
    if (this.#files !== null) writeFileSync(this.#memory, JSON.stringify(clean.map(([, digest]) => digest)));
  }

  #read(): Set<unknown> {
    try {
      return new Set(JSON.parse(readFileSync(this.#memory, 'utf8')) as unknown[]);
    } catch {
      return new Set();
    }
  }
}

function digests(root: string): Map<string, string> | null {
  let paths: string[];
  try {
    const options = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    paths = execFileSync('git', options, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\0')
      .filter((path) => path !== '' && !PICTURES.test(path));
  } catch {
    return null;
  }
  const digest = (...parts: (string | Buffer)[]) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('base64');
  };
  const rules = digest(
    ...globSync(DECIDING, { cwd: root })
      .sort()
      .map((path) => readFileSync(join(root, path))),
  );
  const read = (path: string): [string, string][] => {
    try {
      return [[path, digest(rules, path, readFileSync(join(root, path)))]];
    } catch {
      return []; // git still lists a file that was removed.
    }
  };
  return new Map(paths.flatMap(read));
}
