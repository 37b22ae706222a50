import { setTimeout as sleep } from 'node:timers/promises';
import { Api, newKey, register } from '@fairtick/kit/clients/api.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { fixFaultsOf } from '@fairtick/kit/venues/soak-judge.ts';
import { VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { expect, test } from 'vitest';

/**
 * Venues that fall silent and are late from then on, and clocks that are seconds apart, while a customer orders all the time. SECONDS is
 * how long each trouble lasts, LATE_SECONDS how long one venue is late.
 */
const SECONDS = Number(process.env.SECONDS ?? 60);
const LATE_SECONDS = Number(process.env.LATE_SECONDS ?? 120);
const ORDER_EVERY_MS = 1_000;
const CYCLE_MS = 60_000;
/** Within this the operator is told. */
const TOLD_MS = 60_000;

const SYMBOL = 'BTC/USDT';

interface Trouble {
  readonly name: string;
  readonly seconds: number;
  begin(market: VenueMarket): void;
  end(market: VenueMarket): void;
  /** What the metrics have while it lasts, as the alerts read them. */
  isTold(metrics: Metrics): boolean;
}

const everyVenue = (lateMs: number) => (market: VenueMarket) => {
  for (const source of market.venues.keys()) market.delay(source, lateMs);
};
const clocks = (clockMs: number) => (market: VenueMarket) => {
  market.clockMs = clockMs;
};

const TROUBLES: readonly Trouble[] = [
  {
    name: 'all venues are silent for 4 s, then 4 s late',
    seconds: SECONDS,
    begin: everyVenue(4_000),
    end: everyVenue(0),
    isTold: ({ lag, priceAge }) => lag > 2 || priceAge > 30,
  },
  {
    name: 'our clock is 3 s ahead',
    seconds: SECONDS,
    begin: clocks(-3_000),
    end: clocks(0),
    isTold: ({ lag, priceAge }) => lag > 2 || priceAge > 30,
  },
  {
    name: 'our clock is 3 s behind',
    seconds: SECONDS,
    begin: clocks(3_000),
    end: clocks(0),
    isTold: ({ clock }) => clock < -0.25,
  },
  {
    name: 'one venue is 10 s late',
    seconds: LATE_SECONDS,
    begin: (market) => market.delay('okx', 10_000),
    end: (market) => market.delay('okx', 0),
    isTold: ({ lags }) => (lags.get('okx') ?? 0) > 1,
  },
];

test('whatever venues and clocks do, an order settles by what the venues have on record', async () => {
  const market = await VenueMarket.open();
  const house = new Installation();
  const port = await freePort();
  try {
    const { origin } = await house.start({
      FEED: 'live',
      SOURCES_FILE: market.file,
      METRICS_PORT: String(port),
    });
    const api = await seen(() => Api.open(origin).catch(() => null), { withinMs: 110_000, what: 'the API' });
    const customer = await register(api);
    const create = () =>
      api.post(
        'order/create',
        { symbol: SYMBOL, direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' },
        { token: customer.token, key: newKey() },
      );
    const isTaken = async () => (await create()).body.code === 1;
    const open = { withinMs: 90_000, everyMs: 1_000, what: 'an order' };
    await seen(isTaken, open);
    const told: string[] = [];
    for (const trouble of TROUBLES) {
      const [beganMs, answers] = [Date.now(), new Map<string, number>()];
      let toldMs: number | null = null;
      trouble.begin(market);
      while (Date.now() < beganMs + trouble.seconds * 1_000) {
        const { body } = await create();
        const answer = body.error ?? 'taken';
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        if (toldMs === null && trouble.isTold(await metricsOf(port))) toldMs = Date.now() - beganMs;
        await sleep(ORDER_EVERY_MS);
      }
      trouble.end(market);
      await seen(isTaken, open);
      told.push(`${trouble.name}: ${JSON.stringify(Object.fromEntries(answers))}, told after ${toldMs} ms`);
      console.log(told.at(-1));
      expect([trouble.name, toldMs]).toEqual([trouble.name, expect.any(Number)]);
      expect(toldMs).toBeLessThan(TOLD_MS);
    }
    await expectRight(house, market);
  } finally {
    await house.close();
    await market.close();
  }
});

/** Each order opened and settled at fixes, and each fix has what the venues have on record. */
async function expectRight(house: Installation, market: VenueMarket): Promise<void> {
  const db = new pg.Pool(house.databaseAddress());
  try {
    const waiting = async () =>
      Number(
        (
          await db.query(
            'select count(*) from orders_and_results where result is null and void_reason is null',
          )
        ).rows[0].count,
      );
    await seen(async () => (await waiting()) === 0, {
      withinMs: 2 * CYCLE_MS,
      everyMs: 1_000,
      what: 'all settlements',
    });
    const { rows: unpriced } = await db.query(
      'select id, void_reason from orders_and_results where void_reason is not null or open_index is null or settle_index is null',
    );
    const { rows } = await db.query<{ body: string }>(
      `select body from log_entries where kind in (log_kind('fix'), log_kind('close')) order by index`,
    );
    const fixed = fixFaultsOf(
      market.records,
      rows.map(({ body }) => body),
    );
    const count = (await db.query('select count(*) from orders')).rows[0].count;
    console.log(`${count} orders, ${fixed.count} fixes and closes`);
    expect(fixed.count).toBeGreaterThan(0);
    expect(fixed.faults).toEqual([]);
    expect(unpriced).toEqual([]);
  } finally {
    await db.end();
  }
}

/** In seconds. */
interface Metrics {
  /** Our clock against that of half of the sources: below 0 it is behind. */
  readonly clock: number;
  /** The median lag of half of the sources. */
  readonly lag: number;
  readonly priceAge: number;
  readonly lags: ReadonlyMap<string, number>;
}

async function metricsOf(port: number): Promise<Metrics> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const values = (name: string, label = ''): (readonly [string, number])[] =>
    [...text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))]
      .filter(([, labels]) => labels?.includes(label))
      .map(([, labels = '', value]) => [labels, Number(value)]);
  return {
    clock: middle(values('fairtick_source_clock_seconds')),
    lag: middle(values('fairtick_source_lag_seconds', 'quantile="0.5"')),
    priceAge: values('fairtick_product_price_age_seconds', SYMBOL)[0]?.[1] ?? 0,
    lags: new Map(
      values('fairtick_source_lag_seconds', 'quantile="0.99"').map(([labels, value]) => [
        /source="(\w+)"/.exec(labels)?.[1] ?? '',
        value,
      ]),
    ),
  };
}

function middle(values: readonly (readonly [string, number])[]): number {
  const sorted = values.map(([, value]) => value).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
