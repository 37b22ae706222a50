import { failureIn } from '@fairtick/kit/database/failures.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { afterChanges } from '@fairtick/kit/judges/planted-changes.ts';
import { inEachLanguage, LANGUAGES } from '@fairtick/protocol/languages';
import { beforeAll, describe, expect, test } from 'vitest';

let orderId: number;
/** Writes with the owner's rights, which bypass every policy, so that only the tables' own constraints refuse. */
const still = forFile(() => pricedHouse());
beforeAll(async () => {
  const customer = await still.house.customer();
  orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '100', direction: 'up' });
});

const CHECK = '23514';
const NOT_NULL = '23502';
const UNIQUE = '23505';

const attempt = (statement: string) =>
  failureIn(afterChanges(still.house.db.owner, [statement], async () => null));

/** Inserts a result of the order: a correct one with changes. */
function settleWith(change: Record<string, string>): Promise<string | null> {
  const settlement = {
    settled_at_ms: 'settles_at_ms',
    result: '1',
    credited: 'stake + income',
    void_reason: 'null',
    open_index: '200',
    open_price: '108400',
    settle_index: '300',
    settle_price: '108401',
    ...change,
  };
  const [columns, values] = [Object.keys(settlement), Object.values(settlement)];
  return attempt(
    `insert into order_results (order_id, ${columns}) select id, ${values} from orders where id = ${orderId}`,
  );
}

const LOSS = { result: '-1', credited: '0', settle_price: '108399' };
const EVEN = { result: '0', credited: 'stake', settle_price: '108400' };
const NO_PRICES = {
  open_index: 'null',
  open_price: 'null',
  settle_index: 'null',
  settle_price: 'null',
};
const VOID = {
  ...NO_PRICES,
  result: '0',
  credited: 'stake',
  void_reason: `'no_price'`,
  settled_at_ms: 'accepted_at_ms + 1',
};
const NOT_LOGGED = { ...VOID, credited: 'stake + stake / 10', void_reason: `'not_logged'` };
/** A fix is missing. */
const UNFIXED = { ...NO_PRICES, settled_at_ms: 'opens_at_ms + 86400001' };

describe('an order takes a settlement that follows from its prices', () => {
  test.each([
    ['a win', {}],
    ['a loss', LOSS],
    ['even', EVEN],
    ['void for want of an opening price', VOID],
    ['void for want of an entry in the log', NOT_LOGGED],
    ['a win for want of a fix', UNFIXED],
    ['prices of a close that stands after the settlement', { open_index: '301' }],
  ])('%s', async (_case, change) => {
    expect(await settleWith(change)).toBeNull();
  });
});

describe('an order refuses a settlement that contradicts its prices or terms', () => {
  test.each<[string, Record<string, string>]>([
    ['a win although the price fell', { settle_price: '108399' }],
    ['a win although the price stood still', { settle_price: '108400' }],
    ['a loss although the price rose', { ...LOSS, settle_price: '108401' }],
    ['a loss although the price stood still', { ...LOSS, settle_price: '108400' }],
    ['even although the price rose', { ...EVEN, settle_price: '108401' }],
    ['even although the price fell', { ...EVEN, settle_price: '108399' }],
    ['a win without prices', NO_PRICES],
    ['a loss without prices', { ...NO_PRICES, result: '-1', credited: '0' }],
    ['even without prices and without a reason', { ...NO_PRICES, result: '0', credited: 'stake' }],
    ['a win without an opening price', { open_price: 'null' }],
    ['a win without a settlement price', { settle_price: 'null' }],
    ['a win without the place of its opening', { open_index: 'null' }],
    ['a price of zero', { open_price: '0' }],
    ['a price below zero', { open_price: '-5' }],
    ['a win that pays one unit too much', { credited: 'stake + income + 1' }],
    ['a win that pays one unit too little', { credited: 'stake + income - 1' }],
    ['a loss that pays', { ...LOSS, credited: '1' }],
    ['even that keeps a unit', { ...EVEN, credited: 'stake - 1' }],
    ['a result that is none of three', { result: '2' }],
    ['opened and settled by one entry', { ...EVEN, settle_index: '200' }],
    ['settled before its settlement time', { settled_at_ms: 'settles_at_ms - 1' }],
    ['won for want of a fix after exactly 24 hours', { ...UNFIXED, settled_at_ms: 'opens_at_ms + 86400000' }],
    ['void for a reason that nobody announced', { ...VOID, void_reason: `'broker'` }],
    ['void that pays', { ...VOID, result: '1', credited: 'stake + income' }],
    ['void for a fault of the house that pays the stake alone', { ...NOT_LOGGED, credited: 'stake' }],
    ['void for want of a price that pays a tenth', { ...VOID, credited: 'stake + stake / 10' }],
    ['void that keeps the stake', { ...VOID, result: '-1', credited: '0' }],
    ['void with prices', { ...EVEN, void_reason: `'no_price'` }],
    ['void with an opening price', { ...VOID, open_index: '200', open_price: '5' }],
    ['void before it was accepted', { ...VOID, settled_at_ms: 'accepted_at_ms' }],
    ['a loss for want of a fix', { ...UNFIXED, result: '-1', credited: '0' }],
    ['even for want of a fix', { ...UNFIXED, result: '0', credited: 'stake' }],
  ])('%s', async (_case, change) => {
    expect(await settleWith(change)).toBe(CHECK);
  });

  test.each(['credited', 'result', 'settled_at_ms'])('no %s', async (column) => {
    expect(await settleWith({ [column]: 'null' })).toBe(NOT_NULL);
  });
});

describe('an order refuses terms that do not fit each other', () => {
  test.each([
    ['no stake', 'stake = 0, income = 0'],
    ['a stake below zero', 'stake = -5'],
    ['one unit more income than the rate gives', 'income = income + 1'],
    ['one unit less income than the rate gives', 'income = income - 1'],
    ['a rate that is not the income’s', 'payout_rate_bps = payout_rate_bps + 1'],
    ['a rate of nothing', 'payout_rate_bps = 0, income = 0'],
    ['a rate of the whole stake', 'payout_rate_bps = 10000, income = stake'],
    ['a settlement a second late', 'settles_at_ms = settles_at_ms + 1000'],
    ['a settlement a second early', 'settles_at_ms = settles_at_ms - 1000'],
    ['a settlement within a second', 'settles_at_ms = settles_at_ms + 1'],
    ['no minutes', 'minutes = 0, settles_at_ms = opens_at_ms'],
    [
      'an opening time within a second',
      'opens_at_ms = opens_at_ms + 250, settles_at_ms = settles_at_ms + 250',
    ],
    ['an opening less than 2 s after its acceptance', 'accepted_at_ms = opens_at_ms - 1999'],
    ['a direction that is neither up nor down (S4-05)', 'direction = 0'],
    ['a key’s hash that is none', `key_hash = ''`],
    ['the size without the root that the customer saw of the log', 'seen_size = 5'],
    ['the root without the size that the customer saw of the log', `seen_root = sha256('')`],
  ])('%s', async (_case, set) => {
    expect(await attempt(`update orders set ${set} where id = ${orderId}`)).toBe(CHECK);
  });

  test('an income that is rounded down to the smallest unit is taken, at any size of stake', async () => {
    for (const [stake, rate, income] of [
      ['1', '9999', '0'],
      ['10001', '3333', '3333'],
      ['4611686018427387903', '9300', '4288867997137470749'],
    ]) {
      const set = `stake = ${stake}, payout_rate_bps = ${rate}, income = ${income}`;
      expect(await attempt(`update orders set ${set} where id = ${orderId}`)).toBeNull();
      expect(await attempt(`update orders set ${set} + 1 where id = ${orderId}`)).toBe(CHECK);
    }
  });

  test('one customer uses a key once, for an order or for anything else', async () => {
    const again = (changes: string) =>
      attempt(`insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, stake, income,
          rules_id, payout_rate_bps, product_id, asset_id, minutes, direction)
        select ${changes}, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, stake, income, rules_id, payout_rate_bps,
          product_id, asset_id, minutes, direction from orders where id = ${orderId}`);
    expect(await again('id + 1, customer_id, key_hash')).toBe(UNIQUE);
    expect(await again(`id, customer_id, 'another-'`)).toBe(UNIQUE);
    expect(await again('id + 1, customer_id + 1, key_hash')).toBeNull();
    const used = `insert into used_keys (customer_id, key_hash, input_hash) values (7, sha256('k'), sha256('a')), (7, sha256('k'), sha256('b'))`;
    expect(await attempt(used)).toBe(UNIQUE);
  });
});

describe('the other tables refuse', () => {
  test.each([
    ['a balance below zero', 'update ledger.balances set available = -1', CHECK],
    ['held money below zero', 'update ledger.balances set held = -1', CHECK],
    ['a posting of nothing', 'update ledger.postings set amount = 0', CHECK],
    ['a posting from an account to itself', 'update ledger.postings set credit = debit', CHECK],
    [
      'a balance of the house on the write path',
      'insert into ledger.balances (owner_id, asset_id) values (2, 1)',
      CHECK,
    ],
    ['a house movement on a customer’s account', 'update ledger.house_movements set account = 4000', CHECK],
    ['a second transfer of one key', `update ledger.transfers set idempotency_key = 'x'`, UNIQUE],
    [
      'a batch whose leaves are not as many as its orders',
      'update order_batches set accepted = accepted + 1',
      CHECK,
    ],
    ['a second placement head', 'insert into placement_head (only_row) values (true)', UNIQUE],
    [
      'a second placement head under another name',
      'insert into placement_head (only_row) values (false)',
      CHECK,
    ],
    ['an asset in small letters', `update ledger.assets set code = 'demo' where id = 1`, CHECK],
  ])('%s', async (_case, statement, code) => {
    expect(await attempt(statement)).toBe(code);
  });
});

describe('a prepared answer and a product have a text in each language', () => {
  const TEXTS = inEachLanguage(() => 'x'.repeat(1_000));
  const write = (texts: unknown) =>
    attempt(`insert into canned_answers (title, texts) values ('t', '${JSON.stringify(texts)}')`);

  test('of the longest length', async () => {
    expect(await write(TEXTS)).toBeNull();
  });

  test('from the first start on', async () => {
    const { rows } = await still.house.db.owner.query(
      `select title from canned_answers where not is_localised(texts, 1000)
       union all select symbol from products where not is_localised(names, 60)`,
    );
    expect(rows).toEqual([]);
  });

  test.each(LANGUAGES)('%s', async (language) => {
    for (const text of [undefined, null, '', 7, 'x'.repeat(1_001)])
      expect([text, await write({ ...TEXTS, [language]: text })]).toEqual([text, CHECK]);
    expect(await attempt(`update products set names = names - '${language}' where id = 1`)).toBe(CHECK);
  });
});
