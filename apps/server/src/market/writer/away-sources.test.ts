import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { keysOf, openWriter, readTexts, takeLease } from '@fairtick/kit/installation/writers.ts';
import { judged, receiptOf } from '@fairtick/kit/people/receipts.ts';
import { beginJudging, EntryJudge, parseEntry } from '@fairtick/proof';
import { beforeEach, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';
import { readPrices } from '../../transparency/public/price-statistics.ts';
import { readLogHead } from '../log/log-head.ts';
import type { Product } from '../products.ts';

/** Orders of the first second open here, and settle a minute later. */
const OPENS_MS = START_MS + 3_000;
const SETTLES_MS = OPENS_MS + 60_000;
const WAIT_MS = 1_500;
const RULES = { quietMs: 60_000, waitMs: WAIT_MS };

let eurusd: Product;
const feed = forTest(() => new ManualFeed(RULES));
const house = forTest(() => House.open(feed));
beforeEach(async () => {
  eurusd = house.product('EUR/USD');
  feed.price(eurusd, '1.08400', START_MS + 250);
  await house.stepBy(250);
});

async function buy(): Promise<{ customer: string; orderId: number }> {
  const customer = await house.customer();
  const [answer] = await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10' })]);
  if (answer?.kind !== 'accepted') throw new Error('no order');
  await house.stepTo(START_MS + 1_000);
  return { customer, orderId: answer.orderId };
}

/** Prices of a new writer's feed, which are the records of before too. */
function quoteUntil(untilMs: number, of = feed): void {
  of.price(eurusd, '1.08400', START_MS + 250);
  for (let second = 1; START_MS + second * 1_000 < untilMs; second += 1)
    of.price(eurusd, `1.08${400 + second}`, START_MS + second * 1_000 - 10);
}

/** Fixes, closes and absences in the log, in short. */
const story = async (): Promise<string[]> =>
  (await readTexts(house)).flatMap((text) => {
    const entry = parseEntry(text);
    if (entry?.kind === 'away') return [`away ${entry.n} ${entry.source} ${entry.isOn ? 'on' : 'off'}`];
    if (entry?.kind !== 'fix' && entry?.kind !== 'close') return [];
    return [`${entry.kind} ${entry.fixMs - START_MS} ${entry.records.map(({ use }) => use).join()}`];
  });

/** The reports of a monitor that reads the whole log. */
async function faultOfLog(): Promise<string | null> {
  const { checkpoints, acceptances } = keysOf(house).verifierKeys;
  const judge = new EntryJudge(beginJudging(0, [checkpoints, acceptances]));
  for (const text of await readTexts(house)) {
    const fault = judge.take(text);
    if (fault !== null) return `${fault}: ${text}`;
  }
  return null;
}

test('a source that is left out keeps no fix waiting, and orders settle with receipts that hold', async () => {
  const order = await buy();
  quoteUntil(SETTLES_MS + 5_000);
  feed.open.add('c');
  await house.stepTo(OPENS_MS);
  expect(await story()).toEqual([]);
  feed.reach.set('c', true);
  await house.stepBy(250);
  expect(await story()).toEqual(['away 1 c on', 'fix 3000 use,use,away']);
  await house.stepTo(SETTLES_MS);
  feed.open.delete('c');
  feed.reach.set('c', false);
  await house.stepBy(250);
  expect((await story()).slice(2)).toEqual(['fix 63000 use,use,away', 'away 2 c off']);
  await house.settle();
  await house.stepBy(2_000);
  expect(await faultOfLog()).toBe(null);
  const receipt = await receiptOf(house, order);
  expect(receipt && judged(house, receipt)).toMatchObject({ isValid: true });
  const { aways } = await readPrices(house.db.server, `'2026-06-01'::date`);
  expect(aways).toEqual([{ source: 'c', count: 1, totalMs: SETTLES_MS + 250 - OPENS_MS - 250 }]);
});

test('whoever takes over goes on from the log, and a fix of before is closed when the source answers', async () => {
  await buy();
  quoteUntil(SETTLES_MS + 5_000);
  feed.open.add('c');
  await house.stepTo(OPENS_MS + WAIT_MS);
  feed.reach.set('c', true).set('b', false);
  await house.stepTo(OPENS_MS + 10_000);
  // The new process has not tried the source yet.
  const second = new ManualFeed(RULES);
  quoteUntil(SETTLES_MS + 5_000, second);
  second.receivesSinceMs = OPENS_MS;
  second.open.add('c');
  const writer = await openWriter(house, second);
  house.clock.stepTo(SETTLES_MS);
  await writer.step();
  const before = ['fix 3000 use,use,use', 'away 1 c on', 'fix 63000 use,use,away'];
  expect(await story()).toEqual(before);
  second.reach.set('c', false);
  second.open.delete('c');
  for (const ms of [250, 2_000]) {
    house.clock.stepTo(SETTLES_MS + ms);
    await writer.step();
  }
  expect(await story()).toEqual([...before, 'away 2 c off', 'close 3000 use,use,use']);
  expect(await faultOfLog()).toBe(null);
});

test('fixes wait where all sources are left out', async () => {
  await buy();
  quoteUntil(SETTLES_MS);
  for (const source of ['a', 'b', 'c']) feed.reach.set(source, true);
  await house.stepTo(OPENS_MS + WAIT_MS);
  expect(await story()).toEqual(['away 1 a on', 'away 2 b on', 'away 3 c on']);
});

test('the database takes absences in order alone', async () => {
  const epoch = await takeLease(house.db.server);
  const append = async (fields: string) => {
    const head = await readLogHead(house.db.server);
    const [n, ...rest] = fields.split('|');
    return house.db.server
      .query(
        `select log_append($1, $2, sha256(''), '', $3, $4, null, _kinds => array[log_kind('text')], _times => array[$3]::bigint[],
           _products => array[null]::smallint[], _ns => array[null]::bigint[], _prices => array[null]::bigint[], _rules => array[null]::bigint[],
           _quotes => array[null]::bytea[], _bodies => array[$5])`,
        [epoch, head.size, head.timeMs, head.offsetMs, ['away', '4', n, head.timeMs, ...rest].join('|')],
      )
      .then(() => 'appended', failureOf);
  };
  const tries = [
    [await append('2|c|on'), 'LOG_MOVED'],
    [await append('1|c|off'), 'LOG_MOVED'],
    [await append('1|c|on'), 'appended'],
    [await append('2|c|on'), 'LOG_MOVED'],
    [await append('3|b|on'), 'LOG_MOVED'],
    [await append('2|b|on'), 'appended'],
    [await append('3|c|off'), 'appended'],
    [await append('4|c|off'), 'LOG_MOVED'],
    [await append('4|c|on'), 'appended'],
  ];
  expect(tries.map(([answer]) => answer)).toEqual(tries.map(([, expected]) => expected));
});
