import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openSeeds, openWriter, readTexts, storyOf } from '@fairtick/kit/installation/writers.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import type { OfficeInput } from '@fairtick/protocol/office';
import { searchProducts } from '@fairtick/ui/search-products';
import { beforeAll, expect, test } from 'vitest';
import { SEEDED_CHECK } from '../../commands/audit-seeded.ts';
import { MarketView } from '../../market/market-view.ts';
import { NO_STOPS } from '../../market/order-stops.ts';
import { boardAnswers } from '../../market/product-answers.ts';
import { closedOf } from '../../market/product-state.ts';
import { SimulatedFeed } from '../../market/simulated/simulated-feed.ts';
import type { WriterTerm } from '../../market/writer/writer-term.ts';
import { failureOf } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import type { OfficeContext } from '../../platform/office-area.ts';
import { catalogueHandlers } from './office.ts';

const LINK = 'LINK/USDT';
const MINUTE_MS = 60_000;
const house = forFile(() => House.open(new ManualFeed({}, 'manual', new Set())));
let writer: WriterTerm;
let clerk: OfficeContext;
let approver: OfficeContext;
const as = (staffId: string) => ({ language: 'en', session: { staffId } }) as OfficeContext;
const office = () =>
  catalogueHandlers({
    pool: house.db.server,
    products: house.products,
    feed: 'simulated',
    mode: 'demo',
    sourcesFile: null,
  });

beforeAll(async () => {
  clerk = as(await installStaff(house.db.owner, 'catalogue'));
  approver = as(await installStaff(house.db.owner, 'approver'));
  writer = await begin(START_MS);
});

/** A writer of simulated prices that begins at this time. */
async function begin(sinceMs: number): Promise<WriterTerm> {
  const seeds = await openSeeds(house, START_MS);
  const options = { products: house.products, seeds, installedMs: START_MS, sinceMs };
  const begun = await openWriter(house, new SimulatedFeed(options));
  return begun;
}

async function runFor(ms: number): Promise<void> {
  const untilMs = house.clock.targetMs + ms;
  while (house.clock.targetMs < untilMs) {
    house.clock.stepTo(Math.min(house.clock.targetMs + 1_000, untilMs));
    await writer.step();
  }
}

const FORM: OfficeInput<'catalogue/proposeProduct'> = {
  ...{
    symbol: LINK,
    nameZh: '链环',
    nameTw: '鏈環',
    nameEn: 'Chain Link',
    aliases: 'lian huan, oracle coin',
  },
  ...{ assetClass: 'crypto', decimals: 3, group: 'crypto', hours: 'round-the-clock', like: 'BTC/USDT' },
  ...{ reference: '14.5', volatility: '60', follows: 'currency:BTC', note: 'customers ask for it' },
};
const propose = (other: Partial<typeof FORM> = {}) =>
  office()['catalogue/proposeProduct']({ ...FORM, ...other }, clerk);

/** The refusal's code, with the part that is out of bounds. */
async function refusalOf(act: Promise<unknown> | unknown): Promise<string> {
  try {
    await act;
    return 'done';
  } catch (error) {
    const { code, parameters } = error as RefusalError;
    if (error instanceof RefusalError) return [code, parameters?.part].filter(Boolean).join(' ');
    const state = failureOf(error);
    if (state === null) throw error;
    return state;
  }
}

const linkRules = async () => (await readTexts(house)).filter((text) => text.startsWith(`rules|4|${LINK}|`));
const buy = (customer: string, minutes = 1) =>
  house.place([house.request(customer, { symbol: LINK, amount: '10', minutes })]);

/** The answer to an order at a price of this moment: the log's time runs on between two steps. */
async function answerTo(customer: string, minutes: number): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    await runFor(250);
    const [answer] = await buy(customer, minutes);
    const code = answer?.kind === 'refused' ? answer.code : String(answer?.kind);
    if (code !== 'PRICE_UNAVAILABLE' || tries === 40) return code;
  }
}

test.each<[Partial<typeof FORM>, string]>([
  [{ symbol: 'BTC/USDT' }, 'NOTHING_NEW'],
  [{ symbol: 'ABCDEFGHIJKLM' }, 'RULES_OUT_OF_BOUNDS symbols'],
  [{ group: 'mine' }, 'RULES_OUT_OF_BOUNDS group'],
  [{ hours: 'always' }, 'RULES_OUT_OF_BOUNDS hours'],
  [{ like: 'NO/NE' }, 'PRODUCT_NOT_FOUND'],
  [{ reference: '' }, 'RULES_OUT_OF_BOUNDS reference'],
  [{ decimals: 1 }, 'RULES_OUT_OF_BOUNDS reference'],
  [{ volatility: '301' }, 'RULES_OUT_OF_BOUNDS volatility'],
  [{ follows: 'currency:XYZ' }, 'RULES_OUT_OF_BOUNDS follows'],
])('a product with %j is refused', async (other, code) => {
  expect(await refusalOf(propose(other))).toBe(code);
});

test('a product is added by two, logged before it holds, found, traded, settled and closed for good', async () => {
  await runFor(1_000);
  const market = new MarketView(house.db.server, house.products, house.rules);
  await market.load();
  house.products.onChange(() => market.load());
  const nowMs = () => house.clock.targetMs;
  const parts = { feed: 'simulated', nowMs, logMs: nowMs, stops: () => NO_STOPS };
  const board = () => boardAnswers({ assets: house.assets, ...parts }, market.all(), 'en');

  const { id } = await propose();
  const change = await office()['catalogue/change']({ id }, approver);
  expect(change).toMatchObject({ kind: 'product_new', state: 'proposed', effectiveAt: null, products: 1 });
  expect(change.differences).toContainEqual({
    path: 'names.zh',
    before: null,
    after: '链环',
    symbols: [LINK],
  });
  expect(await refusalOf(office()['catalogue/approve']({ id, content: change.content }, clerk))).toBe(
    'ROLE_MISSING',
  );
  await runFor(2_000);
  expect(house.products.bySymbol(LINK)).toBeNull();
  await office()['catalogue/approve']({ id, content: change.content }, approver);
  await runFor(2_000);
  const [rules = ''] = await linkRules();
  const stated = JSON.parse(rules.split('|').slice(6).join('|'));
  expect(stated).toMatchObject({ symbol: LINK, decimals: 3, sources: ['sim-a', 'sim-b', 'sim-c'] });
  expect(Number(rules.split('|')[4]) - house.clock.targetMs).toBeGreaterThan(5_000);
  expect(await storyOf(house, LINK)).toEqual([]);
  const customer = await house.customer();
  expect((await buy(customer))[0]).toMatchObject({ kind: 'refused' });

  await house.db.server.query(`insert into watched_products values ($1, now() + interval '1 hour')`, [
    house.product(LINK).id,
  ]);
  await runFor(30_000);
  await market.refreshRules();
  expect(searchProducts(board())('lian huan')[0]?.symbol).toBe(LINK);
  expect(searchProducts(board())('鏈環')[0]).toMatchObject({ symbol: LINK, name: 'Chain Link' });
  expect(searchProducts(board())('cl').map(({ symbol }) => symbol)).toContain(LINK);
  expect(await answerTo(customer, 1)).toBe('accepted');
  await runFor(70_000);
  expect(await house.settle()).toBe(1);
  expect(await SEEDED_CHECK.run(house.db.owner as never)).toEqual([]);

  const { schedule } = stated;
  const windows = [{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00' }];
  const end = (until: string) =>
    office()['catalogue/propose'](
      {
        ...{ kind: 'product_end', symbols: LINK, effectiveAt: house.clock.targetMs + 80 * MINUTE_MS },
        ...{ note: 'few trade it', rules: JSON.stringify({ schedule: { ...schedule, windows, until } }) },
      },
      clerk,
    );
  expect(await refusalOf(end('2026-05-31'))).toContain('RULES_OUT_OF_BOUNDS until');
  const closing = await end('2026-06-01');
  await office()['catalogue/approve'](closing, approver);
  await runFor(2_000);
  expect(house.product(LINK).closesOn).toBe('2026-06-01');
  expect((await linkRules())[1]).toContain('"until":"2026-06-01"');
  expect(await refusalOf(end('2026-06-02'))).toContain('RULES_OUT_OF_BOUNDS symbols');

  const lastMs = Date.UTC(2026, 5, 2);
  house.clock.stepTo(lastMs - 2 * MINUTE_MS);
  writer = await begin(house.clock.targetMs);
  await runFor(20_000);
  expect(await answerTo(customer, 5)).toBe('SESSION_ENDS');
  expect(await answerTo(customer, 1)).toBe('accepted');
  await runFor(lastMs - house.clock.targetMs + 2_000);
  expect(await house.settle()).toBe(1);
  expect((await storyOf(house, LINK)).at(-1)).toBe('gap session');
  const view = new MarketView(house.db.server, house.products, house.rules);
  await view.load();
  expect(closedOf(view.get(house.product(LINK).id), parts)?.because).toBe('ended');
  // A feed that begins anew brings no further rules, and the log admits none.
  house.clock.stepTo(lastMs + 60 * MINUTE_MS);
  writer = await begin(house.clock.targetMs);
  await runFor(2_000);
  expect(await linkRules()).toHaveLength(2);
  expect(await house.violations()).toEqual([]);
}, 120_000);
