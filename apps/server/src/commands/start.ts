import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import { type RunningServer, startServer } from '../main.ts';
import { openLines } from '../market/feeds/live/open-lines.ts';
import { readSourcesFile } from '../market/feeds/live/sources-file.ts';
import { prepareStaff } from '../office/core/demo-staff.ts';
import { buildApp } from '../pages/app/build-app.ts';
import { BUILD } from '../platform/build.ts';
import { awaitDatabase } from '../platform/db/await-database.ts';
import { type DatabaseAddress, openDatabase } from '../platform/db/database.ts';
import { prepareBinaries } from '../platform/db/embedded-binaries.ts';
import { migrate, refuseOtherVersions } from '../platform/db/migrate.ts';
import { refuseMoved } from '../platform/db/moved.ts';
import { keepFolderPrivate } from '../platform/db/private-files.ts';
import { refuseFork } from '../platform/db/restored.ts';
import { giveServerLogin } from '../platform/db/server-login.ts';
import { tuningDifference } from '../platform/db/server-tuning.ts';
import { UnfitDatabaseError } from '../platform/db/unfit-database.ts';
import { createLog } from '../platform/logger.ts';
import { announcementOf, originsOf } from './announcement.ts';
import { refuseFewConnections } from './connections.ts';
import { readWholeConfig, refuseUnfitForLive } from './live-conditions.ts';
import { seed } from './seed.ts';

/** `npm start` */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
/** Exit code for a wrong setting or database, after which another start can't help; the units do not try again. */
const EXIT_UNFIT = 2;
const startedMs = performance.now();
const lines = process.env.NODE_ENV === 'production' ? createLog('info') : null;
const say = (text: string) => {
  if (lines) lines.info(text);
  else console.log(`  ${((performance.now() - startedMs) / 1000).toFixed(1).padStart(5)} s  ${text}`);
};

if (process.argv.includes('--version')) {
  console.log(`fairtick ${BUILD}`);
  process.exit(0);
}
try {
  await run();
} catch (error) {
  // Each message says what is wrong; the stack trace is printed only with LOG_LEVEL=debug.
  for (const reason of error instanceof ConfigError ? error.faults : [reasonOf(error)]) {
    const text = `Fairtick could not start: ${reason}`;
    if (lines) lines.fatal(text);
    else console.error(text);
  }
  const isUnfit = error instanceof ConfigError || error instanceof UnfitDatabaseError;
  if (!isUnfit && process.env.LOG_LEVEL === 'debug') console.error(error);
  process.exit(isUnfit ? EXIT_UNFIT : 1);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code !== 'EADDRINUSE') return message;
  return `another program listens at the port ${port}: end it, or set ${settingOf(port)} to a free one`;
}

function settingOf(port: number | undefined): string {
  const { metricsPort, office } = readConfig(process.env);
  if (port === metricsPort) return 'METRICS_PORT';
  return port === office?.port ? 'OFFICE_PORT' : 'PORT';
}

async function run(): Promise<void> {
  const config = readWholeConfig(process.env);
  refuseFork(config.dataDir);
  const isEmbedded = config.databaseUrl === null && config.databaseServerUrl === null;
  if (isEmbedded) refuseMoved(config.dataDir);
  // With an external database and keys elsewhere, a process may have no data folder.
  if (isEmbedded || existsSync(config.dataDir)) keepFolderPrivate(config.dataDir);
  // A missing library of PostgreSQL is reported before anything is built.
  if (isEmbedded) await prepareBinaries(config.dataDir);
  if (config.feed.kind === 'live')
    for (const line of openLines(readSourcesFile(config.feed.sourcesFile), config.mode)) say(line);
  const asked = askedToStop();
  // The app is built while the database starts.
  const building = config.roles.has('api') ? buildApp(ROOT, config.dataDir, say) : Promise.resolve(null);
  building.catch(() => {});
  const database = await openDatabase(config, say);
  let server: RunningServer | null;
  try {
    server = await start(config, database, building, asked);
  } catch (error) {
    await database.embedded?.stop();
    throw error;
  }
  if (!asked.aborted) await once(asked, 'abort');
  await stop(server, database, asked.reason);
}

/** @returns null when it was stopped, between two steps, before there was a server to stop */
async function start(
  config: Config,
  database: DatabaseAddress,
  building: Promise<string | null>,
  asked: AbortSignal,
): Promise<RunningServer | null> {
  if (database.embedded === null) await awaitDatabase(database.admin, say, asked);
  if (asked.aborted) return null;
  if (database.embedded === null) await refuseFewConnections(database.admin, config);
  // A process with only the server's own address leaves this to one with the owner's.
  if (config.databaseUrl !== null || config.databaseServerUrl === null) {
    await prepare(config, database, asked);
  } else {
    await refuseOtherVersions(database.server);
    if (config.mode === 'live') await refuseUnfitForLive(database.admin);
  }
  if (asked.aborted) return null;
  const appDist = await Promise.race([building, once(asked, 'abort').then(() => null)]);
  if (asked.aborted) return null;
  say('starting feed, engine and API');
  const server = await startServer(config, database, { appDist });
  if (config.roles.has('api')) await waitUntilReady(config.host, config.port, asked);
  if (asked.aborted) return server;
  say('ready');
  if (config.roles.has('api') && !lines) console.log(announcementOf(config, server.officeOrigin));
  return server;
}

async function prepare(config: Config, database: DatabaseAddress, asked: AbortSignal): Promise<void> {
  say('bringing the schema up to date');
  await migrate(database.admin, say);
  await giveServerLogin(database.admin, database.server);
  if (database.chain !== null && config.chains.length > 0)
    await giveServerLogin(database.admin, database.chain);
  const difference = database.embedded === null ? await tuningDifference(database.admin) : null;
  if (difference !== null) say(difference);
  if (asked.aborted) return;
  if (config.mode === 'live') await refuseUnfitForLive(database.admin);
  await seed(database.admin, config.mode, config);
  if (config.roles.has('api')) await prepareStaff(database.admin, config.mode, originsOf(config));
}

async function waitUntilReady(host: string, port: number, asked: AbortSignal): Promise<void> {
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`;
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline && !asked.aborted) {
    const answer = await fetch(address).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (!asked.aborted) say('still waiting for prices; the app is up');
}

/** From here on no signal ends the process directly, which would leave the database running. */
function askedToStop(): AbortSignal {
  const asked = new AbortController();
  // One Ctrl-C may arrive twice, from the terminal and from npm.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => asked.abort(signal));
  return asked.signal;
}

async function stop(
  server: RunningServer | null,
  database: DatabaseAddress,
  signal: NodeJS.Signals,
): Promise<void> {
  say('stopping');
  try {
    // After Ctrl-C (SIGINT) the server stops without draining.
    await server?.stop({ drain: signal === 'SIGTERM' });
    await database.embedded?.stop();
    process.exit(0);
  } catch (error) {
    if (lines) lines.fatal({ err: error }, 'Fairtick did not stop cleanly');
    else console.error('Fairtick did not stop cleanly:', error);
    process.exit(1);
  }
}
