import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Files that name a process by its number, which another process may have after a restart of the machine. */

/** The highest number that the files can hold. No system gives it to a process. */
const NO_PROCESS = 2_147_483_647;

export function runningPostmaster(cluster: string): number | null {
  const pid = readPid(join(cluster, 'postmaster.pid'));
  return pid !== null && isAlive(pid) && isPostmasterOf(pid, cluster) ? pid : null;
}

/** A server works in its cluster's folder. macOS has no `/proc`: there any living process counts. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (!existsSync('/proc')) return true;
  try {
    const [program = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (!basename(program).startsWith('postgres')) return false;
  } catch {
    return false;
  }
  try {
    const [its, ours] = [statSync(`/proc/${pid}/cwd`), statSync(cluster)];
    return its.dev === ours.dev && its.ino === ours.ino;
  } catch {
    // Its folder can't be read by this user: it may be this cluster's.
    return true;
  }
}

/** PostgreSQL refuses lock files that name a living process; the files stay, because they name memory still in use. */
export function releaseStaleLocks(cluster: string, socketDir: string): void {
  if (runningPostmaster(cluster) !== null) return;
  for (const file of [join(cluster, 'postmaster.pid'), join(socketDir, '.s.PGSQL.5432.lock')]) {
    const pid = readPid(file);
    if (pid === null || !hasNumber(pid)) continue;
    writeFileSync(file, readFileSync(file, 'latin1').replace(/^\d+/, String(NO_PROCESS)), 'latin1');
  }
}

export function writeOwner(file: string): void {
  writeFileSync(file, [process.pid, startOf(process.pid)].join(' '), { mode: 0o600 });
}

export function isOwnedByAnother(file: string): boolean {
  const pid = readPid(file);
  if (pid === null || pid === process.pid || !isAlive(pid)) return false;
  return readFileSync(file, 'latin1').split(' ')[1] === startOf(pid);
}

/** When a process started, in a form to compare; empty where the system has no `/proc`. */
function startOf(pid: number): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}/${statOf(pid)[19]}`;
  } catch {
    return '';
  }
}

function readPid(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'latin1'), 10);
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

/** A process that has ended and was not yet collected by its parent does not run. */
export function isAlive(pid: number): boolean {
  return hasNumber(pid) && !isZombie(pid);
}

function hasNumber(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isZombie(pid: number): boolean {
  try {
    return statOf(pid)[0] === 'Z';
  } catch {
    return false;
  }
}

/** What Linux tells of a process after its name, which may hold spaces and brackets: the state first, 20th the start in ticks. */
const statOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
