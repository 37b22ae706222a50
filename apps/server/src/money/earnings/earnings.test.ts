import { type Answer, get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { auditedDatabase, ownApi } from '@fairtick/kit/fixtures/fixtures.ts';
import { setMode } from '@fairtick/kit/installation/house.ts';
import { credit } from '@fairtick/kit/people/money.ts';
import { beforeAll, describe, expect, test } from 'vitest';

/** The API calls of earnings. */
const UNIT = 1_000_000n;
const db = auditedDatabase();
beforeAll(() => ageRates());
const api = ownApi(db);
const other = ownApi(db);

async function saver(balance = 1_000n * UNIT): Promise<Registered> {
  const customer = await register(api.origin);
  await credit(db, customer.id, balance);
  return customer;
}
type Direction = 'In' | 'Out';
const move = (
  { token }: Registered,
  direction: Direction,
  amount: string,
  options: { key?: string; asset?: string; origin?: string } = {},
): Promise<Answer> =>
  post(
    options.origin ?? api.origin,
    `profit/transfer${direction}`,
    { asset: options.asset ?? 'USDT', amount },
    { token, ...(options.key === undefined ? {} : { key: options.key }) },
  );
const read = async (path: string, { token }: Registered, fields: Record<string, string> = {}) => {
  const { body } = await get(api.origin, path, fields, { token });
  expect(body.error).toBeUndefined();
  return body.data;
};
/** Moves this customer's accounts so many days into the past. */
async function ageBy(customer: Registered, days: number): Promise<void> {
  await db.owner.query(
    `update earning_accounts set accrued_through = accrued_through - $2::int, low_day = low_day - $2::int where customer_id = $1`,
    [customer.id, days],
  );
}
/** Moves the rates into the past, as in an older installation. */
async function ageRates(): Promise<void> {
  const client = await db.owner.connect();
  await client.query('alter table earning_rates disable trigger user');
  await client.query(
    `update earning_rates set from_day = from_day - 400 where from_day > current_date - 300`,
  );
  await client.query('alter table earning_rates enable trigger user');
  client.release();
}

describe('the summary', () => {
  test('the earnings summary shows total, interest, accumulated interest, rate, next accrual and who pays (S2-48 to S2-51, S7-26)', async () => {
    const ann = await saver();
    const empty = await read('profit/summary', ann);
    const midnight = Math.ceil((Date.now() + 1) / 86_400_000) * 86_400_000;
    expect(empty).toMatchObject({
      asset: 'USDT',
      total: '0.000000',
      available: '1000.000000',
      yesterdayInterest: '0.000000',
      accumulated: '0.000000',
      annualRate: '0.03',
      nextRate: null,
      isSample: true,
      countsToday: '0.000000',
    });
    expect([midnight, midnight + 86_400_000]).toContain(empty.nextAccrualAt);
    expect(empty.assets.map(({ asset }: { asset: string }) => asset)).toEqual(['USDT', 'USD', 'BTC', 'ETH']);
    // A demo says that its rates are samples, in every language, and all say who pays.
    for (const [lang, sample, payer] of [
      ['zh', '示例', '自有资金'],
      ['tw', '範例', '自有資金'],
      ['en', 'samples', 'We pay the interest from our own funds'],
    ] as const) {
      const { intro } = await read('profit/summary', ann, { lang });
      expect(intro).toContain(sample);
      expect(intro).toContain(payer);
    }
    expect((await read('profit/summary', ann, { asset: 'BTC' })).annualRate).toBe('0.005');
  });

  test('the summary shows no rate in live mode while the table has only sample rates', async () => {
    const ann = await saver();
    await setMode(db.owner, 'live');
    const { annualRate, rates, isSample, intro, assets } = await read('profit/summary', ann, { lang: 'en' });
    await setMode(db.owner, 'demo');
    expect([annualRate, rates, isSample]).toEqual([null, [], false]);
    expect(intro).not.toContain('sample');
    expect(assets.every((one: { annualRate: null }) => one.annualRate === null)).toBe(true);
  });

  test('the earnings summary includes a day’s interest as soon as the day is over, also before the accrual runs (S2-50, S2-51)', async () => {
    const ann = await saver();
    expect((await move(ann, 'In', '1000')).body.error).toBeUndefined();
    await ageBy(ann, 3);
    const summary = await read('profit/summary', ann);
    expect(summary).toMatchObject({
      yesterdayInterest: '0.082199',
      accumulated: '0.164390',
      total: '1000.164390',
      countsToday: '1000.164390',
    });
  });
});

describe('transfers', () => {
  test('transfers move money into and out of earnings at once and appear in the fund log (S4-14, S4-15, S7-26)', async () => {
    const ann = await saver();
    const into = await move(ann, 'In', '600.5');
    expect(into.body.data).toMatchObject({
      total: '600.500000',
      available: '399.500000',
      countsToday: '0.000000',
    });
    const out = await move(ann, 'Out', '0.5');
    expect(out.body.data).toMatchObject({ total: '600.000000', available: '400.000000' });
    const { balances } = await read('user/getUserInfo', ann);
    expect(balances[1]).toEqual({
      asset: 'USDT',
      available: '400.000000',
      held: '0.000000',
      earning: '600.000000',
    });
    const { items } = await read('fund/log', ann, { asset: 'USDT' });
    expect(
      items
        .slice(0, 2)
        .map(({ type, result, amount, balance }: Record<string, string>) => [type, result, amount, balance]),
    ).toEqual([
      ['earnOut', 'success', '0.500000', '400.000000'],
      ['earnIn', 'success', '-600.500000', '399.500000'],
    ]);
    expect((await read('fund/log', ann, { type: 'earnIn' })).items).toHaveLength(1);
    expect((await read('fund/log', ann, { type: 'earnOut' })).items).toHaveLength(1);
  });

  test.each<[Direction, string, string, string]>([
    ['In', 'USDT', '1000.000001', 'INSUFFICIENT_BALANCE'],
    ['Out', 'USDT', '0.000001', 'EARNINGS_SMALLER'],
    ['In', 'DEMO', '10', 'ASSET_NOT_ACCEPTED'],
    ['Out', 'DEMO', '10', 'ASSET_NOT_ACCEPTED'],
    ['In', 'XYZ', '10', 'ASSET_NOT_ACCEPTED'],
    ['In', 'USDT', '0', 'INVALID_AMOUNT'],
    ['In', 'USDT', '-1', 'INVALID_AMOUNT'],
    ['In', 'USDT', '1e3', 'INVALID_AMOUNT'],
    ['In', 'USDT', '0.0000001', 'INVALID_AMOUNT'],
    ['In', 'USDT', '', 'AMOUNT_REQUIRED'],
  ])('a transfer %s of %s %s is refused: %s, with the field', async (direction, asset, amount, error) => {
    const ann = await saver();
    const { body } = await move(ann, direction, amount, { asset });
    expect(body).toMatchObject({ code: 0, error, data: null });
    expect(Object.keys(body.fields ?? {})).toEqual([error === 'ASSET_NOT_ACCEPTED' ? 'asset' : 'amount']);
    expect((await read('profit/summary', ann)).available).toBe('1000.000000');
  });

  test('transfers need the password again when the session is not fresh', async () => {
    const ann = await saver();
    await db.owner.query('update sessions set fresh_until = now() where customer_id = $1', [ann.id]);
    for (const direction of ['In', 'Out'] as const)
      expect((await move(ann, direction, '10')).body.error).toBe('REAUTH_REQUIRED');
    expect((await read('profit/summary', ann)).total).toBe('0.000000');
  });

  test('twenty concurrent transfers with one key, at two processes, move money once', async () => {
    const ann = await saver();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) =>
        move(ann, 'In', '100', { key: 'one-key', origin: place % 2 === 0 ? api.origin : other.origin }),
      ),
    );
    for (const { body } of answers) expect(body.data.total).toBe('100.000000');
    expect((await move(ann, 'In', '101', { key: 'one-key' })).body.error).toBe('IDEMPOTENCY_MISMATCH');
    expect((await move(ann, 'Out', '100', { key: 'one-key' })).body.error).toBe('IDEMPOTENCY_MISMATCH');
    // A refused request does not use up its key.
    expect((await move(ann, 'In', '5000', { key: 'later' })).body.error).toBe('INSUFFICIENT_BALANCE');
    await credit(db, ann.id, 5_000n * UNIT);
    expect((await move(ann, 'In', '5000', { key: 'later' })).body.data.total).toBe('5100.000000');
  });

  test('one of forty concurrent transfers of the whole balance succeeds, in each direction', async () => {
    const ann = await saver();
    const answers = await Promise.all(Array.from({ length: 40 }, () => move(ann, 'In', '1000')));
    expect(answers.filter(({ body }) => body.code === 1)).toHaveLength(1);
    const back = await Promise.all(Array.from({ length: 40 }, () => move(ann, 'Out', '1000')));
    expect(back.filter(({ body }) => body.code === 1)).toHaveLength(1);
    expect(await read('profit/summary', ann)).toMatchObject({ total: '0.000000', available: '1000.000000' });
  });

  test('the stream reports transfers and interest', async () => {
    const ann = await saver();
    const stream = await StreamClient.open(api.origin, ann.token);
    await stream.sub('funds');
    await move(ann, 'In', '1000');
    const earning = (data: unknown, text: string) =>
      Array.isArray(data) &&
      data.some((one: Record<string, string>) => one.asset === 'USDT' && one.earning === text);
    await stream.next(({ data }) => earning(data, '1000.000000'));
    await ageBy(ann, 2);
    await db.owner.query(
      `update earning_head set day = (select min(accrued_through) + 1 from earning_accounts)`,
    );
    for (let isDone = false; !isDone; ) {
      const { rows } = await db.server.query('select worked from earning_accrue(100)');
      isDone = !rows[0].worked;
    }
    await stream.next(({ data }) => earning(data, '1000.082191'));
    await stream.close();
  });
});

describe('records', () => {
  test('interest records are listed by day, newest first, in pages; the chart’s records include days without interest (S2-52, S2-53, S4-16, S7-26)', async () => {
    const ann = await saver();
    await credit(db, ann.id, 3_000n, 5);
    await move(ann, 'In', '1000');
    // A day brings 0.12 of its smallest unit.
    await move(ann, 'In', '0.00003', { asset: 'ETH' });
    await ageBy(ann, 11);
    const all: Record<string, string>[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: Record<string, string>[]; nextCursor: string | null } = await read(
        'profit/records',
        ann,
        { kind: 'all', limit: '4', ...(cursor === null ? {} : { cursor }) },
      );
      all.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    const usdt = all.filter(({ asset }) => asset === 'USDT');
    expect(usdt).toHaveLength(10);
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    expect(usdt[0]).toMatchObject({ date: day(1), rate: '0.03', asset: 'USDT' });
    expect(usdt.at(-1)).toEqual({
      asset: 'USDT',
      date: day(10),
      principal: '1000.000000',
      rate: '0.03',
      interest: '0.082191',
    });
    expect(new Set(all.map(({ date, asset }) => `${date} ${asset}`)).size).toBe(all.length);
    const eth = await read('profit/records', ann, { kind: 'daily', asset: 'ETH', limit: '100' });
    expect(eth.items).toHaveLength(10);
    expect(eth.items.filter(({ interest }: { interest: string }) => interest === '0.00000000').length).toBe(
      10 - all.filter(({ asset }) => asset === 'ETH').length,
    );
    const { items } = await read('fund/log', ann, { type: 'interest', limit: '100' });
    expect(items).toHaveLength(all.length);
    const summary = await read('profit/summary', ann);
    const sum = usdt.reduce(
      (total, { interest }) => total + BigInt((interest as string).replace('.', '')),
      0n,
    );
    expect(BigInt(summary.accumulated.replace('.', ''))).toBe(sum);
    // Interest is a line of its own and leaves the available balance unchanged.
    expect(items.at(-1)).toMatchObject({ type: 'interest', result: 'success', balance: null });
  });

  test.each(['1', '20261301-2', 'abc', '20260101-', '99999999-2'])('refuse the cursor %s', async (cursor) => {
    const ann = await saver();
    const { body } = await get(api.origin, 'profit/records', { cursor }, { token: ann.token });
    expect(body.error).toBe('INVALID_CURSOR');
  });
});
