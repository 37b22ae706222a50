import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Config } from '../config/config.ts';
import { CATALOGUE } from '../market/catalogue/catalogue.ts';
import { dayStartOf, HOURS } from '../market/catalogue/schedules.ts';
import { programListing } from '../market/feeds/live/program-listing.ts';
import { seedSampleNews } from '../news/samples/sample-news.ts';
import type { Queryable } from '../platform/db/database.ts';
import { withClient } from '../platform/db/with-client.ts';
import { seedMoney } from './seed-money.ts';
import { SEEDED_ASSETS } from './seeded-assets.ts';

/** In whole units. */
const DEMO_CAPITAL = 1_000_000_000n;

/** Runs at every start. Existing rows stay, except for products that the program ships and settings of the operator. */
export function seed(
  address: pg.ClientConfig,
  mode: 'demo' | 'live',
  {
    holdSeconds,
    operator,
    vendors = null,
  }: Pick<Config, 'holdSeconds' | 'operator'> & Partial<Pick<Config, 'vendors'>> = {
    holdSeconds: 60,
    operator: null,
  },
): Promise<void> {
  return withClient(address, 'start', async (client) => {
    await client.query('select pg_advisory_lock(7023)');
    await client.query('begin');
    await client.query(
      `update house_settings set mode = $1, hold_seconds = $2, withdrawals_need_factor = $3
       where (mode, hold_seconds, withdrawals_need_factor) <> ($1, $2, $3)`,
      [mode, holdSeconds, mode === 'live' && operator?.withdrawalsNeedFactor === true],
    );
    if (vendors !== null) await setVendors(client, vendors);
    await seedAssets(client);
    await seedCatalogue(client);
    await seedMoney(client, mode);
    await seedCapital(client, mode);
    if (mode === 'demo') await seedSampleNews(client);
    await client.query('commit');
    // Makes the house's capital count from the first order on.
    await client.query('select ledger.roll_up_house()');
  });
}

export async function setVendors(client: Queryable, vendors: NonNullable<Config['vendors']>): Promise<void> {
  const rows = vendors.map(({ name, judges, lateMinutes: late }) => ({ name, judges, late }));
  await client.query('select vendors_set($1)', [JSON.stringify(rows)]);
}

async function seedAssets(client: pg.Client): Promise<void> {
  for (const [code, asset] of Object.entries(SEEDED_ASSETS)) {
    const unit = 10n ** BigInt(asset.scale);
    await client.query(
      'insert into ledger.assets (id, code, scale, is_practice) values ($1, $2, $3, $4) on conflict do nothing',
      [asset.id, code, asset.scale, asset.isPractice],
    );
    await client.query(
      'insert into promised_income (asset_id, product_limit, group_limit) values ($1, $2, $3) on conflict do nothing',
      [asset.id, asset.product * unit, asset.group * unit],
    );
    await client.query('insert into settled_income (asset_id) values ($1) on conflict do nothing', [
      asset.id,
    ]);
  }
}

async function seedCatalogue(client: pg.Client): Promise<void> {
  await client.query(
    `insert into products as p (id, symbol, names, asset_class, decimals, exposure_group, position, listing)
     select coalesce(old.id, (select coalesce(max(id), 0) from products) + c.place), c.symbol, c.names, c.class, c.decimals,
       c.exposure_group, c.place, c.listing
     from unnest($1::text[], $2::jsonb[], $3::text[], $4::smallint[], $5::text[], $6::jsonb[])
       with ordinality as c (symbol, names, class, decimals, exposure_group, listing, place)
     left join products old using (symbol)
     where old.proposal_id is null
     on conflict (id) do update set names = excluded.names, exposure_group = excluded.exposure_group,
       position = excluded.position, listing = excluded.listing, revision = default
     where (p.names, p.exposure_group, p.position, p.listing)
       is distinct from (excluded.names, excluded.exposure_group, excluded.position, excluded.listing)`,
    [
      CATALOGUE.map((product) => product.symbol),
      CATALOGUE.map((product) => JSON.stringify(product.names)),
      CATALOGUE.map((product) => product.assetClass),
      CATALOGUE.map((product) => product.decimals),
      CATALOGUE.map((product) => product.group),
      CATALOGUE.map((product) => JSON.stringify(programListing(product))),
    ],
  );
  await seedTradingDays(client);
  await client.query(
    'insert into product_states (product_id) select id from products on conflict do nothing',
  );
}

async function seedTradingDays(client: pg.Client): Promise<void> {
  const days = CATALOGUE.map(({ assetClass, hours }) => dayStartOf(assetClass, HOURS[hours]));
  const { rows } = await client.query<{ id: number }>(
    `update products p set day_zone = c.zone, day_from = c.begins, revision = default
     from unnest($1::text[], $2::text[], $3::text[]) as c (symbol, zone, begins)
     where p.symbol = c.symbol and p.proposal_id is null and (p.day_zone, p.day_from) <> (c.zone, c.begins) returning p.id`,
    [CATALOGUE.map(({ symbol }) => symbol), days.map(({ zone }) => zone), days.map(({ from }) => from)],
  );
  for (const { id } of rows) await client.query('select candles_make_days($1::smallint)', [id]);
}

async function seedCapital(client: pg.Client, mode: 'demo' | 'live'): Promise<void> {
  for (const [code, asset] of Object.entries(SEEDED_ASSETS)) {
    if (mode === 'live' && !asset.isPractice) continue;
    const amount = DEMO_CAPITAL * 10n ** BigInt(asset.scale);
    const hash = createHash('sha256').update(`capital ${code} ${amount}`).digest();
    await client.query('select ledger.post_capital($1, $2, $3::smallint, $4)', [
      `capital:${code}`,
      hash,
      asset.id,
      amount,
    ]);
  }
}
