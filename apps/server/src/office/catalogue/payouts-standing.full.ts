import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openWriter, readTexts, storyOf } from '@fairtick/kit/installation/writers.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { parseEntry } from '@fairtick/proof';
import type { ProductRules } from '@fairtick/trading';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WriterTerm } from '../../market/log/writer-term.ts';
import { failureOf } from '../../platform/db/database.ts';

/**
 * Payouts and limits belong to the product, whichever feed it has. A new feed, or a holder of the log's lease, can't bring in
 * payouts that two people did not agree on, or bring back replaced ones. Called with the server's role.
 */
const HOUR_MS = 3_600_000;
const EFFECTIVE_MS = START_MS + 2 * HOUR_MS;
const RATES = [
  { minutes: 1, payoutRate: '0.81' },
  { minutes: 60, payoutRate: '0.92' },
];

let house: House;
let feed: ManualFeed;
beforeEach(async () => {
  feed = new ManualFeed();
  house = await House.open(feed);
});
afterEach(() => house.close());

async function refusalOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    const state = failureOf(error);
    if (state === null) throw error;
    return state;
  }
}

/** Two people agree on other rates for EUR/USD, effective two hours after the start. */
async function agreeOnRates(): Promise<void> {
  const { owner, server } = house.db;
  const [clerk, approver] = [await installStaff(owner, 'catalogue'), await installStaff(owner, 'approver')];
  const { rows } = await server.query<{ id: string; content: Buffer }>(
    `select * from rules_propose($1, 'payout_table', 'manual', $2, 'other rates', $3, $4)`,
    [clerk, EFFECTIVE_MS, [house.product('EUR/USD').id], JSON.stringify({ cycles: RATES })],
  );
  await server.query(`select proposal_approve($1, '{payout_table,feed_rules}', $2, $3)`, [
    approver,
    rows[0]?.id,
    rows[0]?.content,
  ]);
}

/** All rules of EUR/USD in the log under this scope. */
async function logged(scope: string) {
  return (await readTexts(house)).flatMap((text) => {
    const entry = parseEntry(text);
    return entry?.kind === 'rules' && entry.scope === `${scope}/EUR/USD`
      ? [{ effectiveMs: entry.effectiveMs, rules: JSON.parse(entry.json) as ProductRules }]
      : [];
  });
}

/** The feed and the one-hour rate of the rules that EUR/USD is under. */
async function present(): Promise<string> {
  const { rows } = await house.db.server.query<{ entry: string }>(
    'select r.entry from product_states s join rules r on r.id = s.rules_id where s.product_id = $1',
    [house.product('EUR/USD').id],
  );
  const entry = parseEntry(rows[0]?.entry ?? '');
  if (entry?.kind !== 'rules') return 'none';
  const { cycles } = JSON.parse(entry.json) as ProductRules;
  return `${entry.scope.split('/')[0]} ${cycles.find(({ minutes }) => minutes === 60)?.payoutRate}`;
}

/** Appends an entry of rules, as a holder of the lease could without our programs. */
function append(entry: { scope: string; effectiveMs: number; rules: object } | null): Promise<string | null> {
  const text = entry && `rules|1|${entry.scope}|${entry.effectiveMs}|${JSON.stringify(entry.rules)}`;
  return refusalOf(
    house.db.server.query(
      `select log_append(h.epoch, h.size, sha256(''), '', h.time_ms, h.offset_ms, null, array[5]::smallint[], array[h.time_ms],
         array[$1]::smallint[], array[$2]::bigint[], array[null]::bigint[], array[null]::bigint[], array[null]::bytea[], array[$3],
         '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
         '{}', '{}', '{}', '{}', '{}') from log_head h`,
      [house.product('EUR/USD').id, entry?.effectiveMs, text],
    ),
  );
}

/** Tries to put EUR/USD under these rules, as a holder of the lease could. */
function use(pick: string): Promise<string | null> {
  return refusalOf(
    house.db.server.query(
      `select log_append(h.epoch, h.size, h.root, h.peaks, h.time_ms, h.offset_ms, null, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
         '{}', '{}', '{}', array[s.product_id], array[s.last_n], array[s.tick_n], array[s.tick_ms], array[s.tick_price],
         array[s.tick_index], array[s.gap_reason], array[s.gap_ms], array[s.orders_from_ms], array[(${pick})],
         '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')
       from log_head h, product_states s where s.product_id = $1`,
      [house.product('EUR/USD').id],
    ),
  );
}

/** Switches the log to another feed; opens its writer and makes one step. */
async function switchTo(next: ManualFeed): Promise<WriterTerm> {
  const writer = await openWriter(house, next);
  await stepTo(writer, house.clock.targetMs + 250);
  return writer;
}

async function stepTo(writer: WriterTerm, timeMs: number): Promise<void> {
  house.clock.stepTo(timeMs);
  await writer.step();
}

const other = () => new ManualFeed({ cycles: [{ minutes: 60, payoutRate: '0.93' }] }, 'other');

describe('a feed that is new to a product', () => {
  test('begins with the payouts in force and adopts an approved table at its effective time', async () => {
    const before = (await logged('manual'))[0]?.rules.cycles;
    await agreeOnRates();
    await house.stepTo(START_MS + 2_000);
    const writer = await switchTo(other());
    const [first, second] = await logged('other');
    expect(first?.rules.cycles).toEqual(before);
    expect(second).toMatchObject({ effectiveMs: EFFECTIVE_MS, rules: { cycles: RATES } });
    expect(await present()).toBe('other 0.93');
    await stepTo(writer, EFFECTIVE_MS - 250);
    expect(await present()).toBe('other 0.93');
    await stepTo(writer, EFFECTIVE_MS);
    expect(await present()).toBe('other 0.92');
  });

  test('begins with the approved table if that is already in force', async () => {
    await agreeOnRates();
    await house.stepTo(START_MS + 2_000);
    await house.stepTo(EFFECTIVE_MS);
    await switchTo(other());
    expect(await logged('other')).toMatchObject([{ rules: { cycles: RATES } }]);
    expect(await present()).toBe('other 0.92');
  });

  test('can’t have other payouts, whoever appends its rules', async () => {
    await agreeOnRates();
    await house.stepTo(START_MS + 2_000);
    await house.stepTo(EFFECTIVE_MS);
    const rules = (await logged('manual'))[0]?.rules as ProductRules;
    const add = (cycles: unknown, effectiveMs: number) =>
      append({ scope: 'other/EUR/USD', effectiveMs, rules: { ...rules, cycles } });
    const mine = [{ minutes: 60, payoutRate: '0.8' }];
    expect(await add(mine, EFFECTIVE_MS)).toBe('RULES_MISMATCH');
    // The replaced payouts can be logged with a time before the agreed table's, but can't be put in force.
    expect(await add(rules.cycles, EFFECTIVE_MS)).toBe('RULES_MISMATCH');
    expect(await add(rules.cycles, EFFECTIVE_MS - 1)).toBeNull();
    expect(await use(`select id from rules where entry like 'rules|1|other/EUR/USD|%'`)).toBe(
      'RULES_MISMATCH',
    );
    expect(await present()).toBe('manual 0.92');
  });
});

describe('rules that were replaced', () => {
  test('can’t be put back by a holder of the lease', async () => {
    await agreeOnRates();
    await house.stepTo(START_MS + 2_000);
    await house.stepTo(EFFECTIVE_MS);
    expect(await present()).toBe('manual 0.92');
    const [first] = await logged('manual');
    expect(await use('select min(id) from rules r where r.product_id = s.product_id')).toBe('RULES_MISMATCH');
    // Logging the replaced rules again, for a later time, is refused too.
    const again = {
      scope: 'manual/EUR/USD',
      effectiveMs: EFFECTIVE_MS + 3 * HOUR_MS,
      rules: first?.rules ?? {},
    };
    expect(await append(again)).toBe('RULES_MISMATCH');
    expect(await use('select max(id) from rules r where r.product_id = s.product_id')).toBeNull();
  });

  test('do not come back with a returning feed, which has no price until it adopts the approved table', async () => {
    await switchTo(other());
    await switchTo(feed);
    await agreeOnRates();
    const writer = await switchTo(feed);
    await stepTo(writer, house.clock.targetMs + 2_000);
    await stepTo(writer, EFFECTIVE_MS);
    feed.price(house.product('EUR/USD'), '1.08400', EFFECTIVE_MS + 250);
    await stepTo(writer, EFFECTIVE_MS + 250);
    expect(await present()).toBe('manual 0.92');
    const next = other();
    const away = await switchTo(next);
    // The other feed has no rules in force that two people agreed on.
    expect(await present()).toBe('manual 0.92');
    const [, taken] = await logged('other');
    expect(taken?.rules.cycles).toEqual(RATES);
    const fromMs = taken?.effectiveMs ?? 0;
    expect(fromMs).toBeGreaterThanOrEqual(EFFECTIVE_MS + HOUR_MS);
    next.price(house.product('EUR/USD'), '1.08500', house.clock.targetMs + 250);
    await stepTo(away, house.clock.targetMs + 250);
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.08400', 'gap end']);
    await stepTo(away, Math.ceil(fromMs / 250) * 250);
    expect(await present()).toBe('other 0.92');
  });
});

test('the first payouts of a product keep within the bounds of payout tables', async () => {
  await house.db.owner.query(`insert into products
    select 9999, 'NEW/ONE', '{"zh": "new", "tw": "new", "en": "new"}', asset_class, decimals, exposure_group, 9999 from products limit 1`);
  const rules = (await logged('manual'))[0]?.rules as ProductRules;
  const first = (payoutRate: string) =>
    refusalOf(
      house.db.owner.query(
        `insert into rules (id, product_id, hash, effective_ms, entry)
         values (99999999, 9999, sha256('one'), 1, $1)`,
        [`rules|1|manual/NEW/ONE|1|${JSON.stringify({ ...rules, cycles: [{ minutes: 60, payoutRate }] })}`],
      ),
    );
  expect(await first('0.95')).toBe('RULES_MISMATCH');
  expect(await first('0.93')).toBeNull();
});
