import { readdirSync, readFileSync } from 'node:fs';

/** The median: one disturbed round does not move it. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Runs each contender once a round, in turn, so that disturbances of the machine affect them alike. */
export async function inTurn<T>(
  rounds: number,
  contenders: Readonly<Record<string, () => Promise<T>>>,
): Promise<Record<string, T[]>> {
  const results: Record<string, T[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(contenders)) {
      const before = results[name] ?? [];
      results[name] = [...before, await run()];
    }
  }
  return results;
}

/** A table in Markdown, as docs/PERFORMANCE.md holds it. */
export function printTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  console.log(line(cells[0] as string[]));
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const row of cells.slice(1)) console.log(line(row));
}

/** The unit of /proc times, ms: USER_HZ is 100 on every Linux. */
const TICK_MS = 10;

/** CPU time (ms) that a process has used so far, including its ended children. */
export function cpuMsOf(pid: number): number {
  const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ');
  return [11, 12, 13, 14].reduce((sum, place) => sum + Number(fields[place]) * TICK_MS, 0);
}

/** CPU time (ms) of a process and all of its descendants. One that ends meanwhile counts in its parent. */
export function familyCpuMs(root: number): number {
  return familyOf(root).reduce((sum, pid) => {
    try {
      return sum + cpuMsOf(pid);
    } catch {
      return sum;
    }
  }, 0);
}

/** A process and all of its descendants. */
export function familyOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!(pid > 0)) continue;
    try {
      parents.set(pid, Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]));
    } catch {
      // The process ended meanwhile.
    }
  }
  const family = [root];
  for (const member of family) {
    for (const [pid, parent] of parents) if (parent === member) family.push(pid);
  }
  return family;
}
