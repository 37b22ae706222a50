import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aboutHouse, keepHouse } from '@fairtick/kit/installation/kept-house.ts';
import { Journal } from '@fairtick/kit/judges/journal.ts';
import { LoadClient } from '@fairtick/kit/load/load-client.ts';
import { untilSettled } from '@fairtick/kit/load/trading.ts';
import { OfficeDay } from '@fairtick/kit/people/office-day.ts';
import { PayingHouse } from '@fairtick/kit/processes/paying-house.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import pg from 'pg';
import { FIRST_RELEASE, nameOfTables } from '../../apps/server/src/platform/db/schema-files.ts';

/** Kept houses of released versions, and until the first release one of the present tables. */
const FOLDER = 'tests/releases';
const CUSTOMERS = 4;
const TRADING_MS = 3_000;
const KEYS = ['signing.key', 'encryption.keys'];

const isReleased = (version: string): boolean => !version.startsWith('0.');
const fileOf = (root: string, version: string) => join(root, FOLDER, `${version}.sql.br`);

/** What a release lacks of its kept house; null: nothing. */
export function frozenFault(root: string, version: string): string | null {
  const file = fileOf(root, version);
  const wanted = 'run `npm run release -- freeze` and commit what it writes';
  if (!existsSync(file)) return `${FOLDER} has no house of ${version}: ${wanted}`;
  if (aboutHouse(readFileSync(file)).tables !== nameOfTables())
    return `the house of ${version} in ${FOLDER} has other tables than schema/: ${wanted}`;
  return isReleased(version) && !existsSync(FIRST_RELEASE)
    ? `the first tables have no name: ${wanted}`
    : null;
}

/** Makes a house of this version, lets a day of the office and some trading pass, and keeps it. @returns the file */
export async function freeze(root: string, version: string): Promise<string> {
  const installation = new Installation();
  const house = await PayingHouse.start(installation);
  try {
    const db = new pg.Pool({ ...installation.databaseAddress(), max: 1 });
    // The database is stopped at the end.
    db.on('error', () => {});
    const client = new LoadClient(
      house.server.origin,
      new Journal(join(installation.dataDir, 'journal.jsonl')),
    );
    await client.register(CUSTOMERS);
    // At once, because each second of the log makes the kept house larger.
    await Promise.all([passDay(house), tradeUntilSettled(client, db)]);
    await trade(client);
    // The log has their batches and their openings.
    await sleep(6_000);
    client.close();
    await db.end();
    const files = Object.fromEntries(
      KEYS.map((name) => [name, readFileSync(join(installation.dataDir, name)).toString('base64')]),
    );
    const kept = await keepHouse(installation.databaseAddress(), version, files);
    mkdirSync(join(root, FOLDER), { recursive: true });
    for (const old of readdirSync(join(root, FOLDER))) if (!isReleased(old)) rmSync(join(root, FOLDER, old));
    writeFileSync(fileOf(root, version), kept);
    if (isReleased(version) && !existsSync(FIRST_RELEASE))
      writeFileSync(FIRST_RELEASE, `${nameOfTables()}\n`);
    return fileOf(root, version);
  } finally {
    await installation.close();
    await house.stop();
  }
}

async function passDay(house: PayingHouse): Promise<void> {
  const day = await OfficeDay.open(house);
  await day.pass(house);
}

async function tradeUntilSettled(client: LoadClient, db: pg.Pool): Promise<void> {
  await trade(client);
  await untilSettled(db);
}

const trade = (client: LoadClient) => client.trade(['BTC/USDT'], AbortSignal.timeout(TRADING_MS), 1_000);
