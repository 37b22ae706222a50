import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

export const SUMS = 'SHA256SUMS';
/** Names the purpose of a signature, so that it counts for nothing else. */
export const NAMESPACE = 'fairtick-release';
const TAR_BYTES = 1 << 30;

/** The folder without its packages as a tarball that is the same, byte by byte, for the same files. */
export function packFolder(folder: string, file: string, atSeconds: number): void {
  const options = ['--sort=name', `--mtime=@${atSeconds}`, '--owner=0', '--group=0', '--numeric-owner'];
  const rest = ['--mode=u=rwX,go=rX', '--format=gnu', '--exclude=node_modules'];
  const tar = execFileSync('tar', [...options, ...rest, '-c', '-C', dirname(folder), basename(folder)], {
    maxBuffer: TAR_BYTES,
  });
  writeFileSync(file, gzipSync(tar, { level: 9 }));
}

/** The packages of an installation as CycloneDX names them, with the number and time of the release instead of the run's. */
export function writeSbom(folder: string, file: string, atSeconds: number): void {
  const options = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'];
  const sbom = JSON.parse(
    execFileSync('npm', options, { cwd: folder, encoding: 'utf8', maxBuffer: TAR_BYTES }),
  );
  sbom.metadata.timestamp = new Date(atSeconds * 1_000).toISOString();
  sbom.metadata.component.name = 'fairtick';
  delete sbom.serialNumber;
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
}

/** Writes the sums of all files of a folder, and signs them where there is a key. */
export function writeSums(folder: string, keyFile: string | null): void {
  const file = join(folder, SUMS);
  for (const old of [file, `${file}.sig`]) rmSync(old, { force: true });
  const lines = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(file, lines.join(''));
  if (keyFile !== null)
    execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', keyFile, '-n', NAMESPACE, file], {
      stdio: ['inherit', 'ignore', 'inherit'],
    });
}
