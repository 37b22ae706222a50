import { rmSync } from 'node:fs';
import { testFolder } from '../folder.ts';
import { type Environment, ServerProcess as Process } from '../processes/node-process.ts';
import { freePort } from '../processes/processes.ts';

/** A real server process on a port and a data folder of its own, for browsers. */
export interface ServerProcess {
  readonly origin: string;
  /** Origin of the office. */
  readonly officeOrigin: string;
  readonly port: number;
  readonly dataDir: string;
  /** Stops like Ctrl-C. */
  stop(): Promise<void>;
  /** Everything that the process printed. */
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
    // The caller has no handle to stop it with.
    await stop();
    throw error;
  }
  return {
    // By host name: browsers bind passkeys to names, not to addresses.
    origin: `http://localhost:${started.port}`,
    officeOrigin: `http://localhost:${officePort}`,
    port: started.port,
    dataDir,
    output: () => started.output(),
    stop,
  };
}

/** One server for all journeys. Limits per address are wide because every journey comes from this machine. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await startServerProcess({
    LIMIT_REGISTRATIONS: '10000',
    LIMIT_DAY_REGISTRATIONS: '10000',
    LIMIT_LOGINS: '10000',
    LIMIT_QUOTA_PERCENT: '1000000',
  });
  process.env.FAIRTICK_ORIGIN = server.origin;
  process.env.FAIRTICK_OFFICE = server.officeOrigin;
  process.env.FAIRTICK_DATA = server.dataDir;
  return () => server.stop();
}
