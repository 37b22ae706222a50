import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openWriter, readTexts, rootOfTexts } from '@fairtick/kit/installation/writers.ts';
import { type FixEntry, parseEntry } from '@fairtick/proof';
import { MOST_FIX_WAIT_MS } from '@fairtick/trading';
import { beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';
import { readLogHead } from '../log/log-head.ts';
import type { Product } from '../products.ts';

/** An order of the first second opens here, and settles a minute later. */
const OPENS_MS = START_MS + 3_000;
const SETTLES_MS = OPENS_MS + 60_000;
const WAIT_MS = 1_500;

describe('fixes of orders in the log', () => {
  let eurusd: Product;
  const feed = forTest(() => new ManualFeed({ quietMs: 60_000, waitMs: WAIT_MS }));
  const house = forTest(() => House.open(feed));
  beforeEach(async () => {
    eurusd = house.product('EUR/USD');
    feed.price(eurusd, '1.08400', START_MS + 250);
    await house.stepBy(250);
  });

  async function buy(minutes = 1): Promise<void> {
    const request = house.request(await house.customer(), { symbol: 'EUR/USD', amount: '10', minutes });
    const [answer] = await house.place([request]);
    expect(answer?.kind).toBe('accepted');
    await house.stepTo(START_MS + 1_000);
  }

  /** The price rises by one unit a second, from 1.08400 at the start. */
  function quoteUntil(untilMs: number, of = feed): void {
    for (let second = 1; START_MS + second * 1_000 < untilMs; second += 1)
      of.price(eurusd, `1.08${400 + second}`, START_MS + second * 1_000 - 10);
  }

  const fixes = async (): Promise<FixEntry[]> =>
    (await readTexts(house)).flatMap((text) => {
      const entry = parseEntry(text);
      if (/^(fix|close)/.test(text)) expect(entry, text).not.toBeNull();
      return entry?.kind === 'fix' || entry?.kind === 'close' ? [entry] : [];
    });
  /** Each entry's kind, number, time, price and uses. */
  const shown = async () =>
    (await fixes()).map(
      ({ kind, n, fixMs, price, records }) =>
        `${kind} ${n} ${fixMs - START_MS} ${price} ${records.map(({ use }) => use).join()}`,
    );
  const due = async (): Promise<number[]> =>
    (await house.db.owner.query<{ ms: string }>('select fix_ms as ms from fixes_due order by 1')).rows.map(
      ({ ms }) => Number(ms) - START_MS,
    );
  const BOTH = ['fix 1 3000 108403 use,use,use', 'fix 2 63000 108463 use,use,use'];

  test('are of the opening and the settlement time of an order, and of no other', async () => {
    await buy();
    expect(await due()).toEqual([3_000, 63_000]);
    quoteUntil(SETTLES_MS + 5_000);
    await house.stepTo(OPENS_MS - 250);
    expect(await shown()).toEqual([]);
    await house.stepTo(OPENS_MS);
    expect(await shown()).toEqual([BOTH[0]]);
    const [opening] = await fixes();
    expect(opening).toMatchObject({ timeMs: OPENS_MS, decimals: 5 });
    expect(opening?.records[0]).toEqual({
      source: 'a',
      last: { number: BigInt(OPENS_MS - 10), timeMs: OPENS_MS - 10, price: 108_403n },
      use: 'use',
      closing: { by: 'said' },
    });
    await house.runTo(SETTLES_MS + 2_000);
    expect(await shown()).toEqual(BOTH);
    expect(await due()).toEqual([]);
    const { rows } = await house.db.owner.query(
      'select n::int, fix_ms::float8, price::int, is_thin, is_open, close_index from logged_fixes order by n',
    );
    const flags = { is_thin: false, is_open: false, close_index: null };
    expect(rows).toEqual([
      { n: 1, fix_ms: OPENS_MS, price: 108_403, ...flags },
      { n: 2, fix_ms: SETTLES_MS, price: 108_463, ...flags },
    ]);
  });

  test('are what they would have been after a pause and a killed writer, each written once', async () => {
    await buy();
    quoteUntil(SETTLES_MS + 100_000);
    // Nobody writes from before the opening until after the settlement. Then one process takes over, and another from it.
    house.clock.stepTo(SETTLES_MS + 80_000);
    const reborn = new ManualFeed({ quietMs: 60_000, waitMs: WAIT_MS });
    quoteUntil(SETTLES_MS + 100_000, reborn);
    reborn.receivesSinceMs = SETTLES_MS + 79_000;
    const second = await openWriter(house, reborn);
    await second.step();
    expect(await shown()).toEqual(BOTH);
    const third = await openWriter(house, reborn);
    house.clock.stepTo(SETTLES_MS + 80_250);
    await expect(second.step()).rejects.toSatisfy((error) => failureOf(error) === 'LEASE_LOST');
    await third.step();
    house.clock.stepTo(SETTLES_MS + 81_000);
    await third.step();
    expect(await shown()).toEqual(BOTH);
  });

  test('of many orders are all written after a pause, in the order of their times', async () => {
    const customer = await house.customer();
    for (let second = 0; second < 30; second += 1) {
      feed.price(eurusd, '1.08400', house.clock.targetMs);
      const [answer] = await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10' })]);
      expect(answer?.kind).toBe('accepted');
      await house.stepBy(1_000);
    }
    quoteUntil(START_MS + 200_000);
    await house.stepTo(START_MS + 150_000);
    for (let step = 1; step < 12; step += 1) await house.stepBy(250);
    const times = (await fixes()).map(({ fixMs }) => fixMs);
    expect(times).toEqual([...new Set(times)].sort());
    expect(times).toHaveLength(60);
    expect((await fixes()).map(({ n }) => n)).toEqual(times.map((_, at) => at + 1));
    expect(await due()).toEqual([]);
  });

  test('wait for their records and hold back later ones, and never rest on an open one', async () => {
    quoteUntil(SETTLES_MS + 5_000);
    feed.open.add('b');
    await buy();
    await house.stepTo(OPENS_MS + WAIT_MS - 250);
    expect(await shown()).toEqual([]);
    await house.stepTo(OPENS_MS + WAIT_MS);
    expect(await shown()).toEqual([BOTH[0]]);
    // The quorum of two would rest on an open record.
    feed.open.add('c');
    await house.stepTo(SETTLES_MS + 10_000);
    expect(await shown()).toEqual([BOTH[0]]);
    feed.open.delete('b');
    await house.stepBy(250);
    expect((await shown()).slice(0, 2)).toEqual(BOTH);
    expect((await fixes())[1]?.timeMs).toBe(SETTLES_MS + 10_250);
  });

  test('with an open record are stated again once it is known to the end', async () => {
    quoteUntil(SETTLES_MS + 5_000);
    feed.open.add('c');
    await buy();
    await house.stepTo(OPENS_MS + WAIT_MS);
    await house.stepTo(OPENS_MS + 10_000);
    expect(await shown()).toEqual([BOTH[0]]);
    // Two records that this process had not known at the opening.
    for (const source of ['a', 'c']) feed.quote(eurusd, source, '1.08410', OPENS_MS + 9_000, OPENS_MS - 5);
    await house.stepBy(2_000);
    expect(await shown()).toHaveLength(1);
    feed.open.delete('c');
    await house.stepBy(2_000);
    // What was known to the end stays as it was: only the third source has another record.
    expect(await shown()).toEqual([BOTH[0], 'close 1 3000 108403 use,use,use']);
    const close = (await fixes())[1];
    expect(close?.records.map((each) => 'last' in each && each.last.price)).toEqual([
      108_403n,
      108_403n,
      108_410n,
    ]);
    const { rows } = await house.db.owner.query(
      'select is_open, close_index, close_price::int from logged_fixes',
    );
    const at = (await readTexts(house)).findIndex((text) => text.startsWith('close|'));
    expect(rows).toEqual([{ is_open: true, close_index: String(at), close_price: 108_403 }]);
    await house.stepBy(5_000);
    expect(await shown()).toHaveLength(2);
  });

  test('have the rules in force at their time, whenever they are written', async () => {
    await buy();
    quoteUntil(SETTLES_MS + 5_000);
    // An hour later another feed's rules are in force.
    const changed = new ManualFeed({ quietMs: 1, waitMs: 0 });
    quoteUntil(SETTLES_MS + 5_000, changed);
    const second = await openWriter(house, changed);
    house.clock.stepTo(START_MS + 2 * 3_600_000);
    changed.open.add('a').add('b').add('c');
    await second.step();
    expect(await shown()).toEqual([]);
    changed.open.clear();
    await second.step();
    house.clock.stepTo(START_MS + 2 * 3_600_000 + 250);
    await second.step();
    expect(await shown()).toEqual(BOTH);
    const rules = (await readTexts(house)).filter((text) => text.startsWith('rules|4|EUR/USD|'));
    expect(rules).toHaveLength(2);
    expect(new Set((await fixes()).map(({ rulesHash }) => rulesHash))).toEqual(
      new Set([rootOfTexts(rules.slice(0, 1))]),
    );
  });

  test('are thin where too few records count, and of a product without a feed they wait for it', async () => {
    await buy();
    const { rows } = await house.db.owner.query('select count(*)::int from fixes_due');
    expect(rows).toEqual([{ count: 2 }]);
    const without = new ManualFeed({}, 'manual', new Set());
    const second = await openWriter(house, without);
    house.clock.stepTo(OPENS_MS + 200_000);
    await second.step();
    expect(await shown()).toEqual([]);
    const back = new ManualFeed({ quietMs: 60_000, waitMs: WAIT_MS });
    back.price(eurusd, '1.08400', OPENS_MS - 60_001);
    back.quote(eurusd, 'b', '1.08500', OPENS_MS - 1);
    const third = await openWriter(house, back);
    house.clock.stepTo(OPENS_MS + 201_000);
    await third.step();
    expect((await shown())[0]).toBe('fix 1 3000 108400 quiet,use,quiet');
    expect((await house.db.owner.query('select is_thin from logged_fixes order by n')).rows[0]).toEqual({
      is_thin: true,
    });
  });

  test('are never written a day after their time', async () => {
    await buy();
    house.clock.stepTo(OPENS_MS + MOST_FIX_WAIT_MS + 59_000);
    const back = new ManualFeed({ quietMs: 60_000, waitMs: WAIT_MS });
    quoteUntil(SETTLES_MS, back);
    back.receivesSinceMs = OPENS_MS + MOST_FIX_WAIT_MS;
    const second = await openWriter(house, back);
    await second.step();
    house.clock.stepTo(OPENS_MS + MOST_FIX_WAIT_MS + 59_250);
    await second.step();
    expect(await shown()).toEqual(['fix 1 63000 108462 use,use,use']);
  });

  test('list no record that the log’s grammar can’t hold, or that is not before the time', async () => {
    await buy();
    quoteUntil(SETTLES_MS);
    const said = { a: { price: 0n }, b: { timeMs: OPENS_MS + 1 }, c: {} } as const;
    const recordsAt = feed.recordsAt.bind(feed);
    feed.recordsAt = (productId, fixMs) =>
      recordsAt(productId, fixMs).map((record) =>
        'last' in record
          ? ({ ...record, last: { ...record.last, ...said[record.source as 'a'] } } as typeof record)
          : record,
      );
    await house.stepTo(OPENS_MS + WAIT_MS);
    expect(await shown()).toEqual([]);
    feed.recordsAt = recordsAt;
    await house.stepBy(250);
    expect(await shown()).toEqual([BOTH[0]]);
  });
});

describe('the database', () => {
  const feed = forTest(() => new ManualFeed({ quietMs: 60_000 }));
  const house = forTest(() => House.open(feed));

  /** Appends a fix as a holder of the lease could without our programs. */
  async function append(kind: 'fix' | 'close', n: number, fixMs: number, isOpen = true, statedMs = fixMs) {
    const { id } = house.product('EUR/USD');
    const head = await readLogHead(house.db.server);
    const text = `${kind}|4|EUR/USD|${n}|${head.timeMs}|${statedMs}|1.08400|${'0'.repeat(64)}|a,none`;
    return house.db.server
      .query(
        `select log_append($1, $2, sha256(''), '', $3, $4, null, _kinds => array[log_kind($5)], _times => array[$3]::bigint[],
           _products => array[$6]::smallint[], _ns => array[$7]::bigint[], _prices => array[108400]::bigint[], _rules => array[null]::bigint[],
           _quotes => array[null]::bytea[], _bodies => array[$8], _fix_entries => array[$2]::bigint[], _fix_times => array[$9]::bigint[],
           _are_thin => array[false], _are_open => array[$10]::boolean[])`,
        [head.epoch, head.size, head.timeMs, head.offsetMs, kind, id, n, text, fixMs, isOpen],
      )
      .then(() => 'appended', failureOf);
  }

  test('takes fixes in the order of their times and numbers, each once, and one close of an open one', async () => {
    await house.stepTo(START_MS + 10_000);
    const at = (second: number) => START_MS + second * 1_000;
    const tries = [
      [await append('fix', 2, at(2)), 'LOG_MOVED'],
      [await append('fix', 1, at(2), true, at(3)), 'LOG_MOVED'],
      [await append('fix', 1, at(11)), 'LOG_MOVED'],
      [await append('fix', 1, at(2)), 'appended'],
      [await append('fix', 1, at(2)), 'LOG_MOVED'],
      [await append('fix', 2, at(2)), 'LOG_MOVED'],
      [await append('fix', 2, at(1)), 'LOG_MOVED'],
      [await append('fix', 3, at(4)), 'LOG_MOVED'],
      [await append('fix', 2, at(4), false), 'appended'],
      [await append('close', 2, at(4)), 'LOG_MOVED'],
      [await append('close', 2, at(2)), 'LOG_MOVED'],
      [await append('close', 1, at(2)), 'appended'],
      [await append('close', 1, at(2)), 'LOG_MOVED'],
    ];
    expect(tries.map(([answer]) => answer)).toEqual(tries.map(([, expected]) => expected));
  });
});
