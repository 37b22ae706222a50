import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { CLOSED, GUESS, LoneRole, type Statement, type Terms } from '@fairtick/kit/hostile/lone-role.ts';
import { describe, expect, test } from 'vitest';
import { REPLAY_CHECK } from '../../apps/server/src/transparency/audit/audit-replay-check.ts';

/**
 * An attacker with only the server's database role invents orders, their outcomes and the log's time. Each attempt is refused, or
 * found by the audit; `mint.test.ts` has those at accounts, requests and money.
 */
const role = forFile(() => LoneRole.open());

const attempt = (...statements: readonly Statement[]) => role.attempt(...statements);
/** Places an order of a new customer with invented terms. */
const place = async (terms: Terms) => role.place(await role.still.house.customer(), terms);
/** Runs with a column of a table set to a value, in its rows of DEMO or of EUR/USD; these rows have all the same. */
async function withOwner<T>(
  table: string,
  column: string,
  value: unknown,
  run: () => Promise<T>,
): Promise<T> {
  const { owner } = role.still.house.db;
  const where =
    {
      placement_head: '',
      trading_periods: 'where product_id = 1',
      product_states: 'where product_id = 1',
      log_entries: 'where index = (select tick_index from product_states where product_id = 1)',
    }[table] ?? 'where asset_id = 1';
  const { rows } = await owner.query(`select ${column} as value from ${table} ${where}`);
  const set = (to: unknown) => owner.query(`update ${table} set ${column} = $1 ${where}`, [to]);
  await set(value);
  try {
    return await run();
  } finally {
    await set(rows[0].value);
  }
}
/** Places an order while the house may lose no more than this in a minute. */
const bounded = async (column: string, most: number, terms: Terms, customer?: string) => {
  const by = customer ?? (await role.still.house.customer());
  return withOwner('promised_income', column, most, () => role.place(by, terms));
};
/** The whole second at or before so many ms from now, Unix ms. */
const second = (ms: number) => Math.floor((role.still.nowMs + ms) / 1_000) * 1_000;
const lost = (at: number) => role.lost[at] as number;

const DENIED = '42501';
/** Each attempt: its name, the call, and the SQLSTATE of its refusal. */
const REFUSED: readonly (readonly [string, () => Promise<string | null>, string])[] = [
  ['an order without a session', () => place({ token: GUESS }), 'REAUTH_REQUIRED'],
  [
    'an order under a session that has ended',
    async () => {
      const customer = await role.still.house.customer();
      await role.still.house.db.owner.query('delete from sessions where customer_id = $1', [customer]);
      return role.place(customer, {});
    },
    'REAUTH_REQUIRED',
  ],
  [
    'an order under a session that was left alone for an hour',
    async () => {
      const customer = await role.still.house.customer();
      await role.still.house.db.owner.query(
        'update sessions set fresh_until = now() where customer_id = $1',
        [customer],
      );
      return role.place(customer, {});
    },
    'REAUTH_REQUIRED',
  ],
  [
    'an order that settles after the trading hours',
    () => withOwner('trading_periods', 'until_ms', role.still.nowMs + 61_000, () => place({})),
    'SESSION_ENDS',
  ],
  ['an order over the maximum', () => place({ stake: 5_000_000_001 }), 'AMOUNT_TOO_LARGE'],
  ['an order under the minimum', () => place({ stake: 9_999_999 }), 'AMOUNT_TOO_SMALL'],
  ['an order that opens too early', () => place({ opensAtMs: second(1_999) }), 'LATE'],
  ['an order that opens too late', () => place({ opensAtMs: second(13_000) }), 'OPENS_TOO_FAR'],
  ['an order that opens within a second', () => place({ opensAtMs: second(2_999) + 250 }), '23514'],
  [
    'an order of a customer who has a unit less than the least balance',
    () => withOwner('rule_terms', 'min_balance', 10_000_000_001, () => place({})),
    'BALANCE_TOO_LOW',
  ],
  [
    'an order over a tenth of what bounds the house',
    () => bounded('product_limit', 79_000_000, { stake: 10_000_000 }),
    'SHARE_LIMIT',
  ],
  [
    'an order whose income is a unit over a tenth',
    // At the highest rate, 0.93, a stake that is hardly more than its income.
    () => bounded('product_limit', 92_999_990, { stake: 10_000_000, minutes: 60 }),
    'SHARE_LIMIT',
  ],
  [
    'two orders that are together over a tenth',
    async () => {
      const customer = await role.still.house.customer();
      await role.still.buy(customer, { symbol: 'EUR/USD', amount: '10' });
      return bounded('product_limit', 150_000_000, {}, customer);
    },
    'SHARE_LIMIT',
  ],
  [
    'an order of a minute whose exposure is used up',
    () => bounded('product_limit', 5_000_000, {}),
    'EXPOSURE_LIMIT',
  ],
  [
    'an order of a group whose exposure is used up',
    () => bounded('group_limit', 5_000_000, {}),
    'EXPOSURE_LIMIT',
  ],
  [
    'an order outside the trading hours',
    () => place({ product: role.still.house.product(CLOSED).id }),
    'MARKET_CLOSED',
  ],
  [
    'an order without a price',
    () => place({ product: role.still.house.product('XAU/USD').id }),
    'PRICE_UNAVAILABLE',
  ],
  [
    'an order whose product’s newest price is more than half a second old',
    () => withOwner('product_states', 'tick_ms', 1, () => place({})),
    'PRICE_UNAVAILABLE',
  ],
  [
    'an order during a halt',
    () => withOwner('placement_head', 'is_halted', true, () => place({})),
    'TRADING_HALTED',
  ],
  ['an order of a length that is not offered', () => place({ minutes: 2 }), 'CYCLE_NOT_OFFERED'],
  [
    'room for more promises than the house can keep',
    () => attempt(['insert into settled_promises (asset_id, amount) values (1, 5)']),
    DENIED,
  ],
  ['an outcome past the function', () => attempt(['update order_results set result = 1']), DENIED],
  [
    'an outcome of an open order',
    () =>
      attempt([
        'insert into order_results (order_id, settled_at_ms, credited, result) values ($1, 0, 0, 1)',
        lost(0),
      ]),
    DENIED,
  ],
  ['a price past the log’s lease', () => attempt(['update product_states set tick_price = 1']), DENIED],
  ['an end of the log in 2100', () => role.append(String(Date.UTC(2100, 0, 1)), 'offset_ms'), 'LOG_AHEAD'],
  ['log time ten seconds ahead', () => role.append('now + 10000', '0'), 'LOG_AHEAD'],
  ['log time ten seconds ahead by its clock', () => role.append('now + 10000', '10000'), 'LOG_AHEAD'],
  ['a clock of the log that is a day ahead', () => role.append('0', '86400000'), 'LOG_AHEAD'],
  ['a clock of the log that stands still', () => role.append('0', 'time_ms - now - 86400000'), 'LOG_AHEAD'],
];

describe('the server’s role alone is refused', () => {
  test.each(REFUSED)('%s', async (_what, way, refusal) => {
    expect(await way()).toBe(refusal);
  });

  test('without a trace of any attempt', async () => {
    expect(REFUSED.length).toBeGreaterThan(20);
    expect([...(await role.found()).keys()].filter((name) => !UNVERIFIED.includes(name))).toEqual([]);
  });
});

/** Artefacts of the test kit: its payees were not verified by staff, and their first money came from no deposit. */
const UNVERIFIED = [
  'real names are verified or failed as staff decided, and the audit log says who',
  'each credited deposit was credited once, what was found; no other was',
];

test('what the role settles settles at the fixes of the log', async () => {
  expect(await role.settle(lost(0))).toBeNull();
  expect(await role.still.order(lost(0))).toMatchObject({
    result: 'loss',
    openPrice: 108_420n,
    settlePrice: 108_450n,
  });
});

test('practice money takes no other movement’s key: the next batch of orders, and each request, still moves its money', async () => {
  const { rows } = await role.pool.query<{ batch: string }>(
    'select next_batch::text as batch from placement_head',
  );
  const keys = [
    `orders:${rows[0]?.batch}`,
    `deposit:${role.requests.proposed}`,
    `settle:${lost(2)}`,
    `practice:${role.payee.id}:first`,
  ];
  for (const key of keys)
    expect(
      await attempt([
        'select ledger.reset_practice($1, sha256($1::text::bytea), $2, 1::smallint)',
        key,
        role.payee.id,
      ]),
    ).toBeNull();
  const made = await role.still.house.db.owner.query(
    'select kind, idempotency_key as key from ledger.transfers where idempotency_key = any($1)',
    [keys],
  );
  expect(made.rows.filter(({ kind, key }) => kind === 'practice' && !key.startsWith('practice:'))).toEqual(
    [],
  );
  expect(await role.settle(lost(2))).toBeNull();
  expect(await role.still.order(lost(2))).toMatchObject({ result: 'loss' });
});

describe('the audit finds', () => {
  test('an order within all bounds, under its customer’s session, whose batch is not signed', async () => {
    // The balance is the least that the rules ask for, and the income is not a whole number of units.
    const terms = { stake: 10_000_001 };
    const answer = await withOwner('rule_terms', 'min_balance', 10_000_000_000, () => place(terms));
    expect(answer).toBeNull();
    await role.still.stepBy(250);
    const found = await role.found();
    const name = 'each batch of acceptances is signed by a key of the log';
    expect(found.get(name)?.join()).toMatch(/^batch \d+: its root is not that of its leaves$/);
    expect(found.get(REPLAY_CHECK.name)?.join()).toMatch(
      /order \d+, terms: by the log other terms in the signed batch/,
    );
  });
});
