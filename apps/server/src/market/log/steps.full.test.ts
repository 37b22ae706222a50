import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { keysOf, openWriter, readMarks } from '@fairtick/kit/installation/writers.ts';
import { NatsServer } from '@fairtick/kit/processes/nats.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Listener } from '../../platform/bus/listener.ts';
import { NatsWire } from '../../platform/bus/nats-wire.ts';
import { PostgresWire } from '../../platform/bus/postgres-wire.ts';
import type { Notice, Wire } from '../../platform/bus/wire.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { MarketView } from '../market-view.ts';
import type { OrderStops } from '../order-stops.ts';
import { quoteOf } from '../product-answers.ts';
import { StepMaker } from '../writer/step-maker.ts';
import type { WriterTerm } from '../writer/writer-term.ts';
import { hearLog } from './hear-log.ts';
import { LogFollower } from './log-follower.ts';
import { readLogHead } from './log-head.ts';
import type { LogNews } from './ready-step.ts';

/** How the log reaches an API process, over each wire. NATS needs the package nats-server. */
const nats = forFile(
  () => NatsServer.open(),
  (server) => server.kill(),
);
const log = pino({ level: 'silent' });
const SYMBOLS = ['EUR/USD', 'GBP/USD'] as const;

let house: House;
let feed: ManualFeed;
const started: { stop(): Promise<void> }[] = [];
beforeEach(async () => {
  feed = new ManualFeed();
  house = await House.open(feed);
});
afterEach(async () => {
  for (const part of started.splice(0).reverse()) await part.stop();
  await house.close();
});

/** An API process's view of the log, with a count of its statements. */
async function follow(wire: Wire, key = keysOf(house).steps) {
  let asked = 0;
  const db = {
    query: (...args: unknown[]) => {
      asked += 1;
      return (house.db.server.query as (...all: unknown[]) => Promise<unknown>)(...args);
    },
  } as unknown as Queryable;
  const { size } = await readLogHead(house.db.server);
  const follower = new LogFollower(db, house.reader, { fromIndex: size, log });
  const news: LogNews[] = [];
  const stops: OrderStops[] = [];
  follower.onNews((one) => news.push(one));
  const listener = new Listener(wire, log);
  hearLog(listener, { follower, key }, (told) => stops.push(told));
  await listener.start();
  started.push(listener, follower);
  await until(() => news.length > 0);
  news.length = 0;
  asked = 0;
  return { news, stops, asked: () => asked, entries: () => news.flatMap(({ entries }) => entries) };
}

/** A writer that tells over this wire. Of the numbers named its step is lost, or its notice as well. */
async function write(wire: Wire, lost: { steps?: number[]; all?: number[] } = {}) {
  const key = keysOf(house).steps;
  const steps = new StepMaker({ pool: house.db.server, products: house.products, feed: 'manual', key, log });
  steps.start();
  started.push(steps, wire);
  await steps.begin();
  let number = 0;
  const lossy: Pick<Wire, 'send'> = {
    send: (db, notices) => {
      number += 1;
      if (lost.all?.includes(number)) return Promise.resolve();
      return wire.send(db, lost.steps?.includes(number) ? notices.filter(isNotice) : notices);
    },
  };
  return openWriter(house, feed, undefined, { wire: lossy, steps });
}
const isNotice = ({ channel }: Notice) => channel !== 'steps';

async function tick(writer: WriterTerm, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const atMs = house.clock.targetMs + 250;
    for (const symbol of SYMBOLS) feed.price(house.product(symbol), `1.${1_000 + time}`, atMs);
    house.clock.stepTo(atMs);
    await writer.step();
  }
}

const numbers = (entries: readonly { readonly productId: number; readonly n: number }[], symbol: string) =>
  entries.filter(({ productId }) => productId === house.product(symbol).id).map(({ n }) => n);

const WIRES: readonly (readonly [string, () => Wire, number])[] = [
  ['LISTEN and NOTIFY', () => new PostgresWire(house.db.serverAddress, log), Number.POSITIVE_INFINITY],
  ['NATS', () => new NatsWire(nats.url, log), 0],
];

describe.each(WIRES)('over %s', (_, make, mostAsked) => {
  test('each entry arrives once, in order, and quotes are what readers of the log make of it', async () => {
    const [one, two] = [await follow(make()), await follow(make())];
    const view = new MarketView(house.db.server, house.products, house.rules);
    await view.load();
    await tick(await write(make()), 20);
    for (const { news, entries, asked } of [one, two]) {
      await until(() => numbers(entries(), 'GBP/USD').length >= 20);
      for (const symbol of SYMBOLS) {
        const logged = await readMarks(house, symbol);
        expect(numbers(entries(), symbol)).toEqual(logged.map(({ n }) => n));
      }
      expect(news.at(-1)?.head.root).toEqual((await readLogHead(house.db.server)).root);
      expect(asked()).toBeLessThanOrEqual(mostAsked);
    }
    const head = await readLogHead(house.db.server);
    const state = {
      feed: 'manual',
      nowMs: () => house.clock.targetMs,
      logMs: () => head.timeMs,
      stops: () => ({ all: null, halted: new Map(), full: new Map() }),
    };
    for (const { entries, quotes } of one.news) {
      const made = view.apply(entries).map((row) => [row.product.id, JSON.stringify(quoteOf(row, state))]);
      if (quotes) expect([...quotes].map(([id, text]) => [id, text])).toEqual(made);
      else expect(mostAsked).toBeGreaterThan(0);
    }
  });

  test('a lost step is read from the database, and the next ones arrive ready again', async () => {
    const { entries, news, asked } = await follow(make());
    const writer = await write(make(), { steps: [3], all: [6, 7] });
    await tick(writer, 12);
    await until(() => numbers(entries(), 'EUR/USD').length >= 12);
    expect(numbers(entries(), 'EUR/USD')).toEqual((await readMarks(house, 'EUR/USD')).map(({ n }) => n));
    expect(asked()).toBeGreaterThan(0);
    if (mostAsked === 0) expect(news.at(-1)?.quotes).not.toBeNull();
  });

  test('a step of somebody without the log’s keys shows nobody a price', async () => {
    const { entries, news } = await follow(make(), Buffer.from('another key'));
    await tick(await write(make()), 3);
    await until(() => numbers(entries(), 'EUR/USD').length >= 3);
    expect(news.every(({ quotes }) => quotes === null)).toBe(true);
  });
});

test('over NATS a halt comes with the steps', async () => {
  const wire = () => new NatsWire(nats.url, log);
  const { news, stops } = await follow(wire());
  const writer = await write(wire());
  await tick(writer, 1);
  const id = house.product('EUR/USD').id;
  await house.db.owner.query(
    `with someone as (
       insert into staff (account, display_name, person, password_hash) values ('someone', 'x', 'x', '') returning id
     ) insert into trading_halts (product_id, reason, halted_by) select $1, 'a test', id from someone`,
    [id],
  );
  await until(async () => {
    await tick(writer, 1);
    return stops.at(-1)?.halted.get(id)?.reason === 'a test';
  });
  await until(() => JSON.parse(news.at(-1)?.quotes?.get(id) ?? '{}').closed?.because === 'halt');
});
