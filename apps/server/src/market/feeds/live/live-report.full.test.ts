import { get } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { signingKeyFile } from '@fairtick/kit/folder.ts';
import { ORIGIN } from '@fairtick/kit/installation/house.ts';
import { VENUE_KEY, VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import type { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import type { LiveSources } from '@fairtick/protocol';
import type { OfficeData } from '@fairtick/protocol/office';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { FeedRole } from '../../../processes/feed-role.ts';
import { loadSigningKeys } from '../../keys/signing-keys.ts';
import { Products } from '../../products.ts';
import { LiveFeed } from './live-feed.ts';
import { LIVE_SOURCES, quorumOf } from './live-products.ts';
import { readSourcesFile } from './sources-file.ts';

/** Staff and the public read the figures of a feed with venues on loopback. */
const log = pino({ level: 'silent' });
const BTC = LIVE_SOURCES['BTC/USDT'] as readonly string[];
const market = forFile(
  () => VenueMarket.open({ vendors: ['pyth', 'tiingo'] }),
  (it) => it.close(),
);
const db = ownDatabase();
const live = ownOffice(db, { feed: { kind: 'live', sourcesFile: null } });
const simulated = ownOffice(db, { feed: { kind: 'simulated' } });
const auditor = ownStaff(db, live, 'auditor');
const support = ownStaff(db, live, 'support');
const elsewhere = ownStaff(db, simulated, 'catalogue');

type Staffs = OfficeData<'sources/state'>;

const publicSources = async (origin = live.origin): Promise<LiveSources> =>
  (await get(origin, 'transparency/sources')).body.data;

const ofStaff = async (): Promise<Staffs> => (await auditor.get('sources/state')).body.data;

/** Waits for a report that `wanted` takes, and looks at what both see. */
async function lookWhen(
  wanted: (told: LiveSources) => boolean,
): Promise<{ told: LiveSources; staffs: Staffs }> {
  const told = await seen(
    async () => {
      const sources = await publicSources();
      return wanted(sources) && sources;
    },
    { withinMs: 60_000, everyMs: 500, what: 'the report' },
  );
  return { told, staffs: await ofStaff() };
}

forFile(
  async () => {
    await db.server.query('select log_begin($1)', [ORIGIN]);
    const products = await Products.load(db.server);
    const file = readSourcesFile(market.file);
    const feed = new FeedRole({
      pool: db.server,
      feed: await LiveFeed.start({ pool: db.server, products, file, mode: 'demo', log }),
      products,
      signer: loadSigningKeys(signingKeyFile(db), ORIGIN).checkpoints,
      holder: 'feed',
      log,
    });
    feed.start();
    return feed;
  },
  (feed) => feed.stop(),
);

test('a source that sends is shown with its lag, its clock and its share of ticks', async () => {
  const { told, staffs } = await lookWhen(
    ({ sources }) => sources.length === market.venues.size && sources.every(({ state }) => state === 'sends'),
  );
  expect(told.feed).toBe('live');
  const okx = told.sources.find(({ source }) => source === 'okx');
  // The kit's venues date each frame 20 ms back, ten times a second; the log's time is read over a connection.
  expect(okx?.clockMs).toBeGreaterThan(-200);
  expect(okx?.clockMs).toBeLessThan(500);
  expect(okx?.lagP50).toBeGreaterThanOrEqual(okx?.clockMs as number);
  expect(okx?.lagP99).toBeGreaterThanOrEqual(okx?.lagP50 as number);
  expect(okx?.quotesPerSecond).toBeGreaterThan(2);
  expect(told.products.find(({ symbol }) => symbol === 'BTC/USDT')).toEqual({
    ...{ symbol: 'BTC/USDT', isOpen: true },
    ...{ sources: BTC.length, priced: BTC.length, quorum: quorumOf(BTC) },
  });
  expect(told.products.find(({ symbol }) => symbol === 'BNB/USDT')).toMatchObject({ priced: 0, quorum: 2 });
  // The age of its price is counted from the log, also where no source has a price.
  const ageOf = (symbol: string) => staffs.products.find((product) => product.symbol === symbol)?.priceAge;
  expect(ageOf('BTC/USDT')).toBeLessThan(5_000);
  expect(ageOf('BNB/USDT')).toBeGreaterThan(0);
  expect(staffs.sources.map(({ source }) => source)).toEqual(told.sources.map(({ source }) => source));
  const { ticks } = staffs.sources.find(({ source }) => source === 'okx') as Staffs['sources'][number];
  expect(ticks.use).toBeGreaterThan(0);
});

test('a lost source and its fault are shown to staff, without a key, and to the public without the fault', async () => {
  market.break('okx');
  const tiingo = market.venues.get('tiingo') as VenueServer;
  tiingo.refuses = { status: 500, body: `no ${VENUE_KEY}` };
  tiingo.cut();
  const { told, staffs } = await lookWhen(({ sources }) =>
    sources.some(({ source, state }) => source === 'okx' && state === 'lost'),
  );
  expect(told.products.find(({ symbol }) => symbol === 'BTC/USDT')?.priced).toBe(BTC.length - 1);
  const faultOf = (name: string) => staffs.sources.find(({ source }) => source === name);
  expect(faultOf('okx')).toMatchObject({ state: 'lost', fault: 'answers 503', faultAt: expect.any(Number) });
  expect(faultOf('tiingo')?.fault).toBe('answers 500: no ***');
  expect(JSON.stringify(staffs)).not.toContain(VENUE_KEY.slice(0, 8));
  expect(JSON.stringify(told)).not.toMatch(/fault|50[03]|\*\*\*/);
  market.heal();
  tiingo.refuses = null;
  const healed = await lookWhen(({ sources }) => sources.every(({ state }) => state === 'sends'));
  expect(healed.staffs.sources.find(({ source }) => source === 'okx')?.reconnects).toBe(1);
  expect(healed.staffs.sources.find(({ source }) => source === 'kraken')?.reconnects).toBe(0);
});

test('only some of the staff may look, and a server without live prices lists no sources', async () => {
  expect((await support.get('sources/state')).body.error).toBe('ROLE_MISSING');
  const none = { feed: 'simulated', at: null, sources: [], products: [] };
  expect((await elsewhere.get('sources/state')).body.data).toEqual(none);
  expect(await publicSources(simulated.origin)).toEqual(none);
});
