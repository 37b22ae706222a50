import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { Counter, Gauge, type Registry } from 'prom-client';
import { COMMIT, VERSION } from './build.ts';

/** Where Linux tells the pressure on a resource: of this process's own unit, or of the whole machine. */
function pressureFiles(resource: string): readonly string[] {
  const unit = /^0::(\/.+)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1];
  const machine = `/proc/pressure/${resource}`;
  return unit === undefined ? [machine] : [`/sys/fs/cgroup${unit}/${resource}.pressure`, machine];
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function waitedSeconds(resource: string): number | null {
  for (const file of pressureFiles(resource)) {
    const micros = /^some .*total=(\d+)$/m.exec(read(file) ?? '')?.[1];
    if (micros !== undefined) return Number(micros) / 1e6;
  }
  return null;
}

/** Says which build runs. */
export function tellBuild(registry: Registry): void {
  const labels = { version: VERSION, commit: COMMIT ?? '' };
  new Gauge({
    name: 'fairtick_build_info',
    help: 'Version and commit of this process; the value is 1',
    labelNames: ['version', 'commit'],
    registers: [registry],
  }).set(labels, 1);
}

/** Adds a series that is read at each scrape. */
export const addGauge = (
  registry: Registry,
  { name, help }: { readonly name: string; readonly help: string },
  read: () => number | Promise<number>,
) =>
  new Gauge({
    name: `fairtick_${name}`,
    help,
    registers: [registry],
    async collect() {
      this.set(await read());
    },
  });

export function measureMachine(registry: Registry): void {
  addGauge(
    registry,
    { name: 'machine_load', help: 'Load of the machine over the last minute, per processor' },
    () => (loadavg()[0] as number) / availableParallelism(),
  );
  new Counter({
    name: 'fairtick_pressure_seconds_total',
    help: 'Time in which work of this process’s unit, or of its machine outside of a unit, waited for a resource',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      this.reset();
      for (const resource of ['cpu', 'io', 'memory']) {
        const seconds = waitedSeconds(resource);
        if (seconds !== null) this.inc({ resource }, seconds);
      }
    },
  });
}
