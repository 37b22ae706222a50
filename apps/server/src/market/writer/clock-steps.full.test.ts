import { bindLogClock, makeClockSettable } from '@fairtick/kit/installation/clocks.ts';
import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed, SteadyFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { keysOf, openWriter, readMarks, readTexts, storyOf } from '@fairtick/kit/installation/writers.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { parseEntry } from '@fairtick/proof';
import { GRID_MS } from '@fairtick/trading';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FeedRole } from '../../processes/feed-role.ts';
import { readLogHead } from '../log/log-head.ts';
import type { Product } from '../products.ts';
import type { LogTime } from './log-clock.ts';

const HOUR_MS = 3_600_000;
/** Prices stay fresh for longer than a slow machine takes to notice a step: only the step can stop them. */
const RULES = { quietMs: 120_000 };
/** How much further log time may have moved than real time: a step of two seconds may go unnoticed a few times. */
const UNNOTICED_MS = 10_000;

/** The installation's time is the present, so that the log's clock starts with almost no offset. */
async function openNow(): Promise<House> {
  const nowMs = Date.now();
  const house = await House.open(new ManualFeed(RULES), nowMs - (nowMs % GRID_MS));
  const { epoch } = await readLogHead(house.db.server);
  await house.db.server.query('select log_release($1)', [epoch]);
  await bindLogClock(house.db);
  return house;
}

describe('the database’s clock is set while the log is written', () => {
  let house: House;
  let role: FeedRole | null = null;
  let feed: SteadyFeed;
  let eurusd: Product;
  let customer: string;
  let setClock: (ms: number) => Promise<void>;
  let openedMs: number;

  beforeEach(async () => {
    openedMs = performance.now();
    house = await openNow();
    setClock = await makeClockSettable(house);
    eurusd = house.product('EUR/USD');
    feed = new SteadyFeed(eurusd, RULES);
    customer = await house.customer();
  });
  afterEach(async () => {
    await role?.stop();
    role = null;
    await house?.close();
  });

  async function startWriting(): Promise<void> {
    role = new FeedRole({
      pool: house.db.server,
      feed,
      products: house.products,
      signer: keysOf(house).checkpoints,
      holder: 'role',
      log: pino({ level: 'silent' }),
    });
    role.start();
    await untilTicks(3);
  }

  async function untilTicks(more: number): Promise<void> {
    const before = (await readMarks(house, 'EUR/USD')).length;
    await until(async () => {
      const marks = await readMarks(house, 'EUR/USD');
      return marks.slice(before).filter(({ kind }) => kind === 'tick').length >= more;
    });
  }

  const buy = async () =>
    (await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10' })]))[0];

  /** Buys until an order is accepted. Returns the log's last time before that. */
  async function buyInTime(): Promise<number> {
    let timeMs = 0;
    await until(async () => {
      ({ timeMs } = await readLogHead(house.db.server));
      return (await buy())?.kind === 'accepted';
    });
    return timeMs;
  }

  /** Time of the last acceptance, in the log's time. */
  async function acceptedMs(): Promise<number> {
    const { rows } = await house.db.server.query<{ at: string }>(
      'select max(accepted_at_ms) as at from orders',
    );
    return Number(rows[0]?.at);
  }

  async function expectSteadyTimes(): Promise<void> {
    const times = (await readMarks(house, 'EUR/USD')).map(({ timeMs }) => timeMs);
    const steps = times.slice(1).map((timeMs, place) => timeMs - (times[place] as number));
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(GRID_MS);
    expect(Math.max(...steps)).toBeLessThan(performance.now() - openedMs + UNNOTICED_MS);
  }

  test.each([
    ['an hour ahead', HOUR_MS],
    ['an hour back', -HOUR_MS],
    ['two seconds ahead', 2_000],
    ['two seconds back', -2_000],
  ])('%s: prices stop, orders wait for the next new tick, and log time goes on', async (_what, stepMs) => {
    await startWriting();
    await buyInTime();
    const beforeMs = performance.now();
    const before = await readLogHead(house.db.server);
    // The last quote is still fresh when the clock is set, so only the step can stop the price.
    feed.isSilent = true;
    const isNoticed = async () => (await storyOf(house, 'EUR/USD')).at(-1) === 'gap clock';
    // On a machine that stalls, an answer of the database can take so long that it hides a step of two seconds: then once more.
    for (let times = 1; times <= 4 && !(await isNoticed()); times += 1) {
      await setClock(times * stepMs);
      await until(isNoticed, 15_000).catch(() => {});
    }
    expect(await isNoticed()).toBe(true);
    const after = await readLogHead(house.db.server);
    // A busy machine writes late; the offset cancels only the step, not the delay.
    const moved = after.offsetMs - before.offsetMs;
    expect(Math.abs(moved + stepMs)).toBeLessThan(Math.abs(stepMs) * 0.55);
    expect(after.timeMs - before.timeMs).toBeLessThan(performance.now() - beforeMs + UNNOTICED_MS);
    let answer = await buy();
    while (answer?.kind === 'refused' && answer.code === 'LATE') answer = await buy();
    expect(answer).toMatchObject({ kind: 'refused', code: 'PRICE_UNAVAILABLE' });
    feed.isSilent = false;
    await untilTicks(1);
    const fromMs = await buyInTime();
    const boughtMs = await acceptedMs();
    expect(boughtMs).toBeGreaterThanOrEqual(fromMs);
    expect(boughtMs).toBeLessThan((await readLogHead(house.db.server)).timeMs + 2_000);
    // With an unsettled order, the gap is repeated at whole seconds until a new quote comes.
    const gaps = (await storyOf(house, 'EUR/USD')).filter((mark) => mark.startsWith('gap'));
    expect(new Set(gaps)).toEqual(new Set(['gap clock']));
    await expectSteadyTimes();
  });

  test('the log’s offset shrinks by at most a tenth of the time that passes', async () => {
    await startWriting();
    await setClock(HOUR_MS);
    await until(async () => (await readLogHead(house.db.server)).offsetMs < -HOUR_MS / 2);
    const from = await readLogHead(house.db.server);
    await untilTicks(24);
    const to = await readLogHead(house.db.server);
    const madeUp = to.offsetMs - from.offsetMs;
    // Without what it made up, the log's time passes as the database's does; its first and last answer may have come late.
    const passedMs = to.timeMs - from.timeMs - madeUp;
    expect(madeUp).toBeGreaterThan((passedMs - 2_000) * 0.07);
    expect(madeUp).toBeLessThanOrEqual((passedMs + 2_000) * 0.1);
  });

  test('log time does not fall if the clock is set back while no writer runs', async () => {
    await startWriting();
    await role?.stop();
    const beforeMs = performance.now();
    const before = await readLogHead(house.db.server);
    await setClock(-HOUR_MS);
    await startWriting();
    const after = await readLogHead(house.db.server);
    expect(after.timeMs).toBeGreaterThanOrEqual(before.timeMs);
    expect(after.timeMs - before.timeMs).toBeLessThan(performance.now() - beforeMs + UNNOTICED_MS);
    expect((await storyOf(house, 'EUR/USD')).filter((mark) => mark.startsWith('gap'))).toEqual(['gap clock']);
    await buyInTime();
    await expectSteadyTimes();
  });

  test('every entry matches the grammar, and times never fall', async () => {
    await startWriting();
    await setClock(-HOUR_MS);
    await untilTicks(2);
    await setClock(HOUR_MS);
    await untilTicks(2);
    let lastMs = 0;
    for (const text of await readTexts(house)) {
      const entry = parseEntry(text);
      expect(entry).not.toBeNull();
      if (entry && 'timeMs' in entry) {
        expect(entry.timeMs).toBeGreaterThanOrEqual(lastMs);
        lastMs = entry.timeMs;
      }
    }
  });
});

describe('a step that is noticed between two grid times', () => {
  let house: House;
  afterEach(() => house?.close());

  test('is logged at the next grid time', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    const eurusd = house.product('EUR/USD');
    const startMs = house.clock.targetMs;
    const times: LogTime[] = [
      // The first is the reading of the clock before rules are logged.
      { timeMs: startMs, offsetMs: 0, hasStepped: false },
      { timeMs: startMs + 250, offsetMs: 0, hasStepped: false },
      { timeMs: startMs + 500, offsetMs: 0, hasStepped: false },
      { timeMs: startMs + 740, offsetMs: HOUR_MS, hasStepped: true },
      { timeMs: startMs + 760, offsetMs: HOUR_MS, hasStepped: false },
      { timeMs: startMs + 1_000, offsetMs: HOUR_MS, hasStepped: false },
    ];
    const clock = { read: () => times.shift() as LogTime, msUntil: () => 0, at: () => null };
    const writer = await openWriter(house, feed, () => clock);
    await writer.step();
    feed.price(eurusd, '1.1', startMs + 300);
    await writer.step();
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.10000']);
    await writer.step();
    await writer.step();
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.10000', 'gap clock']);
    feed.price(eurusd, '1.2', startMs + 900);
    await writer.step();
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.10000', 'gap clock', 'tick 1.20000']);
  });
});
