import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { takeDepositsAt } from '@fairtick/kit/people/money.ts';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';

const db = ownDatabase();
const api = ownApi(db);

const CARD = { holder: '张三', bank: '中国银行', branch: '上海分行', cardNumber: '4111 1111-1111 1111' };
const call = (path: string, fields: Record<string, string>, { token }: Registered) =>
  post(api.origin, `user/${path}`, fields, { token });
const info = async ({ token }: Registered) =>
  (await get(api.origin, 'user/getUserInfo', {}, { token })).body.data;

const GOOD = {
  USDT: ['TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  BTC: [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ],
  ETH: ['0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', '0x52908400098527886E0F7030069857D2E4169EE7'],
} as const;
const BAD = {
  USDT: [
    'TJRabPrwbZy45sbavfcjinPJC18kjpRTv9',
    'TJRabPrwbZy45sbavfcjinPJC18kjpRTv',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
  ],
  BTC: [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    // Wrong: bech32 instead of bech32m (BIP 350), the test net, another asset, a look-alike letter.
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
    'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNа',
  ],
  ETH: [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
    '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe',
    '0x',
  ],
} as const;
const pairs = (all: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(all).flatMap(([asset, list]) => list.map((address) => [asset, address] as const));

describe('crypto addresses', () => {
  test.each(pairs(GOOD))('%s accepts the address %s (S1-10, S7-20)', async (asset, address) => {
    const customer = await register(api.origin);
    expect((await call('setAddress', { [asset]: address }, customer)).body.error).toBeUndefined();
    expect((await info(customer)).addresses).toEqual({ USDT: null, BTC: null, ETH: null, [asset]: address });
  });

  test.each([
    ['ETH', GOOD.USDT[1].toLowerCase(), GOOD.USDT[1]],
    ['ETH', GOOD.USDT[1].toUpperCase(), GOOD.USDT[1]],
    ['USDT', `\u200btron:${GOOD.USDT[0]}?amount=1`, GOOD.USDT[0]],
    ['USDT', '415cbdd86a2fa8dc4bddd8a8f69dba48572eec07fb', GOOD.USDT[0]],
    ['BTC', `BITCOIN:${GOOD.BTC[2].toUpperCase()}?AMOUNT=0.01`, GOOD.BTC[2]],
  ])('%s understands %s, and another spelling of it is no change', async (asset, typed, address) => {
    const customer = await register(api.origin);
    for (const spelling of [typed, address])
      expect((await call('setAddress', { [asset]: spelling }, customer)).body.error).toBeUndefined();
    expect((await info(customer)).addresses[asset]).toBe(address);
    const { rows } = await db.owner.query(
      'select address_index from crypto_addresses where customer_id = $1',
      [customer.id],
    );
    expect(rows.length).toBe(1);
    // Two customers with one address are found by its index, in any spelling.
    const other = await register(api.origin);
    await call('setAddress', { [asset]: address }, other);
    const { rows: both } = await db.owner.query(
      'select distinct address_index from crypto_addresses where customer_id = any ($1)',
      [[customer.id, other.id]],
    );
    expect(both).toEqual([{ address_index: rows[0].address_index }]);
  });

  test.each(pairs(BAD))('%s refuses the address %s', async (asset, address) => {
    const customer = await register(api.origin);
    const { body } = await call('setAddress', { [asset]: address }, customer);
    expect([body.code, body.error, Object.keys(body.fields ?? {})]).toEqual([0, 'ADDRESS_INVALID', [asset]]);
  });

  test('an address that nobody owns, or at which the house takes or took deposits, is refused with that reason, in any spelling', async () => {
    const house = '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb';
    await takeDepositsAt(db, house, true);
    const customer = await register(api.origin);
    for (const [code, spelling] of [
      ['ADDRESS_OF_HOUSE', house],
      ['ADDRESS_OF_HOUSE', house.toLowerCase()],
      ['ADDRESS_OF_HOUSE', `ethereum:${house}@1`],
      ['ADDRESS_UNOWNED', '0x000000000000000000000000000000000000dead'],
    ] as const) {
      const { body } = await call('setAddress', { ETH: spelling, BTC: 'not one' }, customer);
      expect([body.code, body.fields]).toEqual([
        0,
        { BTC: expect.stringContaining('Invalid'), ETH: expect.any(String) },
      ]);
      expect((await call('setAddress', { ETH: spelling }, customer)).body.error).toBe(code);
    }
    expect((await info(customer)).addresses).toEqual({ USDT: null, BTC: null, ETH: null });
  });

  test('absent addresses are kept, empty ones are removed, and one wrong address changes nothing (S3-34, S7-20)', async () => {
    const customer = await register(api.origin);
    const [usdt, eth] = [GOOD.USDT[0], GOOD.ETH[0]];
    await call('setAddress', { USDT: usdt, ETH: eth }, customer);
    await call('setAddress', { USDT: '' }, customer);
    expect((await info(customer)).addresses).toEqual({ USDT: null, BTC: null, ETH: eth });
    await call('setAddress', { BTC: GOOD.BTC[0], ETH: BAD.ETH[0] }, customer);
    expect((await info(customer)).addresses).toEqual({ USDT: null, BTC: null, ETH: eth });
    expect((await call('setAddress', {}, customer)).body.code).toBe(1);
  });
});

describe('bank cards', () => {
  test('bank cards are bound, shown with the last four digits, changed under the same id, and removed (S1-10, S3-35 to S3-38, S7-21)', async () => {
    const customer = await register(api.origin);
    const { id } = (await call('setBank', CARD, customer)).body.data;
    const shown = { id, holder: '张三', bank: '中国银行', branch: '上海分行', last4: '1111' };
    expect((await info(customer)).banks).toEqual([shown]);
    const changed = await call(
      'setBank',
      { ...CARD, id, branch: '北京分行', cardNumber: '5555555555554444' },
      customer,
    );
    expect(changed.body.data).toEqual({ id });
    expect((await info(customer)).banks).toEqual([{ ...shown, branch: '北京分行', last4: '4444' }]);
    expect((await call('removeBank', { id }, customer)).body.code).toBe(1);
    expect((await info(customer)).banks).toEqual([]);
    expect((await call('removeBank', { id }, customer)).body.error).toBe('CARD_NOT_FOUND');
  });

  test.each(['4111111111111112', '1234', '4111111111111111111111', 'abcd', '0x41', '6222O20000000000000'])(
    'a card with the number %s is refused',
    async (cardNumber) => {
      const { body } = await call('setBank', { ...CARD, cardNumber }, await register(api.origin));
      expect(body.fields).toEqual({ cardNumber: 'Invalid card number. Please check it' });
    },
  );

  test('a number without a check digit is bound once the customer checked it; letters and a wrong length never are', async () => {
    const customer = await register(api.origin);
    const bind = async (fields: Record<string, string>) =>
      (await call('setBank', { ...CARD, ...fields }, customer)).body;
    const cardNumber = '\u2060６２２２-0200 0000 0000 001';
    expect(await bind({ cardNumber })).toMatchObject({
      error: 'CARD_NUMBER_INVALID',
      fields: { cardNumber: 'Invalid card number. Please check it' },
    });
    expect((await bind({ cardNumber, checked: 'false' })).error).toBe('CARD_NUMBER_INVALID');
    for (const wrong of ['6222O20000000000001', '62220200000'])
      expect([wrong, (await bind({ cardNumber: wrong, checked: 'true' })).error]).toEqual([
        wrong,
        'CARD_NUMBER_INVALID',
      ]);
    expect((await bind({ cardNumber, checked: 'true' })).error).toBeUndefined();
    expect((await bind({ cardNumber: '6222020000000000001', checked: 'true' })).error).toBe('CARD_BOUND');
    expect((await info(customer)).banks).toMatchObject([{ last4: '0001' }]);
  });

  test('an account is bound by country, bank code and number, in any spelling once', async () => {
    const customer = await register(api.origin);
    const bind = async (country: string, bankCode: string, cardNumber: string) =>
      (
        await call(
          'setBank',
          {
            kind: 'account',
            holder: 'Ann',
            bank: 'A bank',
            cardNumber,
            country,
            ...(bankCode && { bankCode }),
          },
          customer,
        )
      ).body;
    expect((await bind('HK', '012', '012-345-678901-234')).error).toBeUndefined();
    expect((await bind('HK', '012', '345678901234')).error).toBe('CARD_BOUND');
    // The same number at another bank is another account.
    expect((await bind('HK', '004', '345678901234')).error).toBeUndefined();
    expect((await bind('TW', '822', '822-0123456789012')).error).toBeUndefined();
    expect((await bind('MT', '', 'MT84 MALT 0110 0001 2345 MTLC AST0 01S')).error).toBeUndefined();
    const account = { holder: 'Ann', bank: 'A bank', branch: '', id: expect.any(String) };
    expect((await info(customer)).banks).toEqual([
      { ...account, country: 'HK', bankCode: '012', last4: '1234' },
      { ...account, country: 'HK', bankCode: '004', last4: '1234' },
      { ...account, country: 'TW', bankCode: '822', last4: '9012' },
      { ...account, country: 'MT', last4: '001S' },
    ]);
    for (const [country, code, number, field] of [
      ['HK', '12', '345678901234', 'bankCode'],
      ['HK', '012', '34567890', 'cardNumber'],
      ['TW', '822', '01234S6789012', 'cardNumber'],
      ['DE', '', 'DE89370400440532013001', 'cardNumber'],
      ['FR', '', 'DE89370400440532013000', 'cardNumber'],
    ] as const) {
      const { error, fields } = await bind(country, code, number);
      expect([number, error, Object.keys(fields ?? {})]).toEqual([number, 'BANK_ACCOUNT_INVALID', [field]]);
    }
    expect(Object.keys((await bind('TW', '', '0123456789012')).fields ?? {})).toEqual(['bankCode']);
  });

  test.each(['holder', 'bank', 'branch', 'cardNumber'])(
    'a bank card without %s is refused with the request to fill out the complete form (S3-35 to S3-38, S5-11, S7-21)',
    async (missing) => {
      const { body } = await call('setBank', { ...CARD, [missing]: '' }, await register(api.origin));
      expect(body.msg).toBe('Please fill out the complete form');
      expect(Object.keys(body.fields ?? {})).toEqual([missing]);
    },
  );

  test('a security code is refused as an unknown field', async () => {
    const { body } = await call('setBank', { ...CARD, cvv: '123' }, await register(api.origin));
    expect(body.error).toBe('UNKNOWN_FIELD');
  });

  test('a customer binds five cards at most and each card once, also concurrently', async () => {
    const customer = await register(api.origin);
    const numbers = [
      '4111111111111111',
      '5555555555554444',
      '4012888888881881',
      '378282246310005',
      '6011111111111117',
      '30569309025904',
      '4222222222222',
    ];
    const answers = await Promise.all(
      numbers.map((cardNumber) => call('setBank', { ...CARD, cardNumber }, customer)),
    );
    expect(answers.filter(({ body }) => body.code === 1).length).toBe(5);
    const same = await register(api.origin);
    const twice = await Promise.all([1, 2, 3].map(() => call('setBank', CARD, same)));
    expect(twice.filter(({ body }) => body.code === 1).length).toBe(1);
  });

  test('another customer’s cards can’t be changed or removed', async () => {
    const { id } = (await call('setBank', CARD, await register(api.origin))).body.data;
    const other = await register(api.origin);
    expect((await call('setBank', { ...CARD, id }, other)).body.error).toBe('CARD_NOT_FOUND');
    expect((await call('removeBank', { id }, other)).body.error).toBe('CARD_NOT_FOUND');
  });
});

test('every change that affects withdrawals sends a notice to its owner', async () => {
  const customer = await register(api.origin);
  await call('setPayWord', { payWord: '135790' }, customer);
  await call('setBank', CARD, customer);
  await call('setAddress', { ETH: GOOD.ETH[0] }, customer);
  await call('setAddress', { ETH: GOOD.ETH[0] }, customer);
  await call('setPayWord', { payWord: '135791', oldPayWord: '135790' }, customer);
  const next = 'another long one';
  await call('setPassword', { oldPassword: PASSWORD, password: next, confirmPassword: next }, customer);
  const { rows } = await db.owner.query<{ kind: string }>(
    'select kind from notices where customer_id = $1 order by id',
    [customer.id],
  );
  expect(rows.map(({ kind }) => kind)).toEqual([
    'security.payWord',
    'security.bank',
    'security.address',
    'security.payWord',
    'security.password',
  ]);
});

describe('the hold after a change', () => {
  const SECONDS = 60;
  async function hold(customer: Registered): Promise<number | null> {
    const { rows } = await db.server.query<{ until: Date | null }>(
      `select hold_until($1, (select max(id) from destinations where customer_id = $1)) as until`,
      [customer.id],
    );
    return rows[0]?.until?.getTime() ?? null;
  }
  const age = (table: string, column: string, { id }: Registered) =>
    db.owner.query(
      `update ${table} set ${column} = now() - interval '1 day' where ${table === 'customers' ? 'id' : 'customer_id'} = $1`,
      [id],
    );

  test('counts from the last change of the destination, the password, the withdrawal password or the second factor', async () => {
    const customer = await register(api.origin);
    await call('setBank', CARD, customer);
    await call('setPayWord', { payWord: '135790' }, customer);
    const isHeld = async () => ((await hold(customer)) as number) > Date.now();
    expect((await hold(customer)) as number).toBeLessThanOrEqual(Date.now() + SECONDS * 1000 + 1000);
    const settle = async () => {
      await age('bank_cards', 'changed_at', customer);
      await age('withdrawal_passwords', 'changed_at', customer);
      await age('customers', 'password_changed_at', customer);
      await age('customers', 'second_factor_changed_at', customer);
      expect(await isHeld()).toBe(false);
    };
    await settle();
    await call(
      'setPassword',
      { oldPassword: PASSWORD, password: 'another long one', confirmPassword: 'another long one' },
      customer,
    );
    expect(await isHeld()).toBe(true);
    await settle();
    await call('setPayWord', { payWord: '135791', oldPayWord: '135790' }, customer);
    expect(await isHeld()).toBe(true);
    await settle();
    await db.owner.query('update customers set second_factor_changed_at = now() where id = $1', [
      customer.id,
    ]);
    expect(await isHeld()).toBe(true);
    await settle();
    const { banks } = await info(customer);
    await call('setBank', { ...CARD, id: banks[0].id, branch: 'other' }, customer);
    expect(await isHeld()).toBe(true);
  });

  test('a removed destination and another customer’s destination have no hold', async () => {
    const customer = await register(api.origin);
    const { id } = (await call('setBank', CARD, customer)).body.data;
    expect(await hold(customer)).not.toBeNull();
    const { rows } = await db.server.query('select hold_until($1, $2) as until', [
      (await register(api.origin)).id,
      id,
    ]);
    expect(rows[0].until).toBeNull();
    await call('removeBank', { id }, customer);
    expect(await hold(customer)).toBeNull();
  });

  test('the server’s role can’t shorten the hold, since the database sets the times of changes', async () => {
    for (const statement of [
      'update bank_cards set changed_at = now() - interval $$1 year$$',
      'update bank_cards set sealed = $$x$$',
      'update customers set password_changed_at = null',
      'update house_settings set hold_seconds = 0',
      'delete from bank_cards',
    ]) {
      expect([statement, await db.server.query(statement).catch(failureOf)]).toEqual([statement, '42501']);
    }
    const customer = await register(api.origin);
    const { id } = (await call('setBank', CARD, customer)).body.data;
    await call('removeBank', { id }, customer);
    expect(
      await db.server.query('update bank_cards set removed_at = null where id = $1', [id]).catch(failureOf),
    ).toBe('ALREADY_REMOVED');
  });
});
