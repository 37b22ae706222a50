import { setTimeout as sleep } from 'node:timers/promises';
import { bindLogClock } from '@fairtick/kit/installation/clocks.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import {
  keysOf,
  openWriter,
  readMarks,
  readTexts,
  rootOfTexts,
  storyOf,
  takeLease,
} from '@fairtick/kit/installation/writers.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import { parseEntry } from '@fairtick/proof';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';
import { LEASE_MS } from '../../platform/db/lease.ts';
import { FeedRole } from '../../processes/feed-role.ts';
import { readLogHead } from '../log/log-head.ts';
import type { Product } from '../products.ts';
import { LogWriter } from './log-writer.ts';

describe('one writer at a time', () => {
  let house: House;
  let feed: ManualFeed;
  let eurusd: Product;
  const open = async () => {
    feed = new ManualFeed();
    house = await House.open(feed);
    eurusd = house.product('EUR/USD');
  };
  beforeEach(open);
  afterEach(() => house?.close());

  async function tickOf(price: string): Promise<void> {
    feed.price(eurusd, price, house.clock.targetMs + 250);
    await house.stepBy(250);
  }

  /** Checks that the log is one chain: every entry parses, numbers rise by one, and its root is the head's. */
  async function expectWholeLog(): Promise<void> {
    const texts = await readTexts(house);
    const head = await readLogHead(house.db.server);
    expect(head.root.toString('hex')).toBe(rootOfTexts(texts));
    const numbers = texts.flatMap((text) => {
      const entry = parseEntry(text);
      return entry?.kind === 'tick' || entry?.kind === 'gap' ? [entry] : [];
    });
    const ofEurusd = numbers.filter(({ symbol }) => symbol === 'EUR/USD').map(({ n }) => n);
    expect(ofEurusd).toEqual(ofEurusd.map((_, place) => place + 1));
  }

  test('a writer that lost the lease can’t append', async () => {
    await tickOf('1.1');
    const before = await readTexts(house);
    const later = new ManualFeed();
    later.receivesSinceMs = null;
    const second = await openWriter(house, later);
    feed.price(eurusd, '1.2', house.clock.targetMs + 250);
    await expect(house.stepBy(250)).rejects.toSatisfy((error) => failureOf(error) === 'LEASE_LOST');
    await second.step();
    const hash = before.find((text) => text.startsWith('tick|'))?.split('|')[6];
    expect((await readTexts(house)).slice(before.length)).toEqual([
      `gap|4|EUR/USD|2|${START_MS + 500}|restart|${hash}|`,
    ]);
    await expect(house.stepBy(250)).rejects.toSatisfy((error) => failureOf(error) === 'LEASE_LOST');
    await expectWholeLog();
  });

  test('the holder of the lease can’t set log time back', async () => {
    await tickOf('1.1');
    const head = await readLogHead(house.db.server);
    const writer = new LogWriter(house.db.server, head, {
      epoch: head.epoch,
      signer: keysOf(house).checkpoints,
    });
    const states = { before: new Map(), after: [] };
    const back = { timeMs: head.timeMs - 1, offsetMs: head.offsetMs };
    await expect(writer.append([], states, back)).rejects.toSatisfy(
      (error) => failureOf(error) === 'LOG_MOVED',
    );
    expect(await readLogHead(house.db.server)).toEqual({ ...head, nowMs: expect.any(Number) });
  });

  test('overlapping appends are written in order, and the ones after a failed append fail too', async () => {
    await tickOf('1.1');
    const head = await readLogHead(house.db.server);
    const writer = new LogWriter(house.db.server, head, {
      epoch: head.epoch,
      signer: keysOf(house).checkpoints,
    });
    const states = { before: new Map(), after: [] };
    const append = (name: string, timeMs = head.timeMs + 250) =>
      writer.append([{ kind: 'text', timeMs, text: `note|1|${timeMs}|${name}` }], states, {
        timeMs,
        offsetMs: head.offsetMs,
      });
    await Promise.all([append('a'), append('b'), append('c')]);
    const ends = await Promise.allSettled([append('d'), append('back', head.timeMs - 1), append('lost')]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    await Promise.all([append('e'), append('f')]);
    const texts = await readTexts(house);
    expect(texts.slice(-6).map((text) => text.split('|')[3])).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect((await readLogHead(house.db.server)).root.toString('hex')).toBe(rootOfTexts(texts));
    expect(writer.size).toBe(texts.length);
  });

  test('exactly one of eight concurrent attempts gets the lease', async () => {
    const { epoch, beat } = await readLogHead(house.db.server);
    const takes = Array.from({ length: 8 }, (_, place) =>
      house.db.server.query<{ epoch: string | null }>('select log_acquire($1, $2, $3) as epoch', [
        `writer ${place}`,
        epoch,
        beat,
      ]),
    );
    const epochs = (await Promise.all(takes)).map(({ rows }) => rows[0]?.epoch);
    expect(epochs.filter((each) => each !== null)).toEqual([String(epoch + 1)]);
  });

  test('an append that waits while the lease changes hands is refused', async () => {
    await tickOf('1.1');
    const owner = await house.db.owner.connect();
    await owner.query('begin');
    await owner.query('update log_head set epoch = epoch + 1, beat = beat + 1');
    feed.price(eurusd, '1.2', house.clock.targetMs + 250);
    // The handler is attached first, because the append fails as soon as the other one has committed.
    const refused = expect(house.stepBy(250)).rejects.toSatisfy((error) => failureOf(error) === 'LEASE_LOST');
    await untilWaiting(house);
    await owner.query('commit');
    owner.release();
    await refused;
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.10000']);
  });

  test("a writer that expects another log size can't append", async () => {
    await tickOf('1.1');
    const { size } = await readLogHead(house.db.server);
    await house.db.owner.query('update log_head set size = size + 1');
    feed.price(eurusd, '1.2', house.clock.targetMs + 250);
    await expect(house.stepBy(250)).rejects.toSatisfy((error) => failureOf(error) === 'LOG_MOVED');
    await house.db.owner.query('update log_head set size = $1', [size]);
    await house.stepBy(250);
    await expectWholeLog();
  });

  test('a writer does not start on a head that contradicts its own root', async () => {
    await tickOf('1.1');
    await house.db.owner.query(`update log_head set root = sha256('something else')`);
    await expect(openWriter(house, new ManualFeed())).rejects.toThrow('does not fit its own root');
  });

  test.each([
    ['a number twice', [2, 2, 4]],
    ['a number left out', [3]],
    ['a number that was used before', [1]],
    ['numbers in the wrong order', [3, 2]],
  ])('the database refuses %s', async (_what, numbers) => {
    await tickOf('1.1');
    const head = await readLogHead(house.db.server);
    const gaps = numbers.map(() => 'quorum');
    const append = house.db.server.query(
      `select log_append($1, $2, $3, $4, $5, 0, null, _kinds => $6, _times => $7, _products => $8, _ns => $9, _prices => $10, _rules => $10,
        _quotes => $11, _bodies => $12)`,
      [
        head.epoch,
        head.size,
        head.root,
        head.peaks,
        head.timeMs,
        numbers.map(() => 2),
        numbers.map(() => head.timeMs),
        numbers.map(() => eurusd.id),
        numbers,
        numbers.map(() => null),
        numbers.map(() => null),
        gaps,
      ],
    );
    expect(await append.then(() => 'appended', failureOf)).toBe('LOG_MOVED');
  });

  test('the holder of the lease can’t lead the database’s clock, not by an append nor by many', async () => {
    await bindLogClock(house.db);
    const { server } = house.db;
    const tryAppend = async (aheadMs: number, offsetMs: number) => {
      const head = await readLogHead(server);
      const writer = new LogWriter(server, head, { epoch: head.epoch, signer: keysOf(house).checkpoints });
      const timeMs = Math.max(head.timeMs, Date.now() + aheadMs);
      return writer
        .append([], { before: new Map(), after: [] }, { timeMs, offsetMs })
        .then(() => 'appended', failureOf);
    };
    const DAY_MS = 86_400_000;
    for (const [aheadMs, offsetMs] of [
      [Date.UTC(2100, 0, 1) - Date.now(), 0],
      [10_000, 0],
      [10_000, 10_000],
      [0, DAY_MS],
    ] as const)
      expect([aheadMs, offsetMs, await tryAppend(aheadMs, offsetMs)]).toEqual([
        aheadMs,
        offsetMs,
        'LOG_AHEAD',
      ]);
    expect(await tryAppend(0, 0)).toBe('appended');
    // Steps that are each within the tolerance do not add up.
    const ends = [];
    for (let leadMs = 2_500; leadMs <= 50_000; leadMs += 2_500) {
      ends.push(await tryAppend(leadMs, leadMs - 2_500));
      await tryAppend(0, -DAY_MS);
    }
    expect(new Set(ends.slice(3))).toEqual(new Set(['LOG_AHEAD']));
    expect((await readLogHead(server)).timeMs - Date.now()).toBeLessThan(6_000);
    await expectWholeLog();
  });

  const roleOf = (holder: string) => {
    const fresh = new ManualFeed();
    fresh.receivesSinceMs = null;
    return new FeedRole({
      pool: house.db.server,
      feed: fresh,
      products: house.products,
      signer: keysOf(house).checkpoints,
      holder,
      log: pino({ level: 'silent' }),
    });
  };

  /**
   * Writes for longer than a lease lasts.
   * @returns when the last tick began; null if the machine itself paused for a whole lease, after which a standby rightly takes over
   * @throws Error when a standby took over although there was no such pause
   */
  async function tickForLongerThanALease(): Promise<number | null> {
    const startedMs = performance.now();
    for (let lastMs = startedMs; ; ) {
      const tickMs = performance.now();
      try {
        await tickOf('1.1');
      } catch (error) {
        if (failureOf(error) === 'LEASE_LOST' && performance.now() - lastMs >= LEASE_MS) return null;
        throw error;
      }
      lastMs = tickMs;
      if (tickMs - startedMs >= LEASE_MS + 1_000) return lastMs;
      await sleep(50);
    }
  }

  test('a standby waits while the log is written, and takes over within seconds of silence', async () => {
    let role = roleOf('standby');
    role.start();
    let lastMs = await tickForLongerThanALease();
    while (lastMs === null) {
      await role.stop();
      await house.close();
      await open();
      role = roleOf('standby');
      role.start();
      lastMs = await tickForLongerThanALease();
    }
    const ticks = (await readMarks(house, 'EUR/USD')).filter(({ kind }) => kind === 'tick').length;
    await until(async () => (await readLogHead(house.db.server)).holder === 'standby');
    expect(performance.now() - lastMs).toBeGreaterThanOrEqual(LEASE_MS);
    await expect(house.stepBy(250)).rejects.toSatisfy((error) => failureOf(error) === 'LEASE_LOST');
    await until(async () => (await readMarks(house, 'EUR/USD')).length > ticks);
    expect((await storyOf(house, 'EUR/USD')).slice(ticks)).toEqual(['gap restart']);
    await role.stop();
    // The role released the lease: the next writer need not wait.
    expect((await readLogHead(house.db.server)).holder).toBeNull();
    await expectWholeLog();
  });

  test('a role that loses its lease stops writing and stands by for the next turn', async () => {
    const role = roleOf('first');
    await house.db.server.query('select log_release($1)', [(await readLogHead(house.db.server)).epoch]);
    role.start();
    await until(async () => (await readLogHead(house.db.server)).holder === 'first');
    await untilBeats(house, 'first');
    // takeLease reads the head and then acquires the lease. It fails if the first role writes in between, so it is retried.
    const takenMs = performance.now();
    const epoch = await seen(() => takeLease(house.db.server, 'second').catch(() => null));
    const taken = await readLogHead(house.db.server);
    // The log stands still until the lease has run out. A working first role would write four times a second.
    await until(async () => {
      const head = await readLogHead(house.db.server);
      if (head.holder === 'first') return true;
      expect(head).toMatchObject({ holder: 'second', epoch, beat: taken.beat });
      return false;
    });
    expect(performance.now() - takenMs).toBeGreaterThanOrEqual(LEASE_MS);
    await role.stop();
  });
});

/** Waits until a session waits for a lock. */
async function untilWaiting(house: House): Promise<void> {
  await until(async () => {
    const { rows } = await house.db.owner.query(
      'select 1 from pg_stat_activity where datname = current_database() and wait_event_type = $1',
      ['Lock'],
    );
    return rows.length > 0;
  });
}

async function untilBeats(house: House, holder: string): Promise<void> {
  const { beat } = await readLogHead(house.db.server);
  await until(async () => {
    const head = await readLogHead(house.db.server);
    return head.holder === holder && head.beat > beat + 1;
  });
}
