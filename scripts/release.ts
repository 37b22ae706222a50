import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packVerifier } from './pack-verifier.ts';
import { faultsOf, manifestOf } from './release/conditions.ts';
import { packFolder, writeSbom, writeSums } from './release/files.ts';
import { notesOf, POLICY_PATH, SIGNERS_PATH, sectionOf } from './release/notes.ts';
import { stageRelease } from './release/stage.ts';

/**
 * `npm run release -- [--tested]` makes the files of a release in `release/` from a clean checkout (docs/RELEASES.md). `--tested` says that
 * `npm test` has passed on this commit; without it the tests run first. `RELEASE_KEY` names the SSH key that signs.
 *
 * `npm run release -- freeze` keeps a small house of this version in `tests/releases`, which later versions upgrade.
 *
 * `scripts/node scripts/release.ts --stage FOLDER --commit HASH` makes the folder of an installation alone, for `ops/Dockerfile`.
 */
const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'release');

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** With the test kit, which the making of an image does not have. */
const keeping = () => import('./release/freeze.ts');

async function release(keyFile: string | null, isTested: boolean): Promise<void> {
  const { version } = manifestOf(ROOT);
  const frozen = (await keeping()).frozenFault(ROOT, version);
  const faults = [...faultsOf(ROOT), ...(frozen === null ? [] : [frozen])];
  if (keyFile !== null && sectionOf(ROOT, version)?.title.includes('not released'))
    faults.push(`CHANGELOG.md calls ${version} not released: only a version with its date is signed`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  if (!isTested) execFileSync('npm', ['test'], { cwd: ROOT, stdio: 'inherit' });
  const commit = git('rev-parse', 'HEAD');
  const atSeconds = Number(git('log', '-1', '--format=%ct'));
  const draft = mkdtempSync(join(tmpdir(), 'fairtick-release-'));
  try {
    const name = `fairtick-${version}`;
    const staged = join(draft, name);
    const files = join(draft, 'files');
    mkdirSync(files);
    console.log('staging: packages and apps');
    stageRelease(ROOT, staged, commit);
    packFolder(staged, join(files, `${name}.tar.gz`), atSeconds);
    renameSync(await packVerifier(files), join(files, `fairtick-verifier-${version}.tgz`));
    writeSbom(staged, join(files, 'sbom.cdx.json'), atSeconds);
    copyFileSync(join(staged, 'NOTICE'), join(files, 'NOTICE'));
    writeFileSync(join(files, 'notes.md'), notesOf(ROOT, version, commit));
    for (const path of [POLICY_PATH, SIGNERS_PATH].filter((one) => existsSync(join(ROOT, one))))
      copyFileSync(join(ROOT, path), join(files, basename(path)));
    writeSums(files, keyFile);
    rmSync(OUT, { recursive: true, force: true });
    execFileSync('cp', ['-r', files, OUT]);
    console.log(`${name} of commit ${commit} is in ${OUT}${keyFile === null ? ', unsigned' : ', signed'}`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tested: { type: 'boolean' }, stage: { type: 'string' }, commit: { type: 'string' } },
});
try {
  if (values.stage !== undefined) stageRelease(ROOT, resolve(values.stage), values.commit ?? '');
  else if (positionals[0] === 'freeze')
    console.log(await (await keeping()).freeze(ROOT, manifestOf(ROOT).version));
  else await release(process.env.RELEASE_KEY || null, values.tested === true);
} catch (error) {
  console.error(`Nothing is released:\n${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
