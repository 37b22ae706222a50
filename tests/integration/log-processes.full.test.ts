/** The commands that outsiders run on a log, as processes against a running server: their output and exit codes. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { signingKeyFile } from '@fairtick/kit/folder.ts';
import { type RunningApi, startApi } from '@fairtick/kit/installation/running-api.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { keysOf } from '@fairtick/kit/installation/writers.ts';
import {
  keepTicking,
  type SettledOrder,
  settledOrderOf,
  settledReceipt,
} from '@fairtick/kit/people/receipts.ts';
import {
  Frontier,
  followKey,
  httpSource,
  leafHash,
  openNote,
  type RangedVerifier,
  rangedVerifier,
  type TrustedKeys,
  toBase64,
  toHex,
  verifyReceipt,
  witnessVerifier,
} from '@fairtick/proof';
import { GRID_MS } from '@fairtick/trading';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readWitnesses, type Witness } from '../../apps/server/src/config/witness-setting.ts';
import { readLogHead } from '../../apps/server/src/market/log/log-head.ts';
import { PublicHeads } from '../../apps/server/src/money/treasury/public-heads.ts';
import { DailyLiabilities } from '../../apps/server/src/transparency/liabilities/daily-liabilities.ts';
import { readOwed } from '../../apps/server/src/transparency/liabilities/owed-answers.ts';

// Each run starts processes, which is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const ROOT = join(import.meta.dirname, '../..');

let folder: string;
let api: RunningApi;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairtick-log-processes-'));
});
// Before this machine's time, with which monitors compare the log's: an order can settle meanwhile.
const still = forTest(() => StillHouse.open({}, Math.floor(Date.now() / 1_000) * 1_000 - 100_000));
beforeEach(async () => {
  await still.stepBy(750);
  api = await startApi(still.house.db);
});
afterEach(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

interface Ended {
  readonly code: number;
  readonly said: string;
}

const SCRIPTS = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts as Record<
  string,
  string
>;

/** Runs `npm run NAME -- …` directly, without npm's own second of startup. */
function npmRun(name: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const [, , ...command] = (SCRIPTS[name] as string).split(' ');
  const options = { cwd: ROOT, env: { ...process.env, FAIRTICK_KEYS: join(folder, 'pinned'), ...env } };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...command, ...args], options, (error, stdout, stderr) => {
      const code = error ? error.code : 0;
      if (typeof code === 'number') resolve({ code, said: `${stdout}${stderr}` });
      else reject(error);
    });
  });
}

const state = () => join(folder, 'state.json');
/** Runs a monitor on the log as it stands still. */
const monitorStill = (...args: string[]): Promise<Ended> =>
  npmRun('fairtick', ['monitor', api.origin, '--once', '--state', state(), ...args]);

/** Runs a monitor while the log goes on with this machine's clock. */
async function monitor(...args: string[]): Promise<Ended> {
  await still.leapTo(Date.now() - 1_000);
  let isEnded = false;
  const ended = monitorStill(...args).finally(() => {
    isEnded = true;
  });
  await goOnWhile(() => !isEnded);
  return ended;
}

/** Lets the log go on with this machine's clock. */
async function goOnWhile(isWanted: () => boolean): Promise<void> {
  while (isWanted()) {
    const timeMs = Math.floor(Date.now() / GRID_MS) * GRID_MS;
    still.quote('GBP/USD', `1.27${100 + ((timeMs / GRID_MS) % 800)}`, timeMs - 1);
    if (timeMs > still.nowMs) await still.stepTo(timeMs);
    await sleep(50);
  }
}

const goOn = (seconds: number) => keepTicking(still, seconds);
const settledOrder = () => settledOrderOf(still);
const receipt = (order: SettledOrder) => settledReceipt(still, order);

describe('npm run fairtick -- monitor', () => {
  test('exits with 0 for a correct log and continues from its state, and with 3 without an answer', async () => {
    await goOn(3);
    const first = await monitor();
    expect(first).toMatchObject({
      code: 0,
      said: expect.stringMatching(/taken for those of .*\n.*\n.*\n\d+ entries are right/),
    });
    await goOn(2);
    const second = await monitor();
    expect(second).toMatchObject({
      code: 0,
      said: expect.stringMatching(/entries are right, \d+ of them new/),
    });
    const { rows } = await still.house.db.server.query(
      'select size from log_checkpoints order by size desc limit 10',
    );
    const { size } = JSON.parse(readFileSync(state(), 'utf8'));
    expect(rows.map((row) => Number(row.size))).toContain(size);
    await api.stop();
    expect(await monitorStill()).toMatchObject({
      code: 3,
      said: expect.stringContaining('no sign of fraud'),
    });
    expect(await npmRun('fairtick', ['monitor'])).toMatchObject({ code: 2 });
  });

  test('exits with 1 and saves the evidence when a tick differs from the signed one', async () => {
    await goOn(3);
    const { owner } = still.house.db;
    await owner.query(
      `update log_entries set price = price + 1 where index = (select max(index) - 2 from log_entries where kind = log_kind('tick'))`,
    );
    const { code, said } = await monitorStill();
    expect([code, said]).toEqual([1, expect.stringContaining('not those that were signed')]);
    const evidence = JSON.parse(readFileSync(`${state()}.fault.json`, 'utf8'));
    expect(evidence).toMatchObject({ fault: expect.any(String), now: expect.stringContaining('— ') });
  });

  test('exits with 1 for a log other than the followed one, and for a key other than the log’s', async () => {
    await goOn(3);
    expect((await monitor()).code).toBe(0);
    // Reads what was logged meanwhile.
    await monitorStill();
    const known = JSON.parse(readFileSync(state(), 'utf8'));
    // As if this device had seen a different log of this size.
    const other = new Frontier();
    for (let at = 0; at < known.size; at += 1) other.append(leafHash(`entry ${at} of another log`));
    const seen = { root: toHex(other.root()), frontier: toBase64(other.toBytes()) };
    writeFileSync(state(), JSON.stringify({ ...known, ...seen }));
    expect(await monitorStill()).toMatchObject({ code: 1, said: expect.stringContaining('two logs of') });
    await goOn(1);
    expect(await monitorStill()).toMatchObject({
      code: 1,
      said: expect.stringContaining('is not the beginning of'),
    });
    rmSync(state());
    const { checkpoints } = keysOf(still.house).verifierKeys;
    const strange = checkpoints.replace(
      /\+[0-9a-f]{8}\+.*$/,
      '+dd1ba9d9+AYqIHRh0wKrFVvKZJ6lvEdAYQpKX0iZXmCMPPZV9Z2kI',
    );
    expect((await monitor('--key', strange)).code).toBe(1);
    rmSync(state(), { force: true });
    expect((await monitor('--key', checkpoints)).code).toBe(0);
  });

  test('creates the key of a witness and cosigns a correct log', async () => {
    const file = join(folder, 'witness.key');
    const made = await npmRun('fairtick', ['witness-key', 'witness.example/a', file]);
    expect(made.code).toBe(0);
    const key = made.said.trim();
    await api.stop();
    api = await startApi(still.house.db, { witnesses: readWitnesses(key) as Witness[] });
    expect(await monitor('--witness', file)).toMatchObject({
      code: 0,
      said: expect.stringContaining('as witness.example/a'),
    });
    const answer = await fetch(`${api.origin}/api/transparency/witnesses?lang=en`);
    const { data } = (await answer.json()) as { data: { witnessed: string } };
    const verifier = witnessVerifier(key) as RangedVerifier;
    expect(openNote(data.witnessed, [verifier])?.verified).toHaveLength(1);
  });

  test('cosigns about each second’s checkpoint as long as it runs', async () => {
    const file = join(folder, 'witness.key');
    const key = (await npmRun('fairtick', ['witness-key', 'witness.example/a', file])).said.trim();
    await api.stop();
    api = await startApi(still.house.db, { witnesses: readWitnesses(key) as Witness[] });
    expect((await monitor('--witness', file)).code).toBe(0);
    const { server } = still.house.db;
    const [, , ...command] = (SCRIPTS.fairtick as string).split(' ');
    const options = ['monitor', api.origin, '--state', state(), '--witness', file];
    const witness = spawn(process.execPath, [...command, ...options], { cwd: ROOT, stdio: 'ignore' });
    const ended = once(witness, 'exit');
    try {
      const untilMs = Date.now() + 15_000;
      await goOnWhile(() => Date.now() < untilMs);
    } finally {
      witness.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
    const { rows } = await server.query<{ signed: string; cosigned: string }>(
      `select count(*) as signed, count(s.size) as cosigned from log_checkpoints c left join log_cosignatures s using (size)
       where c.time_ms > (select max(time_ms) from log_checkpoints) - 10000`,
    );
    expect(Number(rows[0]?.signed)).toBeGreaterThan(8);
    expect(Number(rows[0]?.cosigned)).toBeGreaterThan(6);
  });
});

describe('npm run admin -- rotate-signing-key', () => {
  const rotate = (): Promise<Ended> => {
    const { host, database, user } = still.house.db.ownerAddress;
    return npmRun('admin', ['rotate-signing-key', '--yes'], {
      DATABASE_URL: `postgresql:///${database}?host=${encodeURIComponent(String(host))}&user=${user}`,
      SIGNING_KEY_FILE: signingKeyFile(still.house.db),
    });
  };

  test('changes nothing while a process writes the log', async () => {
    const { owner, name } = still.house.db;
    // A simulated writer whose beat changes at each read, on a slow machine too.
    await owner.query('create schema living');
    const { rows } = await owner.query<{ columns: string }>(
      `select string_agg(column_name, ', ') as columns from information_schema.columns
       where table_name = 'log_head' and table_schema = 'public' and column_name not in ('beat', 'holder')`,
    );
    await owner.query(
      `create view living.log_head as select ${rows[0]?.columns}, 'a writer' as holder,
         (extract(epoch from clock_timestamp()) * 1000000)::bigint as beat from public.log_head`,
    );
    await owner.query(`alter database ${name} set search_path = living, public`);
    const before = await readLogHead(owner);
    const keys = keysOf(still.house).verifierKeys;
    expect(await rotate()).toMatchObject({
      code: 2,
      said: expect.stringContaining('stop every process of the installation'),
    });
    expect(keysOf(still.house).verifierKeys).toEqual(keys);
    expect((await readLogHead(owner)).size).toBe(before.size);
  });

  test('hands over in the log; verifiers follow by themselves, and each key is valid for its range only', async () => {
    const early = await settledOrder();
    const kept = await receipt(early);
    const file = join(folder, 'early.json');
    writeFileSync(file, JSON.stringify(kept));
    const first = keysOf(still.house).verifierKeys;
    expect((await npmRun('fairtick', ['pin', first.checkpoints, first.acceptances])).code).toBe(0);
    expect((await monitor()).code).toBe(0);

    await api.stop();
    const head = await readLogHead(still.house.db.owner);
    const rotated = await rotate();
    expect(rotated).toMatchObject({ code: 0, said: expect.stringContaining('The log has new keys') });
    const now = keysOf(still.house).verifierKeys;
    expect(now.checkpoints).not.toBe(first.checkpoints);
    expect(rotated.said).toContain(now.acceptances);
    expect(existsSync(`${signingKeyFile(still.house.db)}.until-${head.size + 1}`)).toBe(true);
    api = await startApi(still.house.db);

    await still.restart(Math.floor(Date.now() / GRID_MS) * GRID_MS);
    // A running monitor follows the log; a new one starts with any key that was ever valid.
    expect(await monitor()).toMatchObject({ code: 0, said: expect.stringMatching(/ [1-9]\d* of them new/) });
    for (const key of [first.checkpoints, now.checkpoints]) {
      for (const more of [[], ['--from-now']]) {
        rmSync(state());
        expect([key, more, (await monitor('--key', key, ...more)).code]).toEqual([key, more, 0]);
      }
    }

    // Receipts, verified with the first keys pinned: the one from before, and one of the same order with a checkpoint by the new
    // key.
    const again = await receipt(early);
    expect(again.entries.filter(({ role }) => role === 'key')).toHaveLength(2);
    const later = join(folder, 'later.json');
    writeFileSync(later, JSON.stringify(again));
    expect((await npmRun('fairtick', ['verify', file])).code).toBe(0);
    expect(readFileSync(join(folder, 'pinned'), 'utf8')).not.toMatch(/ \d/);
    const verified = await npmRun('fairtick', ['verify', later]);
    expect(verified).toMatchObject({ code: 0, said: expect.stringContaining('2 hand-overs in it') });
    // From here on the file stores the range in which each key is valid.
    const { size } = head;
    expect(readFileSync(join(folder, 'pinned'), 'utf8').trim().split('\n').sort()).toEqual(
      [
        `${first.acceptances} 0-${size}`,
        `${first.checkpoints} 0-${size + 1}`,
        `${now.acceptances} ${size + 1}-`,
        `${now.checkpoints} ${size + 2}-`,
      ].sort(),
    );
    for (const each of [file, later]) expect((await npmRun('fairtick', ['verify', each])).code).toBe(0);
    const given = ['--key', now.checkpoints, '--key', now.acceptances];
    // With only the new keys trusted, an acceptance signed by the old key can't be verified.
    expect((await npmRun('fairtick', ['verify', later, ...given])).code).toBe(1);

    // Without a receipt, the server is asked and must prove the hand-over.
    rmSync(join(folder, 'pinned'));
    expect((await npmRun('fairtick', ['pin', first.checkpoints, first.acceptances])).code).toBe(0);
    const pinned = await npmRun('fairtick', ['pin', '--url', api.origin]);
    expect(pinned).toMatchObject({ code: 0, said: expect.stringContaining('handed over to new keys') });
    expect(readFileSync(join(folder, 'pinned'), 'utf8')).toContain(`${now.checkpoints} ${size + 2}-`);
    expect((await npmRun('fairtick', ['pin', '--url', api.origin])).said).not.toContain('handed over');

    const ranges = await rangesTold();
    expect(ranges.checkpoints).toEqual([
      { key: first.checkpoints, from: 0, until: size + 1 },
      { key: now.checkpoints, from: size + 2, until: null },
    ]);
    expect(ranges.acceptances).toEqual(
      followKey({ key: first.acceptances, from: 0 }, (await httpSource(api.origin).keys()).rotations),
    );
    expect(verifyReceipt(again, { keys: trusted(ranges) }).isValid).toBe(true);
  });

  test('leaves owed amounts provable to a verifier that trusts the first key', async () => {
    const [customer] = (await still.customers(1)) as [string];
    await still.tick('EUR/USD', '1.08400');
    const first = keysOf(still.house).verifierKeys;
    expect((await rotate()).code).toBe(0);
    await still.restart(still.nowMs + 1_000);
    // Amounts are those of a logged head of the ledger.
    await new PublicHeads(still.house.db.serverAddress, pino({ level: 'silent' })).run();
    for (let step = 0; step < 2; step += 1) await still.stepBy(1_000);
    await new DailyLiabilities(still.house.db.serverAddress, pino({ level: 'silent' })).run();
    for (let step = 0; step < 4; step += 1) await still.stepBy(1_000);
    const { db, assets, reader } = still.house;
    const owed = await readOwed({ db: db.server, assets, reader }, customer);
    const file = join(folder, 'owed.json');
    writeFileSync(file, JSON.stringify({ code: 1, msg: '', data: owed }));
    const check = (keys: typeof first) =>
      npmRun('fairtick', [
        'owed',
        file,
        '--customer',
        customer,
        '--asset',
        'DEMO',
        '--key',
        keys.checkpoints,
        '--key',
        keys.acceptances,
      ]);
    for (const keys of [first, keysOf(still.house).verifierKeys])
      expect(await check(keys)).toMatchObject({
        code: 0,
        said: expect.stringContaining('DEMO: 10000000000 of'),
      });
  });
});

type Ranges = Record<'checkpoints' | 'acceptances', { key: string; from: number; until: number | null }[]>;

async function rangesTold(): Promise<Ranges> {
  const answer = await fetch(`${api.origin}/api/transparency/key?lang=en`);
  return ((await answer.json()) as { data: { ranges: Ranges } }).data.ranges;
}

function trusted({ checkpoints, acceptances }: Ranges): TrustedKeys {
  const verifiers = (keys: Ranges['checkpoints']) => keys.map((key) => rangedVerifier(key) as RangedVerifier);
  return { log: verifiers(checkpoints), acceptances: verifiers(acceptances), witnesses: [] };
}
