import {
  Api,
  type Call,
  type Customer,
  newKey,
  openSymbol,
  ownings,
  register,
} from '@fairtick/kit/clients/api.ts';
import { heard, refusedWell } from '@fairtick/kit/hostile/answers.ts';
import {
  HOSTILE_AMOUNTS,
  HOSTILE_CURSORS,
  HOSTILE_IDS,
  HOSTILE_SYMBOLS,
} from '@fairtick/kit/hostile/hostile-values.ts';
import {
  basesOf,
  bodiesOf,
  form,
  type MoneyField,
  moneyFieldsOf,
  ORDER,
} from '@fairtick/kit/hostile/request-generator.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { sized } from '@fairtick/kit/size.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const installation = new Installation();
let api: Api;
let victim: Customer;
let attacker: Customer;
let symbol: string;

beforeAll(async () => {
  api = await Api.open((await installation.startReady()).origin);
  symbol = await openSymbol(api);
  [victim, attacker] = [await register(api), await register(api)];
}, 150_000);
afterAll(() => installation.close());

/** Runs calls that must all be refused, and checks that no customer's money or data has changed. */
async function nothingMoves(calls: () => Promise<void>): Promise<void> {
  const before = [await ownings(api, victim), await ownings(api, attacker)];
  await calls();
  expect([await ownings(api, victim), await ownings(api, attacker)]).toEqual(before);
}

/** In `npm test` each field is sent every third of the corpus's numbers and forms of body, the next field the next third. */
const STRIDE = sized(3, 1);

async function refusesAll({ path, field, isOptional }: MoneyField, turn: number): Promise<void> {
  const base = basesOf(symbol)[path];
  if (!base) throw new Error(`${path} takes ${field}: it needs a base here, or ${field} holds no money`);
  // An optional field may be empty, and a fee may be zero.
  const isTaken = (amount: string) =>
    (isOptional && amount === '') || (field === 'fee' && /^0(\.0+)?$/.test(amount));
  const calls = HOSTILE_AMOUNTS.filter((amount) => !isTaken(amount)).flatMap((amount) =>
    bodiesOf(path, { ...base, [field]: amount }).map((body) => ({ amount, body })),
  );
  for (const { amount, body } of calls.filter((_, at) => (at + turn) % STRIDE === 0)) {
    const called = [path, field, amount.slice(0, 40)];
    const answer = await api.send('post', `/api/${path}`, {
      token: attacker.token,
      key: newKey(),
      ...body,
    });
    expect([...called, refusedWell(answer)]).toEqual([...called, true]);
    // A multipart form limits the size of its texts before they are parsed.
    if (body.body instanceof FormData && answer.body.error === 'BODY_TOO_LARGE') continue;
    expect([...called, answer.body.error]).toEqual([
      ...called,
      expect.stringMatching(/^(INVALID_AMOUNT|AMOUNT_REQUIRED|INVALID_VALUE|FORM_INCOMPLETE|ALERT_PRICE)$/),
    ]);
    expect([...called, Object.keys(answer.body.fields ?? {})]).toEqual([...called, [field]]);
  }
}

describe('hostile amounts', () => {
  test('every number of the hostile corpus is refused, in every money field, asset and form of body (S7-02, S7-04)', async () => {
    expect(new Set(HOSTILE_AMOUNTS).size).toBeGreaterThanOrEqual(300);
    const fields = moneyFieldsOf(api.document);
    expect(fields).toContainEqual({ path: 'order/create', field: 'amount', isOptional: false });
    await nothingMoves(async () => {
      for (const [turn, field] of fields.entries()) await refusesAll(field, turn);
    });
  });

  test('JSON values other than text are refused as amounts', async () => {
    const values = [
      '1',
      '100',
      '100.0',
      '1e2',
      '-1',
      '0',
      '1e400',
      '9007199254740993',
      'true',
      'false',
      'null',
      '[100]',
      '["100"]',
      '{"a":1}',
      '{}',
    ];
    await nothingMoves(async () => {
      for (const value of values) {
        const body = `{"symbol":"${symbol}","direction":"up","minutes":1,"asset":"DEMO","amount":${value}}`;
        const answer = await api.post(
          'order/create',
          {},
          { token: attacker.token, key: newKey(), type: 'application/json', body },
        );
        expect([value, refusedWell(answer)]).toEqual([value, true]);
      }
    });
  });

  test('amounts at the edges of the grammar are read exactly, and refused for their value', async () => {
    const cases: readonly [string, string, string][] = [
      ['DEMO', '999999999999.999999', 'AMOUNT_TOO_LARGE'],
      ['DEMO', '9.999999', 'AMOUNT_TOO_SMALL'],
      ['DEMO', '0.000001', 'AMOUNT_TOO_SMALL'],
      ['DEMO', '5000.000001', 'AMOUNT_TOO_LARGE'],
      ['USD', '10.001', 'INVALID_AMOUNT'],
      ['USD', '10.01', 'INSUFFICIENT_BALANCE'],
      ['BTC', '0.00019999', 'AMOUNT_TOO_SMALL'],
      ['BTC', '0.000200001', 'INVALID_AMOUNT'],
      ['BTC', '0.0002', 'INSUFFICIENT_BALANCE'],
      ['ETH', '999999999999.99999999', 'INVALID_AMOUNT'],
    ];
    await nothingMoves(async () => {
      for (const [asset, amount, error] of cases) {
        const call = { token: attacker.token, key: newKey() };
        const { body } = await heard(() =>
          api.post('order/create', { ...ORDER, symbol, asset, amount }, call),
        );
        expect([asset, amount, body.error]).toEqual([asset, amount, error]);
      }
    });
  });
});

describe('bodies', () => {
  const create = (call: Call) =>
    api.post('order/create', {}, { token: attacker.token, key: newKey(), ...call });
  const FORM = 'application/x-www-form-urlencoded';
  const JSON_TYPE = 'application/json';

  test('of every broken kind are refused, and no money moves', async () => {
    const whole = { ...ORDER, symbol };
    const text = form(whole);
    const broken: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, number])[] = [
      [FORM, '', 200],
      [FORM, 'x', 200],
      [FORM, `${text}&amount=1`, 400],
      [FORM, `${text}&amount[]=1`, 200],
      [FORM, `${text}&amount%5B0%5D=1`, 200],
      [FORM, `${text}&__proto__=x`, 200],
      [FORM, `${text}&constructor.prototype.amount=1`, 200],
      [FORM, `${text}&%00=x`, 200],
      [FORM, `${text}&extra=%zz`, 400],
      [FORM, text.replace('amount=100', 'amount=%ff'), 400],
      [FORM, JSON.stringify(whole), 200],
      [FORM, Uint8Array.of(0xff, 0xfe, 0x00), 400],
      [FORM, 'a'.repeat(65_537), 413],
      [JSON_TYPE, text, 400],
      [JSON_TYPE, '{', 400],
      [JSON_TYPE, '[]', 400],
      [JSON_TYPE, JSON.stringify([whole]), 400],
      [JSON_TYPE, JSON.stringify({ ...whole, amount: ['100'] }), 400],
      [JSON_TYPE, JSON.stringify({ ...whole, amount: { toString: '100' } }), 400],
      [JSON_TYPE, JSON.stringify({ ...whole, extra: 'x' }), 200],
      [JSON_TYPE, JSON.stringify(whole).replace('}', ',"amount":"1"}'), 400],
      [JSON_TYPE, JSON.stringify(whole).replace('}', ',}'), 400],
      [JSON_TYPE, `{"__proto__":${JSON.stringify(whole)}}`, 400],
      [JSON_TYPE, `${'['.repeat(30_000)}${']'.repeat(30_000)}`, 400],
      [JSON_TYPE, `{"a":"${'x'.repeat(70_000)}"}`, 413],
      ['text/plain', text, 415],
      ['application/xml', '<amount>100</amount>', 415],
      [
        'multipart/form-data; boundary=x',
        '--x\r\ncontent-disposition: form-data; name="amount"\r\n\r\n100\r\n--x--',
        415,
      ],
      ['application/x-yaml', 'amount: 100', 415],
    ];
    await nothingMoves(async () => {
      for (const [type, body, status] of broken) {
        const answer = await create({ type, body });
        const what = `${type} ${String(body).slice(0, 60)}`;
        expect([what, answer.status, refusedWell(answer)]).toEqual([what, status, true]);
      }
      const packed = await create({ type: FORM, body: text, headers: { 'content-encoding': 'br' } });
      expect([packed.status, packed.body.error]).toEqual([415, 'MEDIA_TYPE']);
    });
  });
});

describe('invalid values of fields', () => {
  test('symbols, directions, minutes, assets and times that do not exist are refused', async () => {
    const wrong: readonly (readonly [string, readonly string[]])[] = [
      ['symbol', HOSTILE_SYMBOLS],
      ['direction', ['', 'UP', 'Up', 'up ', 'call', 'long', '1', 'true', 'updown', 'up\0', 'null']],
      [
        'minutes',
        [
          '',
          '0',
          '-1',
          '2',
          '01',
          '1.0',
          '1e0',
          '1.5',
          '0x1',
          '１',
          ' 1',
          '99999',
          '10001',
          '9999999999999999',
          'NaN',
          'Infinity',
        ],
      ],
      [
        'asset',
        ['', 'demo', 'DEM', 'DEMO2', 'DEMO ', 'EUR', 'XXX', '*', '__proto__', 'D', 'X'.repeat(9), 'ＤＥＭＯ'],
      ],
      ['notAfter', ['0', '1', '-1', '1e15', '1.5', 'now', '253402300800000', '9'.repeat(30), '']],
      ['seenSize', ['-1', '01', '1e3', '1.5', 'x', '9'.repeat(30)]],
      ['seenRoot', ['0', 'x'.repeat(64), 'A'.repeat(64), '0'.repeat(63), '0'.repeat(65)]],
    ];
    await nothingMoves(async () => {
      for (const [field, values] of wrong) {
        for (const value of values) {
          const fields = { ...ORDER, symbol, [field]: value };
          const answer = await api.post('order/create', fields, { token: attacker.token, key: newKey() });
          expect([field, value.slice(0, 40), refusedWell(answer)]).toEqual([field, value.slice(0, 40), true]);
        }
      }
    });
  });

  test('symbols, periods and limits of a read request are refused', async () => {
    for (const value of HOSTILE_SYMBOLS) {
      for (const path of ['product/detail', 'product/latestTrades', 'product/candles']) {
        const fields = path === 'product/candles' ? { symbol: value, period: '1m' } : { symbol: value };
        expect([path, value.slice(0, 40), (await api.get(path, fields)).body.code]).toEqual([
          path,
          value.slice(0, 40),
          0,
        ]);
      }
    }
    for (const period of ['', '2m', '1H', '1M ', '1m,5m', '60', '__proto__']) {
      expect((await api.get('product/candles', { symbol, period })).body.error).toBe('INVALID_VALUE');
    }
    for (const limit of ['0', '-1', '101', '1.5', '1e1', '', 'all', '99999999999999999999']) {
      for (const path of ['order/list', 'fund/log']) {
        const { body } = await api.get(path, { limit }, { token: attacker.token });
        expect([path, limit, body.error]).toEqual([path, limit, 'INVALID_VALUE']);
      }
    }
  });

  test('cursors, places in the log and times of a read request are refused or find nothing', async () => {
    for (const cursor of HOSTILE_CURSORS) {
      for (const path of ['order/list', 'fund/log']) {
        const { body } = await api.get(path, { cursor }, { token: attacker.token });
        const error = cursor.includes('\0') ? 'INVALID_VALUE' : 'INVALID_CURSOR';
        expect([path, cursor.slice(0, 40), body.error]).toEqual([path, cursor.slice(0, 40), error]);
      }
    }
    for (const value of ['-1', '1.5', '1e3', '', 'x', '9'.repeat(17), '9007199254740992']) {
      for (const field of ['index', 'size', 'fromSize']) {
        const { body } = await api.get('transparency/proof', { [field]: value });
        expect([field, value, body.error]).toEqual([field, value, 'INVALID_VALUE']);
      }
    }
    for (const before of ['0', '1', '253402300799999']) {
      for (const period of ['1m', '5m', '30m', '1d', '1w', '1M']) {
        const { body } = await api.get('product/candles', { symbol, period, before, limit: '1000' });
        expect([before, period, body.code]).toEqual([before, period, 1]);
      }
    }
  });
});

describe('another customer’s records', () => {
  /** Every operation that takes an id and needs a session, from the document. */
  const operationsWithId = () =>
    Object.entries(api.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(
          ([, { parameters, security }]) =>
            security.every((scheme) => Object.keys(scheme).length > 0) &&
            parameters?.some(({ name, in: place }) => name === 'id' && place === 'query'),
        )
        .map(([method]) => ({ path: path.replace('/api/', ''), method })),
    );

  /** An order of the victim that has opened, and so stays as it is for a quarter of an hour; null if it is void instead. */
  async function openOrder(): Promise<string | null> {
    const { token } = victim;
    const call = { token, key: newKey() };
    const order = { ...ORDER, symbol, minutes: '15' };
    const { body } = await heard(() => api.post('order/create', order, call));
    expect(body.error).toBeUndefined();
    const { id } = body.data;
    const decided = await seen(async () => {
      const { data } = (await api.get('order/detail', { id }, { token })).body;
      return (data.openPrice !== null || data.status === 'settled') && data;
    });
    return decided.status === 'settled' ? null : id;
  }

  test('get the same answer as records that do not exist, from every operation that takes an id', async () => {
    const id: string = await seen(openOrder, { everyMs: 200, what: 'an order that opens' });
    const deposit = await api.send('post', '/api/recharge/submit', {
      token: victim.token,
      key: newKey(),
      ...(bodiesOf('recharge/submit', { channelId: '1', amount: '20' })[0] as Call),
    });
    expect(deposit.body.code).toBe(1);
    // Objects of the other operations exist only after staff have worked: the access matrix covers those.
    const own: Record<string, string> = {
      'order/detail': id,
      'order/logged': id,
      'recharge/detail': deposit.body.data.id,
    };
    expect(
      operationsWithId()
        .map(({ path }) => path)
        .sort(),
    ).toEqual([
      'chat/image',
      'order/detail',
      'order/logged',
      'order/receipt',
      'recharge/detail',
      'recharge/proof',
      'user/document',
      'withdraw/detail',
    ]);
    await nothingMoves(async () => {
      for (const { path } of operationsWithId()) {
        const fields: Record<string, string> = path === 'user/document' ? { side: 'front' } : {};
        const at = (one: string, token: string) => api.get(path, { ...fields, id: one }, { token });
        const mine = own[path];
        if (mine !== undefined) expect((await at(mine, victim.token)).body.code).toBe(1);
        const theirs = mine ?? (path.startsWith('order/') ? id : deposit.body.data.id);
        const foreign = await at(theirs, attacker.token);
        const absent = await at('987654321', attacker.token);
        expect([path, foreign.body]).toEqual([path, absent.body]);
        expect(foreign.status).toBe(absent.status);
        expect([path, foreign.body.code]).toEqual([path, 0]);
        for (const hostile of HOSTILE_IDS) {
          const { body } = await at(hostile, attacker.token);
          expect([path, hostile.slice(0, 40), body.code]).toEqual([path, hostile.slice(0, 40), 0]);
        }
      }
      // The owner's cursor and key give no access to another customer either.
      const list = await api.get('order/list', { cursor: String(Number(id) + 1) }, { token: attacker.token });
      expect(list.body.data.items).toEqual([]);
      const log = await api.get('fund/log', { limit: '100' }, { token: attacker.token });
      expect(JSON.stringify(log.body.data)).not.toContain(`order:${id}`);
      const trades = await api.get('product/latestTrades', { symbol });
      expect(JSON.stringify(trades.body.data)).not.toContain(id);
      expect(JSON.stringify(trades.body.data)).not.toContain(victim.account);
    });
  });

  test('need a valid session', async () => {
    const tokens = [
      '',
      'x',
      attacker.token.slice(1),
      `${attacker.token}a`,
      attacker.token.toUpperCase(),
      'null',
      '0'.repeat(43),
      'x'.repeat(4_000),
    ];
    for (const token of tokens) {
      for (const path of ['user/getUserInfo', 'order/list', 'fund/log']) {
        const { status, body } = await api.get(path, {}, { token });
        expect([path, status, body.code]).toEqual([path, 401, 401]);
      }
      const { status } = await api.post('order/create', { ...ORDER, symbol }, { token, key: newKey() });
      expect(status).toBe(401);
    }
  });
});
