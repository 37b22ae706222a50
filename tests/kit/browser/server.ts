import { rmSync } from 'node:fs';
import { testFolder } from '../folder.ts';
import { type Environment, ServerProcess as Process } from '../processes/node-process.ts';
import { freePort } from '../processes/processes.ts';

/** A real server process on a port and a data folder of its own, for browsers. */
export interface ServerProcess {
  readonly origin: string;
  /** Where staff reach the office. */
  readonly officeOrigin: string;
  readonly port: number;
  readonly dataDir: string;
  /** As Ctrl-C does. */
  stop(): Promise<void>;
  /** Everything that it printed. */
  output(): string;
}

export async function startServerProcess(environment: Environment = {}): Promise<ServerProcess> {
  const officePort = await freePort();
  const dataDir = testFolder('journey');
  const started = await Process.start({
    OFFICE_PORT: String(officePort),
    DATA_DIR: dataDir,
    ...environment,
  });
  const stop = async () => {
    await started.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await started.untilReady();
  } catch (error) {
    // Nobody else would stop it.
    await stop();
    throw error;
  }
  return {
    // By name: browsers keep passkeys for names, not for addresses.
    origin: `http://localhost:${started.port}`,
    officeOrigin: `http://localhost:${officePort}`,
    port: started.port,
    dataDir,
    output: () => started.output(),
    stop,
  };
}

/** One server for all journeys. Limits per address are wide: all of them come from this machine. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await startServerProcess({
    LIMIT_REGISTRATIONS: '10000',
    LIMIT_LOGINS: '10000',
    LIMIT_QUOTA_PERCENT: '1000000',
  });
  process.env.FAIRTICK_ORIGIN = server.origin;
  process.env.FAIRTICK_OFFICE = server.officeOrigin;
  process.env.FAIRTICK_DATA = server.dataDir;
  return () => server.stop();
}
