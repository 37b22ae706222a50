import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { licenceOf } from './release/licences.ts';

/**
 * `npm run pack-verifier -- [FOLDER]` packs the command `fairtick` (verify, monitor, logged, owed, replay) as a tarball for npm: one
 * file without the server's code and without dependencies, for Node 20 and later.
 */
const ROOT = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/proof/package.json'), 'utf8'));

/** @returns the tarball in the folder */
export async function packVerifier(folder: string): Promise<string> {
  const draft = mkdtempSync(join(tmpdir(), 'fairtick-pack-'));
  try {
    const modules = await bundle(join(draft, 'fairtick.mjs'));
    copyFileSync(join(ROOT, 'packages/proof/README.md'), join(draft, 'README.md'));
    copyFileSync(join(ROOT, 'LICENSE'), join(draft, 'LICENSE'));
    writeFileSync(join(draft, 'NOTICE'), noticesOf(modules));
    writeFileSync(
      join(draft, 'package.json'),
      JSON.stringify({
        name: 'fairtick',
        version,
        description: 'Verifies receipts of Fairtick, and monitors and witnesses its public logs',
        license: 'Apache-2.0',
        type: 'module',
        bin: { fairtick: 'fairtick.mjs' },
        engines: { node: '>=20' },
      }),
    );
    mkdirSync(folder, { recursive: true });
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: draft,
      encoding: 'utf8',
    });
    return join(folder, packed.trim());
  } finally {
    rmSync(draft, { recursive: true });
  }
}

/** @returns the files that the bundle is made of */
async function bundle(file: string): Promise<readonly string[]> {
  const build = await rolldown({ input: join(ROOT, 'packages/proof/bin/fairtick.ts'), platform: 'node' });
  const { output } = await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** The licences of the packages whose code is in the bundle. */
function noticesOf(modules: readonly string[]): string {
  const folders = new Set(
    modules.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  return [...folders]
    .sort()
    .map((folder) => {
      const licence = licenceOf(folder);
      if (licence === '') throw new Error(`${folder} has no licence to pass on`);
      return `${folder.replace(/^.*\/node_modules\//, '')}\n\n${licence}`;
    })
    .join('\n\n');
}

if (import.meta.main) console.log(await packVerifier(resolve(process.argv[2] ?? join(ROOT, 'release'))));
