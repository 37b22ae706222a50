import { PERSONAL_DEFECTS } from './planted-personal-defects.ts';
import { RULE_DEFECTS } from './planted-rule-defects.ts';

/**
 * Defects that would cost a customer or the operator money or make the log wrong, and the tests that must catch them. Each
 * replaces text that occurs exactly once in its file, so a change to that source must update its defect.
 */
export interface PlantedDefect {
  readonly name: string;
  readonly file: string;
  readonly search: string;
  readonly replace: string;
  /**
   * Test files, cheapest first; the first failure ends the run. The suffix gives the command: `.test.ts` is `npm test`,
   * `.full.test.ts` `npm run test:full`, `.long.test.ts` `npm run test:long`.
   */
  readonly caughtBy: readonly string[];
}

const TRADING = 'packages/trading/src';
const SCHEMA = 'apps/server/schema';
const RULES_TEST = 'apps/server/src/trading/placement/placement-rules.test.ts';
const DOOR_TEST = 'apps/server/src/trading/placement/placement-door.test.ts';
const LEDGER_TEST = `${SCHEMA}/ledger/transfers.test.ts`;

/** Defects in an order's outcome. */
const RULES: readonly PlantedDefect[] = [
  {
    name: 'a payout is rounded instead of cut',
    file: 'packages/money/src/index.ts',
    search: '(stake * BigInt(payoutRateBps)) / BPS',
    replace: '(stake * BigInt(payoutRateBps) + BPS / 2n) / BPS',
    caughtBy: ['packages/money/src/payout.test.ts'],
  },
  {
    name: 'an amount goes through a float',
    file: 'packages/money/src/index.ts',
    search: "BigInt(whole + fraction.padEnd(decimals, '0'))",
    replace: 'BigInt(Math.round(Number(text) * 10 ** decimals))',
    caughtBy: ['packages/money/src/decimals.test.ts'],
  },
  {
    name: 'amounts may have leading zeros',
    file: 'packages/money/src/index.ts',
    search: '^(0|[1-9][0-9]{0,11})(',
    replace: '^([0-9]{1,12})(',
    caughtBy: ['packages/money/src/decimals.test.ts'],
  },
  {
    name: 'spaces around an amount are cut off',
    file: 'packages/protocol/src/fields.ts',
    search: "export const amount = text('AMOUNT_REQUIRED', 'INVALID_AMOUNT')",
    replace: "export const amount = text('AMOUNT_REQUIRED', 'INVALID_AMOUNT').trim()",
    caughtBy: ['tests/processes/hostile.full.test.ts'],
  },
  {
    name: 'an order is logged in the last second before it opens',
    file: `${TRADING}/rules.ts`,
    search: 'loggedAtMs <= opensAtMs - LOGGED_BEFORE_MS;',
    replace: 'loggedAtMs <= opensAtMs;',
    caughtBy: ['apps/server/src/trading/settlement/fixes.test.ts'],
  },
  {
    name: 'an order that is late for its opening time is moved',
    file: `${SCHEMA}/trading/placement-rules.sql`,
    search: 'select coalesce(o.opens_ms, (_now_ms + t.delay_ms + 999) / 1000 * 1000) as ms',
    replace: 'select greatest(o.opens_ms, (_now_ms + t.delay_ms + 999) / 1000 * 1000) as ms',
    caughtBy: [RULES_TEST],
  },
  {
    name: 'one record is enough to open an order',
    file: `${TRADING}/decide-fix.ts`,
    search: 'used.length < rules.quorum;',
    replace: 'used.length < 1;',
    caughtBy: ['apps/server/src/trading/settlement/fixes.test.ts'],
  },
  {
    name: 'an order opens at a thin fix',
    file: `${SCHEMA}/trading/settlement.sql`,
    search: "when f.is_thin then 'no_price'",
    replace: "when false then 'no_price'",
    caughtBy: ['apps/server/src/trading/settlement/fixes.test.ts'],
  },
  {
    name: 'a price needs one source less than its quorum',
    file: `${TRADING}/decide-price.ts`,
    search: 'Math.max(1, rules.quorum)',
    replace: 'Math.max(1, rules.quorum - 1)',
    caughtBy: [`${TRADING}/decide-price.test.ts`],
  },
  {
    name: 'stale quotes make prices',
    file: `${TRADING}/decide-price.ts`,
    search: 'quote.receivedMs) <= rules.quietMs &&',
    replace: 'quote.receivedMs) <= 600_000 &&',
    caughtBy: [`${TRADING}/decide-price.test.ts`],
  },
  {
    name: 'a missing fix decides against the customer',
    file: `${SCHEMA}/trading/settlement.sql`,
    search: "when 'unfixed' then 1 else 0",
    replace: "when 'unfixed' then -1 else 0",
    caughtBy: ['apps/server/src/trading/settlement/fixes.test.ts'],
  },
  {
    name: 'a close takes back what a customer has won',
    file: `${SCHEMA}/trading/settlement.sql`,
    search: 'order by 6 desc, 1 limit 1',
    replace: 'order by 1 desc limit 1',
    caughtBy: ['apps/server/src/trading/settlement/fixes.test.ts'],
  },
  {
    name: 'a close that comes after the settlement pays nothing',
    file: `${SCHEMA}/trading/settlement.sql`,
    search: 'where w.result > r.result order by',
    replace: 'where w.result > 1 order by',
    caughtBy: ['apps/server/src/trading/settlement/fixes.test.ts'],
  },
  {
    name: 'an order that is named twice is paid twice',
    file: `${SCHEMA}/trading/settlement.sql`,
    search: '(select distinct unnest(_ids) as id)',
    replace: '(select unnest(_ids) as id)',
    caughtBy: ['apps/server/src/trading/settlement/settlement-recovery.full.test.ts'],
  },
  {
    name: 'a void order pays nothing back',
    file: `${SCHEMA}/trading/settlement.sql`,
    search:
      "when 0 then w.stake + case w.void_reason when 'not_logged' then w.stake / 10 else 0 end else 0 end as",
    replace: 'else 0 end as',
    caughtBy: ['apps/server/src/trading/settlement/fixes.test.ts'],
  },
  {
    name: 'an order settles by the fix before its settlement time',
    file: `${SCHEMA}/trading/settlement.sql`,
    search: 's.fix_ms = g.settles_at_ms',
    replace: 's.fix_ms = g.settles_at_ms - 1000',
    caughtBy: ['apps/server/src/trading/settlement/settlement.test.ts'],
  },
  {
    name: 'what the house may lose is not counted up within a batch',
    file: `${SCHEMA}/trading/placement-rules.sql`,
    search: 'coalesce(_of_product[_one.product_number], 0) + _one.income;',
    replace: 'coalesce(_of_product[_one.product_number], 0);',
    caughtBy: [RULES_TEST],
  },
  {
    name: 'one customer may take all that bounds the house',
    file: `${SCHEMA}/trading/placement-rules.sql`,
    search: 'i.product_limit / 10, i.group_limit / 10,',
    replace: 'i.product_limit, i.group_limit,',
    caughtBy: ['apps/server/src/trading/placement/worst-case.test.ts'],
  },
];

/** Defects in the database, its locks and the placement of orders. */
const MONEY: readonly PlantedDefect[] = [
  {
    name: 'one key may make two orders',
    file: `${SCHEMA}/platform/partitions.sql`,
    search: 'create unique index on %s_%s (customer_id, key_hash)',
    replace: 'create index on %s_%s (customer_id, key_hash)',
    caughtBy: ['apps/server/src/platform/db/constraints.test.ts'],
  },
  {
    name: 'balances are read without a lock',
    file: `${SCHEMA}/ledger/balances.sql`,
    search: '\n    for no key update;',
    replace: ';',
    caughtBy: ['apps/server/schema/ledger/concurrency.test.ts'],
  },
  {
    name: 'what the house wins and loses is not written down',
    file: `${SCHEMA}/ledger/stakes.sql`,
    search: 'sum(reserved - returned)::bigint from total group by asset_id',
    replace: 'sum(reserved - returned)::bigint from total group by asset_id having false',
    caughtBy: [LEDGER_TEST],
  },
  {
    name: 'a stake may be held without the money for it',
    file: `${SCHEMA}/ledger/stakes.sql`,
    search: 'b.asset_id = w.asset_id and b.available >= w.amount',
    replace: 'b.asset_id = w.asset_id',
    caughtBy: [LEDGER_TEST],
  },
  {
    name: 'a transfer’s key is not compared with what it moved',
    file: `${SCHEMA}/ledger/balances.sql`,
    search: 'if _known <> _hash then',
    replace: 'if false then',
    caughtBy: [LEDGER_TEST],
  },
  {
    name: 'keys of old partitions are forgotten',
    file: `${SCHEMA}/trading/placement.sql`,
    search:
      'select case when o.fault is null then case when _is_new then _recent end when o.fault_before is null then 0 end',
    replace: 'select null::bigint',
    caughtBy: ['apps/server/schema/platform/partitions.test.ts'],
  },
  {
    name: 'a key is not compared with its request',
    file: `${SCHEMA}/trading/placement.sql`,
    search: 'u.id, substr(u.input_hash, 1, 8) = substr(o.input, 1, 8)',
    replace: 'u.id, true',
    caughtBy: ['apps/server/src/trading/placement/idempotency.test.ts'],
  },
  {
    name: 'what an order pays back frees no limit',
    file: `${SCHEMA}/trading/settlement.sql`,
    search: '  perform traded_days_settle(_owners, _refs, _back);\n',
    replace: '',
    caughtBy: ['apps/server/src/customers/protection/placement-limits.full.test.ts'],
  },
  {
    name: 'a limit forgets what was done before it was set',
    file: `${SCHEMA}/customers/limits.sql`,
    search: 'perform traded_days_fill(',
    replace: 'perform concat(',
    caughtBy: ['apps/server/src/customers/protection/placement-limits.full.test.ts'],
  },
  {
    name: 'a batch that took too long is accepted',
    file: `${SCHEMA}/trading/placement.sql`,
    search: 'if abs(log_now() - _at_ms) > 500 then',
    replace: 'if false then',
    caughtBy: ['apps/server/src/trading/placement/placement-clock.full.test.ts'],
  },
  {
    name: 'the clock of a batch is that of before its locks',
    file: `${SCHEMA}/trading/placement.sql`,
    search: 'ms_of(clock_timestamp())',
    replace: 'ms_of(statement_timestamp())',
    caughtBy: ['apps/server/src/trading/placement/placement-clock.full.test.ts'],
  },
  {
    name: 'a batch may be placed and never sealed',
    file: `${SCHEMA}/trading/placement.sql`,
    search: 'where number = new.number and signed is null',
    replace: 'where false',
    caughtBy: [DOOR_TEST],
  },
  {
    name: 'a batch may be placed before the one before it is sealed',
    file: `${SCHEMA}/trading/placement.sql`,
    search: 'where number = _head.next_batch - 1 and signed is null',
    replace: 'where false',
    caughtBy: [DOOR_TEST],
  },
  {
    name: 'a batch may have two orders of one customer',
    file: `${SCHEMA}/trading/placement.sql`,
    search: 'having count(*) > 1) then',
    replace: 'having false) then',
    caughtBy: [DOOR_TEST],
  },
  {
    name: 'an order needs no session',
    file: `${SCHEMA}/trading/placement.sql`,
    search: ' and session_lives(n, true)',
    replace: '',
    caughtBy: ['tests/security/mint-orders.test.ts'],
  },
  {
    name: 'the database does not count what the house may lose in a minute',
    file: `${SCHEMA}/trading/placement-rules.sql`,
    search: '  if _is_beyond then',
    replace: '  if false then',
    caughtBy: ['apps/server/src/trading/placement/placement-rules.test.ts'],
  },
  {
    name: 'an order that is settled may be settled again',
    file: `${SCHEMA}/trading/settlement.sql`,
    search: 'on conflict do nothing returning order_id',
    replace: 'on conflict (order_id) do update set credited = excluded.credited returning order_id',
    caughtBy: ['apps/server/src/trading/settlement/settlement-recovery.full.test.ts'],
  },
  {
    name: 'the server’s role reads what opens sessions of staff',
    file: `${SCHEMA}/rights.sql`,
    search:
      'grant select (id, staff_id, created_at, last_used_at, proved_until, is_strong, user_agent, address) on staff_sessions',
    replace: 'grant select on staff_sessions',
    caughtBy: ['tests/security/rights.test.ts'],
  },
  {
    name: 'the server may change the terms of an order',
    file: `${SCHEMA}/rights.sql`,
    search: 'grant insert on used_keys',
    replace: 'grant update (stake, direction) on orders to fairtick_server;\ngrant insert on used_keys',
    caughtBy: ['tests/security/rights.test.ts'],
  },
];

/** Defects in the log, and in what customers and the public are told. */
const LOG_AND_NEWS: readonly PlantedDefect[] = [
  {
    name: 'the clock of the log rises without a step of the database’s clock',
    file: `${SCHEMA}/log/entries.sql`,
    search: 'or _offset_ms > greatest(',
    replace: 'or _offset_ms > 1e15 + greatest(',
    caughtBy: ['apps/server/src/market/writer/fencing.full.test.ts'],
  },
  {
    name: 'a writer that lost its lease goes on writing',
    file: `${SCHEMA}/log/entries.sql`,
    search: 'if _head.epoch <> _epoch then',
    replace: 'if false then',
    caughtBy: ['apps/server/src/market/writer/fencing.full.test.ts'],
  },
  {
    name: 'the log’s time may fall',
    file: `${SCHEMA}/log/entries.sql`,
    search: 'if _head.size <> _size or _time_ms < _head.time_ms then',
    replace: 'if _head.size <> _size then',
    caughtBy: ['apps/server/src/market/writer/fencing.full.test.ts'],
  },
  {
    name: 'the high of a longer period is that of its last minute',
    file: `${SCHEMA}/market/candles.sql`,
    search: 'high = greatest(c.high, excluded.high),',
    replace: 'high = excluded.high,',
    caughtBy: ['apps/server/src/market/candles/candles.full.test.ts'],
  },
  {
    name: 'a tick at the turn of a minute belongs to the one before',
    file: 'apps/server/src/market/candles/candle-batch.ts',
    search: 'const minuteMs = timeMs - (timeMs % MINUTE_MS);',
    replace: 'const minuteMs = timeMs - 1 - ((timeMs - 1) % MINUTE_MS);',
    caughtBy: ['apps/server/src/market/candles/candles.full.test.ts'],
  },
  {
    name: 'a quote replaces the one that came after it',
    file: 'apps/server/src/market/writer/tick-writer.ts',
    search: 'if (before && (before.sourceSeq >= number || before.sourceMs > sourceMs)) continue;',
    replace: '',
    caughtBy: ['apps/server/src/market/hostile-feed.full.test.ts'],
  },
  {
    name: 'a restart is not noted in the log',
    file: 'apps/server/src/market/writer/tick-writer.ts',
    search: 'if (!state.tick || !rules || state.gap) continue;',
    replace: 'continue;',
    caughtBy: ['apps/server/src/market/gaps.full.test.ts'],
  },
  {
    name: 'any proof of inclusion is believed',
    file: 'packages/proof/src/merkle.ts',
    search: 'if (!isTreeSize(size) || !isTreeSize(index) || index >= size) return false;',
    replace: 'return true;',
    caughtBy: ['packages/proof/src/merkle.test.ts'],
  },
  {
    name: 'news of orders reach every customer',
    file: 'apps/server/src/stream/hub.ts',
    search: 'of this.#byCustomer.get(customerId) ?? []) connection.change',
    replace: 'of [...this.#byCustomer.values()].flatMap((all) => [...all])) connection.change',
    caughtBy: ['apps/server/src/stream/private-topics.test.ts'],
  },
  {
    name: 'an order is shown to whoever names it',
    file: 'apps/server/src/trading/orders/order-queries.ts',
    search: 'and w.customer_id = o.customer_id order by',
    replace: 'order by',
    caughtBy: ['tests/security/access-matrix.test.ts'],
  },
  {
    name: 'a session is believed for a minute after it was looked up',
    file: 'apps/server/src/customers/identity/sessions.ts',
    search: 'const BELIEVED_MS = 500;',
    replace: 'const BELIEVED_MS = 60_000;',
    caughtBy: ['apps/server/src/customers/identity/sessions.test.ts'],
  },
  {
    name: 'registrations are limited per process',
    file: 'apps/server/src/platform/throttle/throttle.ts',
    search: "perMinute('register', ",
    // As if each process had its own counter.
    replace: 'perMinute(String(Math.random()), ',
    caughtBy: ['apps/server/src/customers/identity/registration.test.ts'],
  },
  {
    name: 'orders are not limited at all',
    file: 'apps/server/src/platform/throttle/throttle.ts',
    search: '> this.#ordersPerSecond) throw',
    replace: '> this.#ordersPerSecond * 1_000) throw',
    caughtBy: ['apps/server/src/customers/identity/order-limit.test.ts'],
  },
];

export const DEFECTS: readonly PlantedDefect[] = [
  ...RULES,
  ...MONEY,
  ...LOG_AND_NEWS,
  ...PERSONAL_DEFECTS,
  ...RULE_DEFECTS,
];
