import { startOffice } from '@fairtick/kit/clients/office-client.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { type Catalogue, readCatalogue } from '@fairtick/kit/levers/catalogue.ts';
import { leversIn, readLines, readLists } from '@fairtick/kit/levers/guard.ts';
import {
  operationLines,
  routesOf,
  strangeOperations,
  strangeRoutes,
} from '@fairtick/kit/levers/operations.ts';
import { type Endpoint, endpoints } from '@fairtick/protocol';
import { type OfficeOperation, officeOperations } from '@fairtick/protocol/office';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { PUBLIC } from '../../apps/server/src/platform/route-access.ts';

/**
 * No route, role or column lets anybody set a price, an outcome or a balance (S: no lever). The database's own catalogue
 * and the running servers' routes are compared with lists in tests/kit/levers/lists. Then levers are planted, and each is
 * found.
 */
const lists = readLists();
const db = ownDatabase();

/** The catalogue after this change, which is rolled back. */
async function catalogueWith(change: string): Promise<Catalogue> {
  const client = await db.owner.connect();
  try {
    await client.query('begin');
    await client.query(change);
    return await readCatalogue(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('the database', () => {
  test('has no lever', async () => {
    expect(leversIn(await readCatalogue(db.owner), lists)).toEqual([]);
  });

  const definer = 'language plpgsql security definer set search_path = public, pg_temp as';
  test.each([
    [
      'a column that overrides a price',
      'alter table products add price_override bigint',
      /products: \+ price_override .*: see tests\/kit\/levers\/lists\/columns.txt/,
    ],
    ['an outcome per order', `alter table orders add forced_result smallint`, /orders: \+ forced_result/],
    [
      'a payout for one customer',
      'alter table customers add payout_bonus_bps int',
      /customers: \+ payout_bonus_bps/,
    ],
    [
      'a flag for one customer in a table of its own',
      'create table payout_flags (customer_id bigint, bps int)',
      /the table public.payout_flags: see tests\/kit\/database\/server-rights.ts/,
    ],
    [
      'a price that is not a price',
      'alter table product_states alter tick_price set default 1',
      /tick_price bigint 1/,
    ],
    [
      'a right to read what opens sessions',
      'grant select on sessions to fairtick_server',
      /SELECT on public.sessions to fairtick_server/,
    ],
    [
      'a right to change ticks',
      'grant update on log_entries to fairtick_server',
      /UPDATE on public.log_entries to/,
    ],
    [
      'a right to change outcomes',
      'grant update (result, credited) on order_results to fairtick_server',
      /UPDATE on public.order_results.result to/,
    ],
    [
      'a right to change balances',
      'grant update (available) on ledger.balances to fairtick_server',
      /UPDATE on ledger.balances.available/,
    ],
    ['a right to post', 'grant insert on ledger.postings to public', /INSERT on ledger.postings to public/],
    [
      'rights on what is yet to come',
      'alter default privileges in schema public grant all on tables to fairtick_server',
      /default of public/,
    ],
    [
      'a function that writes a price',
      `create function nudge(_p bigint) returns void ${definer} $$ begin update product_states set tick_price = _p; end $$`,
      /nudge\(_p bigint\) writes: public.product_states: see tests\/kit\/levers\/lists\/functions.txt/,
    ],
    [
      'one that decides an outcome, in capitals and quotes',
      `create function decide() returns void ${definer} $$ begin UPDATE ONLY "public"."order_results" SET result = 1; end $$`,
      /decide\(\) writes: public.order_results/,
    ],
    [
      'one that gives money by way of another',
      `create function gift(_id bigint) returns void ${definer} $$ begin perform ledger.correct('gift', sha256('gift'), _id, 1::smallint, 5, 1); end $$`,
      /gift\(_id bigint\) writes: ledger.balances/,
    ],
    [
      'one that is called by one that may',
      `create or replace function ledger.open_balances(_owner bigint) returns void language sql security definer set search_path = pg_catalog, pg_temp as $$ update public.order_results set result = 1 where order_id = _owner; insert into ledger.balances (owner_id, asset_id) select _owner, id from ledger.assets $$`,
      /open_balances\(_owner bigint\) writes: ledger.balances public.order_results/,
    ],
    [
      'one that puts its statement together',
      `create function run(_t text) returns void ${definer} $$ begin execute _t; end $$`,
      /run\(_t text\) puts statements together: see .*dynamic.txt/,
    ],
    [
      'a door that takes an outcome',
      `create function orders_settle(_key text, _outcome int) returns void ${definer} $$ begin update order_results set result = _outcome; end $$`,
      /orders_settle\(_key text, _outcome integer\) writes/,
    ],
    [
      'a function that the server was not given',
      'grant execute on function ledger.post_capital to fairtick_server',
      /fairtick_server may call ledger.post_capital: see .*server-rights.ts/,
    ],
    [
      'a trigger that changes what is written',
      `create function tilt() returns trigger ${definer} $$ begin new.settle_price := new.open_price; return new; end $$; create trigger tilt before update on order_results for each row execute function tilt()`,
      /the trigger public.order_results tilt .*: see .*triggers.txt/,
    ],
    [
      'a rule in place of what is written',
      'create rule keep as on update to orders do instead nothing',
      /rule keep on public.orders/,
    ],
    [
      'a policy that hides',
      'create policy hidden on orders using (true)',
      /policy hidden on orders: see .*behind-statements.txt/,
    ],
    [
      'a role of its own',
      'grant select, update on orders to pg_monitor',
      /UPDATE on public.orders to pg_monitor/,
    ],
  ])('is reported with %s', async (_name, change, found) => {
    const levers = leversIn(await catalogueWith(change), lists);
    expect(levers.join('\n')).toMatch(found);
  });

  test('is not reported for a function that only looks like a lever', async () => {
    const harmless = await catalogueWith(
      `create function harmless() returns text ${definer} $$
       -- update order_results set result = 1
       begin perform from orders for update; return 'insert into ledger.postings'; end $$`,
    );
    expect(leversIn(harmless, lists)).toEqual([]);
  });
});

describe('the operations', () => {
  const listed = new Set(readLines('operations'));

  test('are exactly the listed ones, with their fields and roles', () => {
    expect(strangeOperations(operationLines(), listed)).toEqual([]);
  });

  const create: Endpoint = endpoints.orderCreate;
  const refuse: OfficeOperation = officeOperations['deposit/refuse'];
  const withField = <T extends { readonly input: z.ZodType }>(operation: T, shape: z.ZodRawShape): T => ({
    ...operation,
    input: (operation.input as z.ZodObject).extend(shape),
  });
  test.each<[string, () => string[], RegExp]>([
    [
      'an operation of the office with an outcome',
      () => operationLines({}, { 'order/settle': withField(refuse, { outcome: z.string() }) }),
      /POST order\/settle .* outcome: see tests\/kit\/levers\/lists\/operations.txt/,
    ],
    [
      'an order that names its payout rate',
      () => operationLines({ orderCreate: withField(create, { payoutRate: z.string() }) }),
      /POST order\/create .* payoutRate/,
    ],
    [
      'a field deep within a form',
      () =>
        operationLines({
          orderCreate: withField(create, {
            options: z.array(z.object({ openPrice: z.string() })).optional(),
          }),
        }),
      /options\.\[\]\.openPrice/,
    ],
    [
      'a correction that one can approve',
      () =>
        operationLines(
          {},
          {
            'correction/approve': {
              ...officeOperations['correction/approve'],
              roles: ['cashier', 'approver'],
            },
          },
        ),
      /POST correction\/approve cashier,approver/,
    ],
    [
      'a balance for everybody',
      () => operationLines({ setBalance: { ...create, path: 'user/setBalance', access: 'public' } }),
      /POST user\/setBalance public/,
    ],
  ])('are reported with %s', (_name, lines, found) => {
    expect(strangeOperations(lines(), listed).join('\n')).toMatch(found);
  });
});

describe('the servers', () => {
  const listed = new Set(readLines('routes'));

  test('have no routes besides the operations and the listed ones', async () => {
    const routes = await routesOf(async () => {
      const api = await startOffice(db);
      await api.stop();
    });
    expect(routes).toContain('POST /api/order/create');
    expect(routes).toContain('POST /api/deposit/approve');
    expect(strangeRoutes(routes, listed)).toEqual([]);
  });

  test('are reported with an unlisted route that is declared public', async () => {
    const { default: Fastify } = await import('fastify');
    const routes = await routesOf(async () => {
      const app = Fastify();
      app.register(async (inner) => {
        inner.post('/api/product/nudge', PUBLIC, async () => null);
        inner.get('/api/transparency/steer', PUBLIC, async () => null);
      });
      await app.ready();
      await app.close();
    });
    expect(strangeRoutes(routes, listed)).toEqual([
      'the route GET /api/transparency/steer: see tests/kit/levers/lists/routes.txt',
      'the route POST /api/product/nudge: see tests/kit/levers/lists/routes.txt',
    ]);
  });
});
