import { failureIn } from '@fairtick/kit/database/failures.ts';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import {
  appendRules,
  openWriter,
  putUnderRules,
  readTexts,
  rootOfTexts,
} from '@fairtick/kit/installation/writers.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { parseEntry } from '@fairtick/proof';
import type { ProductRules } from '@fairtick/trading';
import { beforeEach, describe, expect, test } from 'vitest';
import { MarketView } from '../../market/market-view.ts';
import { NO_STOPS } from '../../market/order-stops.ts';
import { productAnswer } from '../../market/product-answers.ts';
import { Assets } from '../../platform/assets.ts';

/** Changes of the rules as the database enforces them, called with the server's role: promise 16, and rule 7 of an order. */
const HOUR_MS = 3_600_000;
const RATES = [
  { minutes: 1, payoutRate: '0.81' },
  { minutes: 60, payoutRate: '0.93' },
];
let clerk: string;
let approver: string;
const feed = forTest(() => new ManualFeed());
const house = forTest(() => House.open(feed));
beforeEach(async () => {
  clerk = await installStaff(house.db.owner, 'catalogue');
  approver = await installStaff(house.db.owner, 'approver');
});

interface Proposal {
  by?: string;
  kind?: string;
  atMs?: number;
  symbols?: readonly string[];
  patch?: object;
}
const EFFECTIVE_MS = START_MS + 2 * HOUR_MS;

async function propose(proposal: Proposal = {}): Promise<{ id: string; content: Buffer }> {
  const { by = clerk, kind = 'payout_table', atMs = EFFECTIVE_MS, symbols = ['EUR/USD'] } = proposal;
  const { rows } = await house.db.server.query<{ id: string; content: Buffer }>(
    `select * from rules_propose($1, $2, $3, 'better rates', $4, $5)`,
    [
      by,
      kind,
      atMs,
      symbols.map((symbol) => house.product(symbol).id),
      JSON.stringify(proposal.patch ?? { cycles: RATES }),
    ],
  );
  return rows[0] as { id: string; content: Buffer };
}

const approve = (change: { id: string; content: Buffer }, by = approver) =>
  house.db.server.query(`select proposal_approve($1, '{payout_table,feed_rules}', $2, $3)`, [
    by,
    change.id,
    change.content,
  ]);

async function loggedRules(symbol = 'EUR/USD') {
  return (await readTexts(house)).flatMap((text) => {
    const entry = parseEntry(text);
    return entry?.kind === 'rules' && entry.symbol === symbol
      ? [{ effectiveMs: entry.effectiveMs, rules: JSON.parse(entry.json) as ProductRules }]
      : [];
  });
}

async function standing(id: string): Promise<string> {
  const { rows } = await house.db.server.query<{ standing: string }>(
    'select rules_standing(p) as standing from proposals p where id = $1',
    [id],
  );
  return rows[0]?.standing ?? '';
}

/** Moves the log to a time, with a price at it. */
async function tickAt(timeMs: number): Promise<void> {
  feed.price(house.product('EUR/USD'), '1.08400', timeMs);
  await house.stepTo(timeMs);
}

describe('a change of the payout table', () => {
  test('is logged once two people agree, takes effect at its time, and applies to new orders only', async () => {
    const customer = await house.customer();
    const buy = () =>
      house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10', minutes: 60 })]);
    const change = await propose({ patch: { cycles: [{ minutes: 60, payoutRate: '0.91' }] } });
    await tickAt(START_MS + 1_000);
    expect(await loggedRules()).toHaveLength(1);
    await approve(change);
    expect(await standing(change.id)).toBe('approved');
    await tickAt(START_MS + 2_000);
    expect(await standing(change.id)).toBe('logged');
    expect((await loggedRules())[1]).toMatchObject({
      effectiveMs: EFFECTIVE_MS,
      rules: { cycles: [{ minutes: 60, payoutRate: '0.91' }] },
    });
    // The rules of other products did not change.
    expect(await loggedRules('BTC/USDT')).toHaveLength(1);

    for (let ms = EFFECTIVE_MS - 16_000; ms < EFFECTIVE_MS; ms += 1_000) await tickAt(ms);
    expect((await buy())[0]).toMatchObject({ kind: 'accepted' });
    for (let ms = EFFECTIVE_MS; ms <= EFFECTIVE_MS + 2_000; ms += 1_000) await tickAt(ms);
    expect((await buy())[0]).toMatchObject({ kind: 'accepted' });
    expect(await standing(change.id)).toBe('in_force');
    for (let ms = EFFECTIVE_MS + 3_000; ms < EFFECTIVE_MS + 10_000; ms += 1_000) await tickAt(ms);
    feed.price(house.product('EUR/USD'), '1.09000', EFFECTIVE_MS + HOUR_MS - 16_500);
    for (let ms = EFFECTIVE_MS + HOUR_MS - 16_000; ms <= EFFECTIVE_MS + HOUR_MS + 6_000; ms += 1_000) {
      feed.price(house.product('EUR/USD'), '1.09000', ms);
      await house.stepTo(ms);
    }
    expect(await house.settle()).toBe(2);
    const { rows } = await house.db.server.query(
      'select payout_rate_bps as rate, result, credited from orders_and_results order by id',
    );
    expect(rows).toEqual([
      { rate: 9300, result: 1, credited: '19300000' },
      { rate: 9100, result: 1, credited: '19100000' },
    ]);
    expect(await house.violations()).toEqual([]);
  });

  test('applies to an order from its effective time on, also before the next grid time', async () => {
    const customer = await house.customer();
    await approve(await propose({ atMs: EFFECTIVE_MS + 100 }));
    await tickAt(START_MS + 2_000);
    for (let ms = EFFECTIVE_MS - 16_000; ms <= EFFECTIVE_MS; ms += 1_000) await tickAt(ms);
    // The log's clock runs on, and no step is made.
    await until(async () => {
      const { rows } = await house.db.server.query<{ now: string }>('select log_now() as now');
      return Number(rows[0]?.now) > EFFECTIVE_MS + 100;
    });
    await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10', minutes: 1 })]);
    const { rows } = await house.db.server.query(
      'select n::int, payout_rate_bps as rate from orders o join rules r on r.id = o.rules_id',
    );
    expect(rows).toEqual([{ n: 2, rate: 8100 }]);
  });

  test('appears in the customer’s list once it is in force', async () => {
    await approve(await propose());
    await tickAt(START_MS + 2_000);
    const market = new MarketView(house.db.server, house.products, house.rules);
    await market.load();
    const parts = {
      assets: await Assets.load(house.db.server),
      feed: 'simulated',
      nowMs: () => START_MS,
      logMs: () => null,
      stops: () => NO_STOPS,
    };
    const rates = () =>
      productAnswer(parts, market.get(house.product('EUR/USD').id), {
        language: 'en',
        level: 'bronze',
      }).cycles.map(({ minutes, payoutRate }) => ({ minutes, payoutRate }));
    expect(rates()).toHaveLength(6);
    await tickAt(EFFECTIVE_MS - 1_000);
    await market.refreshRules();
    expect(rates()).toHaveLength(6);
    await tickAt(EFFECTIVE_MS);
    await market.refreshRules();
    expect(rates()).toEqual(RATES);
  });

  test('stays in force after a restart and with a new version of the program, which changes only rules of prices', async () => {
    await approve(await propose());
    await tickAt(START_MS + 2_000);
    house.clock.stepTo(START_MS + 3_000);
    await (await openWriter(house, new ManualFeed())).step();
    expect(await loggedRules()).toHaveLength(2);
    const brought = new ManualFeed({ outlierBps: 77, cycles: [{ minutes: 5, payoutRate: '0.93' }] });
    house.clock.stepTo(START_MS + 4_000);
    await (await openWriter(house, brought)).step();
    const [, , third] = await loggedRules();
    expect(third?.rules).toMatchObject({ outlierBps: 77, cycles: RATES });
    expect(third?.effectiveMs).toBeGreaterThan(EFFECTIVE_MS);
  });

  test('needs another person’s approval of exactly this content', async () => {
    const change = await propose();
    expect(await failureIn(approve(change, clerk))).toBe('ROLE_MISSING');
    const both = await installStaff(house.db.owner, 'catalogue');
    await house.db.owner.query(
      `insert into staff_roles (staff_id, role, usable_from) values ($1, 'approver', now())`,
      [both],
    );
    expect(await failureIn(approve(await propose({ by: both }), both))).toBe('OWN_EDIT');
    expect(await failureIn(approve({ ...change, content: Buffer.alloc(32) }))).toBe('CONTENT_CHANGED');
    expect(await failureIn(propose({ by: approver }))).toBe('ROLE_MISSING');
    await house.db.server.query(`select proposal_refuse($1, '{payout_table,feed_rules}', $2, 'no')`, [
      clerk,
      change.id,
    ]);
    expect(await failureIn(approve(change))).toBe('CHANGE_NOT_FOUND');
    await tickAt(START_MS + 2_000);
    expect(await loggedRules()).toHaveLength(1);
  });

  test('is logged once after a hundred concurrent approvals', async () => {
    const change = await propose();
    const told = await Promise.all(Array.from({ length: 100 }, () => failureIn(approve(change))));
    expect(told.filter((code) => code === null)).toHaveLength(1);
    await tickAt(START_MS + 2_000);
    await tickAt(START_MS + 4_000);
    expect(await loggedRules()).toHaveLength(2);
  });

  test.each([
    ['in the past', START_MS - HOUR_MS],
    ['sooner than the longest cycle', START_MS + HOUR_MS],
    ['in a month', START_MS + 30 * 24 * HOUR_MS],
  ])('is refused for an effective time: %s', async (_name, atMs) => {
    expect(await failureIn(propose({ atMs }))).toBe('RULES_TOO_SOON');
  });

  test('is not approved or logged once its effective time is too near', async () => {
    const [late, slow] = [await propose(), await propose({ symbols: ['BTC/USDT'] })];
    await approve(slow);
    // The feed was stopped for a while, so the change was not logged.
    await house.db.owner.query('update log_head set offset_ms = offset_ms + $1', [HOUR_MS]);
    expect(await failureIn(approve(late))).toBe('RULES_TOO_SOON');
    expect(await standing(late.id)).toBe('lapsed');
    expect(await standing(slow.id)).toBe('lapsed');
    await house.stepTo(EFFECTIVE_MS - HOUR_MS + 5_000);
    expect(await loggedRules('BTC/USDT')).toHaveLength(1);
  });

  test('is not approved if the rules that it is based on have changed', async () => {
    const [one, other] = [await propose(), await propose({ patch: { cycles: RATES.slice(0, 1) } })];
    await approve(one);
    await tickAt(START_MS + 2_000);
    expect(await failureIn(approve(other))).toBe('RULES_MOVED');
    // A later change has to take effect after the approved one.
    expect(await failureIn(propose({ patch: { cycles: RATES.slice(0, 1) } }))).toBe('RULES_TOO_SOON');
  });
});

describe('a change of a feed’s rules', () => {
  const schedule = {
    zone: 'Asia/Tokyo',
    windows: [{ days: [1, 2, 3, 4, 5], from: '09:00', to: '15:30' }],
    holidays: ['2026-12-31'],
    shortDays: [{ date: '2026-12-30', windows: [{ from: '09:00', to: '11:30' }] }],
  };
  test('changes trading hours and holidays of one product from its effective time on', async () => {
    await approve(
      await propose({ kind: 'feed_rules', patch: { schedule, quorum: 3, quietMs: 1_000, waitMs: 500 } }),
    );
    await tickAt(START_MS + 2_000);
    expect((await loggedRules())[1]?.rules).toMatchObject({
      schedule,
      quorum: 3,
      quietMs: 1_000,
      waitMs: 500,
      delayMs: 2_000,
    });
    await tickAt(EFFECTIVE_MS - 1_000);
    await tickAt(EFFECTIVE_MS + 1_000);
    // 23:00 in Tokyo.
    expect((await readTexts(house)).at(-1)).toMatch(/^gap\|4\|EUR\/USD\|.*\|session\|[0-9a-f]{64}\|$/);
  });
});

describe('the writer of the log', () => {
  /** Appends an entry of rules, as a holder of the lease could without our programs. */
  async function append(rules: ProductRules, effectiveMs: number): Promise<string | null> {
    const first = (await readTexts(house)).find((text) => text.startsWith('rules|4|EUR/USD|1|')) as string;
    const entry = `rules|4|EUR/USD|2|${effectiveMs}|${rootOfTexts([first])}|${JSON.stringify(rules)}`;
    return failureIn(appendRules(house, house.product('EUR/USD').id, entry));
  }
  const present = async () => (await loggedRules())[0]?.rules as ProductRules;

  test('can’t log unapproved payouts or rules that take effect too soon', async () => {
    const rules = await present();
    const soon = START_MS + 2 * HOUR_MS;
    expect(await append({ ...rules, cycles: RATES }, soon)).toBe('RULES_MISMATCH');
    expect(await append({ ...rules, levels: { ...rules.levels, gold: 3 } }, soon)).toBe('RULES_MISMATCH');
    expect(await append({ ...rules, delayMs: 1_500 }, START_MS + 1_000)).toBe('RULES_MISMATCH');
    expect(await append({ ...rules, delayMs: 999 }, soon)).toBe('RULES_MISMATCH');
    const change = await propose();
    expect(await append({ ...rules, cycles: RATES }, EFFECTIVE_MS)).toBe('RULES_MISMATCH');
    await approve(change);
    expect(await append({ ...rules, cycles: RATES }, EFFECTIVE_MS + 1)).toBe('RULES_MISMATCH');
    expect(await append({ ...rules, cycles: RATES, delayMs: 999 }, EFFECTIVE_MS)).toBe('RULES_MISMATCH');
    expect(await append({ ...rules, cycles: RATES }, EFFECTIVE_MS)).toBeNull();
  });

  test('can’t put a product under rules that are not in force or another product’s', async () => {
    await approve(await propose());
    await tickAt(START_MS + 2_000);
    const use = (pick: string) => failureIn(putUnderRules(house, house.product('EUR/USD').id, pick));
    expect(await use('select max(id) from rules')).toBe('RULES_MISMATCH');
    expect(await use('select min(id) from rules where product_id <> s.product_id')).toBe('RULES_MISMATCH');
    expect(await use('select s.rules_id')).toBeNull();
  });
});

describe('a halt', () => {
  const halt = (by: string) =>
    house.db.server.query('select trading_halt($1, $2)', [by, 'a source lies, says\n|\tshe']);
  const haltsLogged = async () => (await readTexts(house)).filter((text) => text.startsWith('halt|'));
  const place = async () => {
    const customer = await house.customer();
    const [answer] = await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10' })]);
    return answer?.kind === 'refused' ? answer.code : answer?.kind;
  };
  const openHalt = async () =>
    (
      await house.db.server.query(
        `select h.id, p.content_hash as lift_content from trading_halts h left join proposals p on p.id = h.lift_id
         where lifted_at is null`,
      )
    ).rows[0];

  test('is started at once by one person, stops new orders only, and needs two people to lift', async () => {
    for (let ms = START_MS + 1_000; ms <= START_MS + 16_000; ms += 1_000) await tickAt(ms);
    expect(await place()).toBe('accepted');
    for (const role of ['support', 'cashier', 'auditor', 'administrator', 'content', 'verification'] as const)
      expect(await failureIn(halt(await installStaff(house.db.owner, role)))).toBe('ROLE_MISSING');
    await halt(clerk);
    expect(await haltsLogged()).toEqual([]);
    expect(await failureIn(halt(approver))).toBe('NOTHING_NEW');
    expect(await place()).toBe('TRADING_HALTED');
    for (let ms = START_MS + 17_000; ms <= START_MS + 80_000; ms += 1_000) await tickAt(ms);
    expect(await house.settle()).toBe(1);

    expect(await haltsLogged()).toEqual([`halt|4|1|${START_MS + 17_000}|on|a source lies, says   she`]);

    const { id } = await openHalt();
    const lift = (by: string, content: Buffer) =>
      house.db.server.query(`select proposal_approve($1, '{halt_lift}', trading_lift_proposed($2), $3)`, [
        by,
        id,
        content,
      ]);
    const proposeLift = (by: string) =>
      house.db.server.query('select trading_propose_lift($1, $2, $3)', [by, id, 'it is gone']);
    expect(await failureIn(lift(approver, Buffer.alloc(32)))).toBe('NOTHING_PROPOSED');
    expect(await failureIn(proposeLift(approver))).toBe('ROLE_MISSING');
    await proposeLift(clerk);
    const { lift_content: content } = await openHalt();
    expect(await failureIn(lift(clerk, content))).toBe('ROLE_MISSING');
    expect(await failureIn(lift(approver, Buffer.alloc(32)))).toBe('CONTENT_CHANGED');
    expect(await place()).toBe('TRADING_HALTED');
    expect(await failureIn(lift(approver, content))).toBeNull();
    // Orders are taken again once the log states the end.
    expect(await place()).toBe('TRADING_HALTED');
    expect(await failureIn(lift(approver, content))).toBe('CHANGE_NOT_FOUND');
    await tickAt(START_MS + 81_000);
    expect(await place()).toBe('accepted');
    await tickAt(START_MS + 82_000);
    expect((await haltsLogged()).slice(1)).toEqual([`halt|4|2|${START_MS + 81_000}|off|`]);
    const { rows } = await house.db.server.query(
      `select action from audit_log where subject = $1 order by seq`,
      [`halt:${id}`],
    );
    expect(rows.map(({ action }) => action)).toEqual(['halt.start', 'halt.propose_lift', 'halt.lift']);
  });

  test('of one product stops orders in it alone, stands in the log with its symbol, and ends for itself', async () => {
    for (let ms = START_MS + 1_000; ms <= START_MS + 16_000; ms += 1_000) await tickAt(ms);
    const [eur, gbp] = ['EUR/USD', 'GBP/USD'].map((symbol) => house.product(symbol).id);
    const { rows } = await house.db.server.query<{ id: string }>(
      'select trading_halt($1, $2, $3) as id union all select trading_halt($1, $4, $5)',
      [clerk, 'its sources err', eur, 'another one', gbp],
    );
    expect(await place()).toBe('TRADING_HALTED');
    await tickAt(START_MS + 17_000);
    const suspended = async () => (await readTexts(house)).filter((text) => text.startsWith('suspend|'));
    expect(await suspended()).toEqual([
      `suspend|4|1|${START_MS + 17_000}|EUR/USD|on|its sources err`,
      `suspend|4|2|${START_MS + 17_000}|GBP/USD|on|another one`,
    ]);
    const [{ id } = { id: '' }] = rows;
    await house.db.server.query('select trading_propose_lift($1, $2, $3)', [
      clerk,
      id,
      'they are right again',
    ]);
    await house.db.server.query(
      `select proposal_approve($1, '{halt_lift}', p.id, p.content_hash) from proposals p where p.id = trading_lift_proposed($2)`,
      [approver, id],
    );
    expect(await place()).toBe('TRADING_HALTED');
    await tickAt(START_MS + 18_000);
    expect(await place()).toBe('accepted');
    expect((await suspended()).slice(2)).toEqual([`suspend|4|3|${START_MS + 18_000}|EUR/USD|off|`]);
    const head = await house.db.server.query('select is_halted, halted_products from placement_head');
    expect(head.rows).toEqual([{ is_halted: false, halted_products: [gbp] }]);
  });
});
