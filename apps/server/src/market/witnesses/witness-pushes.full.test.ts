import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { HttpWitness, keyOf, readNote, textOf } from '@fairtick/kit/installation/http-witness.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { keysOf } from '@fairtick/kit/installation/writers.ts';
import { keepTicking } from '@fairtick/kit/people/receipts.ts';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readWitnesses, type Witness } from '../../config/witness-setting.ts';
import { readLastCheckpoint } from '../log/log-head.ts';
import { type PushedWitness, type PushParts, WitnessPush } from './witness-pushes.ts';

let parts: PushParts;
let opened: HttpWitness[];
let said: { witness: string; err: { message: string } }[];
const still = forTest(() => StillHouse.open(), closeAudited);
beforeEach(async () => {
  opened = [];
  said = [];
  const serializers = { err: ({ message }: Error) => ({ message }) };
  const log = pino({ level: 'warn', serializers }, { write: (line: string) => said.push(JSON.parse(line)) });
  const { db, reader } = still.house;
  parts = { db: db.server, hashes: reader, address: db.serverAddress, log };
});
afterEach(async () => {
  for (const witness of opened) witness.close();
});

const goOn = (seconds: number) => keepTicking(still, seconds);

async function witnessOf(name: string): Promise<{ witness: HttpWitness; setting: PushedWitness }> {
  const witness = new HttpWitness(name, keysOf(still.house).verifierKeys.checkpoints);
  opened.push(witness);
  const [setting] = readWitnesses(await witness.open()) as Witness[];
  return { witness, setting: setting as PushedWitness };
}

async function stored(): Promise<{ witness: string; size: number }[]> {
  const { rows } = await still.house.db.server.query<{ witness: string; size: string }>(
    'select witness, size from log_cosignatures order by size, witness',
  );
  return rows.map(({ witness, size }) => ({ witness, size: Number(size) }));
}

const reasons = () => said.map(({ err }) => err.message);

/** Tells a process of a signed checkpoint, and waits until it has done what it does then. */
async function wake(push: WitnessPush): Promise<void> {
  push.wake();
  await push.idle();
}

/** Sends once as a new process, which has logged no failure in this minute yet, and ends it. */
async function pushOnce(setting: PushedWitness): Promise<void> {
  const push = new WitnessPush(parts, setting);
  await wake(push);
  await push.stop();
}

describe('a witness with an address', () => {
  test('gets the newest checkpoint once, with the proof from the one before', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    await goOn(3);
    const push = new WitnessPush(parts, setting);
    await wake(push);
    await wake(push);
    await goOn(3);
    await wake(push);
    await push.stop();
    const sizes = (await stored()).map(({ size }) => size);
    expect(sizes).toHaveLength(2);
    expect(witness.got).toEqual([
      { old: 'old 0', size: sizes[0] },
      { old: `old ${sizes[0]}`, size: sizes[1] },
    ]);
    expect(said).toEqual([]);
  });

  test('is sent each checkpoint as it is signed by a process with the API, which tells everybody when it cosigned last', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    const began = Date.now();
    const api = await startApi(still.house.db, { witnesses: [setting] });
    try {
      for (let second = 0; second < 5; second += 1) {
        await goOn(1);
        const newest = readNote((await readLastCheckpoint(still.house.db.server)) ?? '').size;
        await expect.poll(async () => (await stored()).at(-1)?.size, { timeout: 10_000 }).toBe(newest);
      }
      expect(witness.got.length).toBe((await stored()).length);
      const answer = await fetch(`${api.origin}/api/transparency/witnesses?lang=en`);
      const { data } = (await answer.json()) as { data: { witnesses: { size: number; at: number }[] } };
      expect(data.witnesses).toMatchObject([{ name: 'witness.example/a', size: witness.last.size }]);
      expect(Math.abs((data.witnesses[0]?.at ?? 0) - began)).toBeLessThan(60_000);
    } finally {
      await api.stop();
    }
  });

  test('gets one request at a time, from however many processes, and from another one when that one ends', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    await goOn(3);
    const pushes = [1, 2, 3, 4].map(() => new WitnessPush(parts, setting));
    await Promise.all(pushes.map(wake));
    expect(witness.got).toHaveLength(1);
    await goOn(1);
    await Promise.all(pushes.map(wake));
    expect(witness.got).toHaveLength(2);
    for (const push of pushes) {
      await push.stop();
      await goOn(1);
      await Promise.all(pushes.map(wake));
    }
    expect(witness.got).toHaveLength(5);
    expect(await stored()).toHaveLength(5);
    expect(said).toEqual([]);
  });

  test('goes on to get checkpoints after the connection that holds its lock was cut', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    await goOn(1);
    const push = new WitnessPush(parts, setting);
    await wake(push);
    await still.house.db.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'fairtick witness'`,
      [still.house.db.name],
    );
    await goOn(1);
    await expect.poll(async () => wake(push).then(stored), { timeout: 10_000 }).toHaveLength(2);
    await push.stop();
    expect(witness.got).toHaveLength(2);
  });

  test('that is slow gets fewer, and always the newest', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    const push = new WitnessPush(parts, setting);
    let answer = () => {};
    witness.spoil = (right, _note, response) => {
      answer = () => response.writeHead(right.status).end(right.body);
      return null;
    };
    await goOn(1);
    push.wake();
    await expect.poll(() => witness.got.length).toBe(1);
    for (let second = 0; second < 3; second += 1) {
      await goOn(1);
      push.wake();
    }
    answer();
    await expect.poll(() => witness.got.length).toBe(2);
    answer();
    await push.idle();
    await push.stop();
    const { size } = readNote((await readLastCheckpoint(still.house.db.server)) ?? '');
    expect(witness.got.map((each) => each.size)).toEqual([expect.any(Number), size]);
    expect((await stored()).map((each) => each.size)).toEqual(witness.got.map((each) => each.size));
  });

  test('that fails is left alone for a second, then for two', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    await goOn(1);
    witness.spoil = () => ({ status: 500 });
    const push = new WitnessPush(parts, setting);
    const began = performance.now();
    const failedMs: number[] = [];
    while (failedMs.length < 3) {
      const { length } = witness.got;
      await wake(push);
      if (witness.got.length > length) failedMs.push(performance.now() - began);
      await sleep(20);
    }
    const [first = 0, second = 0, third = 0] = failedMs;
    expect(second - first).toBeGreaterThan(950);
    expect(third - second).toBeGreaterThan(1_950);
    witness.spoil = (right) => right;
    await expect.poll(async () => wake(push).then(stored), { timeout: 10_000 }).toHaveLength(1);
    await push.stop();
    expect(reasons()).toEqual(['it answers 500']);
  }, 30_000);

  test('is not sent a checkpoint whose time is past', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    await goOn(3);
    // A heartbeat: the log's time goes on without entries, so without a checkpoint of another size.
    await still.house.db.owner.query('update log_head set time_ms = time_ms + 5000');
    await pushOnce(setting);
    expect(witness.got).toEqual([]);
    await still.house.db.owner.query('update log_head set time_ms = time_ms - 5000');
    await pushOnce(setting);
    expect(witness.got).toHaveLength(1);
    expect(said).toEqual([]);
  });

  test('that has cosigned a later checkpoint says so, and gets the proof from there', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    await goOn(2);
    await pushOnce(setting);
    const { size } = witness.last;
    await still.house.db.owner.query('delete from log_cosignatures');
    await goOn(2);
    await pushOnce(setting);
    expect(witness.got.map(({ old }) => old)).toEqual(['old 0', 'old 0', `old ${size}`]);
    // It cosigned this one as well, but the answer was lost: it cosigns it again.
    await still.house.db.owner.query('delete from log_cosignatures');
    await pushOnce(setting);
    expect(await stored()).toEqual([{ witness: 'witness.example/a', size: witness.last.size }]);
    expect(said).toEqual([]);
  });

  test('that saw another log, a larger one or none is named with what it says', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    await goOn(2);
    await pushOnce(setting);
    const { size } = witness.last;
    await goOn(2);
    witness.last = { size, root: randomBytes(32) };
    await pushOnce(setting);
    witness.last = { size: 1_000_000, root: randomBytes(32) };
    await pushOnce(setting);
    for (const status of [403, 404, 500]) {
      witness.spoil = () => ({ status });
      await pushOnce(setting);
    }
    witness.spoil = () => ({ status: 409, body: '0\n' });
    await pushOnce(setting);
    witness.spoil = () => ({ status: 409, type: 'text/x.tlog.size', body: '01\n' });
    await pushOnce(setting);
    expect(reasons()).toEqual([
      'it says that this log does not extend the one it saw',
      expect.stringMatching(/^it has cosigned 1000000 entries, more than the \d+ sent$/),
      'it does not trust the key of this log',
      'it does not know this log',
      'it answers 500',
      'it answers 409',
      'it answers 409 without a size',
    ]);
    expect(await stored()).toHaveLength(1);
  });

  test('that signs with another key, another text or another time gets nothing stored', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    await goOn(2);
    const stranger = keyOf('witness.example/a').signerKey;
    witness.spoil = (_right, note) => ({ status: 200, body: witness.cosign(textOf(note), stranger) });
    await pushOnce(setting);
    witness.spoil = (_right, note) => {
      const [origin, size, ...rest] = textOf(note).split('\n');
      return { status: 200, body: witness.cosign([origin, Number(size) + 1, ...rest].join('\n')) };
    };
    await pushOnce(setting);
    for (const offMs of [-6_000, 6_000]) {
      witness.offMs = offMs;
      witness.spoil = (_right, note) => ({ status: 200, body: witness.cosign(textOf(note)) });
      await pushOnce(setting);
    }
    const [lie, late] = [
      'its answer is no cosignature of the checkpoint',
      'the time of its cosignature is too far from the checkpoint’s',
    ];
    expect(reasons()).toEqual([lie, lie, late, late]);
    expect(await stored()).toEqual([]);
  });

  test('that answers 10 MB is not listened to the end', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    await goOn(2);
    let written = 0;
    let isCut = false;
    witness.spoil = (_right, _note, response) => {
      response.on('close', () => {
        isCut = true;
      });
      const chunk = 'x'.repeat(10_000);
      const write = () => {
        if (isCut || written >= 10_000_000) return response.end();
        written += chunk.length;
        return response.write(chunk) ? setImmediate(write) : response.once('drain', write);
      };
      write();
      return null;
    };
    await pushOnce(setting);
    expect(reasons()).toEqual(['its answer is too long']);
    await expect.poll(() => isCut).toBe(true);
    expect(written).toBeLessThan(10_000_000);
    expect(await stored()).toEqual([]);
  });

  test('that hangs is left after five seconds, delays no other witness, and is named once a minute', async () => {
    const mute = await witnessOf('witness.example/mute');
    const slow = await witnessOf('witness.example/slow');
    const sound = await witnessOf('witness.example/sound');
    mute.witness.spoil = () => null;
    slow.witness.spoil = (_right, _note, response) => {
      response.writeHead(200).write('— witness.example/slow ');
      return null;
    };
    await goOn(2);
    const pushes = [mute, slow, sound].map(({ setting }) => new WitnessPush(parts, setting));
    const began = performance.now();
    const turns = pushes.map(wake);
    await turns[2];
    expect(performance.now() - began).toBeLessThan(3_000);
    expect((await stored()).map(({ witness }) => witness)).toEqual(['witness.example/sound']);
    await Promise.all(turns);
    expect(performance.now() - began).toBeGreaterThan(4_500);
    expect(said.map(({ witness }) => witness).sort()).toEqual([
      'witness.example/mute',
      'witness.example/slow',
    ]);
    mute.witness.close();
    await sleep(1_100);
    await wake(pushes[0] as WitnessPush);
    expect(said).toHaveLength(2);
    for (const push of pushes) await push.stop();
  }, 30_000);

  test('that hangs does not delay the end of a process', async () => {
    const { witness, setting } = await witnessOf('witness.example/a');
    witness.spoil = () => null;
    await goOn(2);
    const push = new WitnessPush(parts, setting);
    push.wake();
    await expect.poll(() => witness.got.length).toBe(1);
    const began = performance.now();
    await push.stop();
    expect(performance.now() - began).toBeLessThan(3_000);
    await sleep(100);
    expect(said).toEqual([]);
  });
});
