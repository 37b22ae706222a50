import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { HouseStep } from '@fairtick/protocol/office';
import { ConfigError, readDatabaseUrl } from '../config/config.ts';
import { openLines } from '../market/feeds/live/open-lines.ts';
import { readSourcesFile } from '../market/feeds/live/sources-file.ts';
import { makeKeyFile as makeSigningKeys } from '../market/keys/signing-keys.ts';
import { readHouseSteps, type StepState } from '../office/dashboard/house-steps.ts';
import { lastBackup } from '../platform/backup/backup-folder.ts';
import { withClient } from '../platform/db/with-client.ts';
import { makeKeyFile as makeEncryptionKeys } from '../platform/sealing/key-file.ts';
import type { Command } from './command.ts';
import { withInstallation } from './installation.ts';
import { liveFaults, readWholeConfig } from './live-conditions.ts';

const STEPS: Readonly<Record<HouseStep, readonly [what: string, page: string]>> = {
  administrators: [
    'first administrators: npm run admin -- first-administrators ACCOUNT ACCOUNT, for two people',
    'docs/OFFICE.md#a-new-member-of-staff',
  ],
  staff: [
    'staff: somebody for each role that proposes, and another person for each that approves',
    'docs/OFFICE.md#roles',
  ],
  channels: [
    'channels: a way for deposits that is on',
    'docs/OFFICE.md#deposit-channels-and-withdrawal-limits',
  ],
  limits: [
    'limits: withdrawal limits and fees, set by two',
    'docs/OFFICE.md#deposit-channels-and-withdrawal-limits',
  ],
  rates: [
    'rates: a yearly interest of an asset, set by two (0 % is a rate)',
    'docs/OFFICE.md#interest-rates',
  ],
  rules: ['rules: payouts or price rules of a product, set by two', 'docs/OFFICE.md#payouts-and-price-rules'],
  sources: [
    'sources: a product with sources that may be published and may settle',
    'docs/LIVE_PRICES.md#rights',
  ],
  funds: [
    'funds of the house: capital in each asset that has a channel; without it each order is refused (EXPOSURE_LIMIT)',
    'docs/OFFICE.md#capital-of-the-house',
  ],
  alerts: ['alerts: METRICS_PORT, Prometheus and Alertmanager', 'docs/OPERATIONS.md#alerts'],
  backups: ['backups: one of the last 26 hours', 'docs/OPERATIONS.md#backup-and-restore'],
  witnesses: ['witnesses: one that has cosigned a checkpoint', 'docs/OPERATIONS.md#witnesses'],
};

export const NEW_HOUSE: Command = {
  name: 'new-house',
  options: { keys: { type: 'boolean' } },
  usage: '[--keys]',
  does: 'Names all that a new house lacks for MODE=live, makes its keys, and lists what is done and what is open',
  help: `--keys makes the files of SIGNING_KEY_FILE and ENCRYPTION_KEY_FILE where they are missing (mode 0600, for this user) and changes none that is there.
Exits with 1 while something is missing or open.`,
  failure: 'The new house was not checked',
  async run({ values }) {
    if (values.keys === true) makeKeys();
    const faults = settingFaults();
    for (const fault of faults) console.log(`missing  ${fault}`);
    for (const line of rights()) console.log(`         ${line}`);
    const steps = await readSteps();
    if (steps === null) console.log('There is no database yet. These steps begin after the first start:');
    const states = steps ?? Object.keys(STEPS).map((step) => ({ step: step as HouseStep, isDone: false }));
    for (const { step, isDone } of states) {
      const [what, page] = STEPS[step];
      console.log(`${isDone ? 'done' : 'open'}     ${what}\n         ${page}`);
    }
    return faults.length === 0 && states.every(({ isDone }) => isDone) ? 0 : 1;
  },
};

function settingFaults(): readonly string[] {
  const mode = process.env.MODE === 'live' ? [] : ['MODE=live is not set'];
  try {
    readWholeConfig({ ...process.env, MODE: 'live' });
    return mode;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...mode, ...error.faults];
  }
}

/** @throws Error where a setting is missing that decides their names or places */
function makeKeys(): void {
  const { SIGNING_KEY_FILE, ENCRYPTION_KEY_FILE, PUBLIC_ORIGIN } = process.env;
  const origin = URL.parse(PUBLIC_ORIGIN ?? '');
  if (!SIGNING_KEY_FILE || !ENCRYPTION_KEY_FILE || origin?.protocol !== 'https:')
    throw new Error(
      'set SIGNING_KEY_FILE, ENCRYPTION_KEY_FILE and PUBLIC_ORIGIN (https) first: the public log is named by the origin, and its keys by the log',
    );
  const files: [string, string, (file: string) => void][] = [
    [
      resolve(SIGNING_KEY_FILE),
      'without it the log can’t go on under its name; with it anybody signs in your name',
      (file) => makeSigningKeys(file, `${origin.host}/api/transparency`),
    ],
    [
      resolve(ENCRYPTION_KEY_FILE),
      'without it nobody reads personal data; keep its copy apart from the backups',
      makeEncryptionKeys,
    ],
  ];
  for (const [file, why, make] of files) {
    if (existsSync(file)) {
      console.log(`kept     ${file}`);
      continue;
    }
    make(file);
    console.log(`made     ${file}: ${why}`);
  }
  console.log('         Copy both to a medium without a network, in two places, before the first start.');
}

function rights(): readonly string[] {
  const path = process.env.SOURCES_FILE;
  if (!path) return [];
  try {
    return openLines(readSourcesFile(path), 'live');
  } catch {
    return [];
  }
}

/** Null where there is no database yet. What it has that MODE=live refuses is printed. */
async function readSteps(): Promise<StepState[] | null> {
  const { DATA_DIR, BACKUP_DIR, METRICS_PORT } = process.env;
  const isOwn = readDatabaseUrl('DATABASE_URL', process.env) !== null;
  const dataDir = resolve(DATA_DIR || './data');
  if (!isOwn && !existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) return null;
  return withInstallation(({ database }) =>
    withClient(database.admin, 'new-house', async (db) => {
      const { rows } = await db.query<{ is_new: boolean }>(
        `select to_regclass('four_eyes_rules') is null as is_new`,
      );
      if (rows[0]?.is_new) return null;
      for (const fault of await liveFaults(db)) console.log(`missing  ${fault}`);
      const backupDir = BACKUP_DIR ? resolve(BACKUP_DIR) : null;
      return readHouseSteps(db, {
        hasMetrics: Boolean(METRICS_PORT),
        lastBackupMs: lastBackup({ dataDir, backupDir }, isOwn),
      });
    }),
  );
}
