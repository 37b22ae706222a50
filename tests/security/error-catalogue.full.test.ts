import { randomUUID } from 'node:crypto';
import {
  type Answer,
  answerOf,
  get,
  PASSWORD,
  post,
  type Registered,
  register,
} from '@fairtick/kit/clients/api-client.ts';
import { rawHttp } from '@fairtick/kit/clients/raw-http.ts';
import { begunPost } from '@fairtick/kit/clients/slow-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { type RunningApi, startApi, WIDE_LIMITS } from '@fairtick/kit/installation/running-api.ts';
import { TradingFloor } from '@fairtick/kit/installation/trading-floor.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import {
  moneyRefusals,
  personalRefusals,
  protectionRefusals,
  securityRefusals,
} from '@fairtick/kit/refusals/refusals.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { ERRORS, type ErrorCode, endpoints, errorMessage, LANGUAGES } from '@fairtick/protocol';
import { type OpenApiDocument, openApiDocument } from '@fairtick/protocol/openapi';
import type { ProductRules } from '@fairtick/trading';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../apps/server/src/market/products.ts';

/**
 * Rules that make every refusal of an order possible: one product closed, one about to close, one that demands a high
 * balance.
 */
class StrictFeed extends ManualFeed {
  override rulesOf(product: Product): ProductRules | null {
    const rules = super.rulesOf(product);
    if (!rules) return null;
    const everyDay = [1, 2, 3, 4, 5, 6, 7];
    const session = (fromMs: number, toMs: number) => ({
      zone: 'UTC',
      windows: [{ days: everyDay, from: clock(fromMs), to: clock(toMs) }],
      holidays: [],
    });
    switch (product.symbol) {
      case 'GBP/USD':
        return { ...rules, schedule: session(Date.now() + 3_600_000, Date.now() + 7_200_000) };
      case 'USD/JPY':
        return { ...rules, schedule: session(Date.now() - 3_600_000, Date.now() + 1_800_000) };
      case 'AUD/USD':
        return { ...rules, limits: rules.limits.map((limits) => ({ ...limits, minBalance: '20000' })) };
      default:
        return rules;
    }
  }
}
const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 16);
let strict: RunningApi;
let customer: Registered;
let document: OpenApiDocument;

const floor = forFile(() => TradingFloor.open({ feed: new StrictFeed() }));
beforeAll(async () => {
  const limits = {
    ...WIDE_LIMITS,
    failedLoginsPerAccount: 1,
    loginsPerAddress: 2,
    registrationsPerAddress: 1,
    ordersPerCustomer: 1,
  };
  strict = await startApi(floor.house.db, { limits, receiveMs: 300 });
  customer = await register(floor.origin);
  document = openApiDocument();
  await floor.tick({ 'EUR/USD': '1.08400', 'USD/JPY': '150.000', 'AUD/USD': '0.65000' });
  await floor.tick({ 'EUR/USD': '1.08400', 'USD/JPY': '150.000', 'AUD/USD': '0.65000' });
});
afterAll(async () => {
  await strict?.stop();
});

const form = { account: 'fresh_name', password: 'long enough 1', confirmPassword: 'long enough 1' };
const login = (fields: Record<string, string>) => post(floor.origin, 'user/login', fields);
const signUp = (fields: Record<string, string>) =>
  post(floor.origin, 'user/register', { ...form, ...fields });
const user = (path: string, fields: Record<string, string>) =>
  post(floor.origin, `user/${path}`, fields, { token: customer.token });
const order = (fields: Record<string, string> = {}, key?: string) =>
  floor.order(customer.token, fields, key === undefined ? {} : { key });
const bare = (path: string, init: RequestInit) =>
  fetch(`${floor.origin}/api/${path}`, { headers: { language: 'en' }, ...init }).then(answerOf);

/** Runs a statement as the schema's owner, makes the call, and runs `undo`. */
async function while_(statement: string, undo: string, call: () => Promise<Answer>): Promise<Answer> {
  await floor.house.db.owner.query(statement);
  try {
    return await call();
  } finally {
    await floor.house.db.owner.query(undo);
  }
}

async function withoutDatabase(call: () => Promise<Answer>): Promise<Answer> {
  const superuser = new pg.Client({
    host: process.env.FAIRTICK_TEST_SOCKET,
    user: 'postgres',
    database: 'postgres',
  });
  await superuser.connect();
  const { name } = floor.house.db;
  await superuser.query(`alter database ${name} connection limit 0`);
  await superuser.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  try {
    return await call();
  } finally {
    await superuser.query(`alter database ${name} connection limit -1`);
    await superuser.end();
  }
}

/** Delays a commit for longer than an acceptance may take. */
async function lateOrder(): Promise<Answer> {
  const holder = await floor.house.db.owner.connect();
  await holder.query('begin');
  await holder.query('select from promised_income for update');
  // Sends a single request, because `order` repeats a late one as the app does.
  const form = { symbol: 'EUR/USD', direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
  await floor.tick();
  const placed = post(floor.origin, 'order/create', form, { token: customer.token, key: randomUUID() });
  await seen(async () => {
    const { rows } = await floor.house.db.owner.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and now() - query_start > interval '600 ms'`,
    );
    return rows.length > 0;
  });
  await holder.query('rollback');
  holder.release();
  return placed;
}

/** The first error message of the stream. */
async function streamError(messages: readonly string[]): Promise<{ error: string; msg: string }> {
  const socket = new WebSocket(`${floor.origin.replace('http', 'ws')}/api/stream?lang=en`);
  const { promise, resolve, reject } = Promise.withResolvers<{ error: string; msg: string }>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.error) resolve(message);
  });
  socket.addEventListener('close', () => reject(new Error('closed without an error')));
  socket.addEventListener('open', () => {
    for (const message of messages) socket.send(message);
  });
  try {
    return await promise;
  } finally {
    socket.close();
  }
}

const subscription = (topic: string) => JSON.stringify({ op: 'sub', topic });

/** A request that provokes each code of the catalogue; the type makes a code without one a compile error. */
const REQUESTS: Readonly<Record<ErrorCode, () => Promise<Answer | { error: string; msg: string }>>> = {
  NEWS_NOT_FOUND: () => get(floor.origin, 'news/detail', { id: '1' }),
  NEWS_WITHDRAWN: async () => {
    const staffId = await installStaff(floor.house.db.owner, 'content');
    await floor.house.db.owner.query("select news_withdraw($1, 1000, 'wrong')", [staffId]);
    return get(floor.origin, 'news/detail', { id: '1000' });
  },
  SESSION_EXPIRED: () => get(floor.origin, 'user/getUserInfo'),
  PATH_NOT_FOUND: () => get(floor.origin, 'nothing'),
  METHOD_NOT_ALLOWED: () => get(floor.origin, 'user/login'),
  MALFORMED_BODY: () => bare('product/list?lang=en&lang=en', {}),
  BODY_TOO_LARGE: () => login({ account: 'x'.repeat(70_000), password: 'y' }),
  MEDIA_TYPE: () =>
    bare('user/login', {
      method: 'POST',
      headers: { 'content-type': 'text/plain', language: 'en' },
      body: 'x',
    }),
  NEW_DEVICES_HELD: async () => {
    const login = () =>
      post(strict.origin, 'user/login', { account: 'nobody_has_it', password: 'not the one' });
    await login();
    return login();
  },
  TOO_MANY_REQUESTS: () => post(strict.origin, 'user/register', form),
  TOO_SLOW: async () => {
    const [answer] = await rawHttp(strict.port, begunPost('/api/user/login'));
    return { status: answer?.status ?? 0, headers: new Headers(), body: JSON.parse(answer?.body ?? '') };
  },
  NOT_READY: () =>
    withoutDatabase(() => get(floor.origin, 'user/getUserInfo', {}, { token: customer.token })),
  INTERNAL: () =>
    while_(
      'alter table recovery_requests rename to gone',
      'alter table gone rename to recovery_requests',
      () => post(floor.origin, 'user/recoverRequest', { account: 'someone', contact: 'x', text: 'y' }),
    ),
  INVALID_MESSAGE: () => streamError(['not JSON']),
  UNKNOWN_TOPIC: () => streamError([subscription('quote:NOTHING')]),
  TOO_MANY_TOPICS: () =>
    streamError(
      floor.house.products.all
        .flatMap(({ symbol }) =>
          ['1m', '5m', '30m'].map((period) => subscription(`candle:${symbol}:${period}`)),
        )
        .slice(0, 301),
    ),
  FORM_INCOMPLETE: () => get(floor.origin, 'product/detail'),
  UNKNOWN_FIELD: () => login({ account: 'someone', password: 'x', more: 'x' }),
  INVALID_VALUE: () => get(floor.origin, 'product/candles', { symbol: 'EUR/USD', period: '2m' }),
  HIDDEN_CHARACTERS: () =>
    post(floor.origin, 'user/recoverRequest', { account: 'someone', contact: 'me\u202e', text: 'help' }),
  INVALID_CURSOR: () => get(floor.origin, 'order/list', { cursor: 'a b' }, { token: customer.token }),
  ACCOUNT_REQUIRED: () => signUp({ account: '' }),
  ACCOUNT_FORMAT: () => signUp({ account: '1abcdef' }),
  ACCOUNT_TAKEN: () => signUp({ account: customer.account.toUpperCase() }),
  PASSWORD_REQUIRED: () => signUp({ password: '', confirmPassword: 'x' }),
  PASSWORD_TOO_SHORT: () => signUp({ password: 'short', confirmPassword: 'short' }),
  PASSWORD_TOO_LONG: () => signUp({ password: 'x'.repeat(201), confirmPassword: 'x'.repeat(201) }),
  PASSWORD_COMMON: () => signUp({ password: 'Password123', confirmPassword: 'Password123' }),
  PASSWORD_NAMED: () => signUp({ password: 'Fairtick2026', confirmPassword: 'Fairtick2026' }),
  PASSWORD_GUESSABLE: () => signUp({ password: 'aaaaaaaa', confirmPassword: 'aaaaaaaa' }),
  CONFIRM_REQUIRED: () => signUp({ confirmPassword: '' }),
  PASSWORDS_DIFFER: () => signUp({ confirmPassword: 'long enough 2' }),
  LOGIN_FAILED: () => login({ account: 'nobody_here', password: 'x' }),
  OLD_PASSWORD_WRONG: () =>
    user('setPassword', { oldPassword: 'x', password: 'long enough 1', confirmPassword: 'long enough 1' }),
  RECOVERY_FAILED: () => post(floor.origin, 'user/recover', { ...form, recoveryCode: 'ABCD-EFGH' }),
  RECOVERY_CODE_REQUIRED: () => post(floor.origin, 'user/recover', { ...form, recoveryCode: '' }),
  REAUTH_REQUIRED: async () => {
    await floor.house.db.owner.query('update sessions set fresh_until = now() where customer_id = $1', [
      customer.id,
    ]);
    const refused = await seen(async () => {
      const answer = await order();
      return answer.body.code === 0 && answer;
    });
    expect((await user('reauth', { password: PASSWORD })).body.code).toBe(1);
    expect((await order()).body.code).toBe(1);
    return refused;
  },
  NICKNAME_REQUIRED: () => user('setUserName', { nickname: '  ' }),
  NICKNAME_FORMAT: () => user('setUserName', { nickname: 'x'.repeat(21) }),
  ...personalRefusals(() => ({ origin: floor.origin, db: floor.house.db })),
  ...securityRefusals(() => ({ origin: floor.origin, db: floor.house.db })),
  ...moneyRefusals(() => ({ origin: floor.origin, db: floor.house.db })),
  ...protectionRefusals(() => floor),
  PRODUCT_NOT_FOUND: () => order({ symbol: 'NOTHING' }),
  ORDER_NOT_FOUND: () => get(floor.origin, 'order/detail', { id: '1' }, { token: customer.token }),
  RECEIPT_NOT_READY: async () => {
    const { id } = (await order()).body.data;
    return get(floor.origin, 'order/receipt', { id }, { token: customer.token });
  },
  LOGGED_SOON: async () => {
    const { id } = (await order()).body.data;
    return get(floor.origin, 'order/logged', { id }, { token: customer.token });
  },
  INVALID_AMOUNT: () => order({ amount: '1e3' }),
  AMOUNT_REQUIRED: () => order({ amount: '' }),
  INVALID_IDEMPOTENCY_KEY: () => order({}, 'with space'),
  IDEMPOTENCY_MISMATCH: async () => {
    expect((await order({ amount: '10' }, 'one key')).body.error).toBe('INVALID_IDEMPOTENCY_KEY');
    expect((await order({ amount: '10' }, 'one-key')).body.code).toBe(1);
    return order({ amount: '11' }, 'one-key');
  },
  SEEN_MISMATCH: () => order({ seenSize: '1', seenRoot: '0'.repeat(64) }),
  TRADING_HALTED: () =>
    while_('update placement_head set is_halted = true', 'update placement_head set is_halted = false', () =>
      order(),
    ),
  EXPIRED: () => order({ notAfter: '1' }),
  LATE: lateOrder,
  OPENS_TOO_FAR: () => order({ opensAt: '4102444800000', nonce: '0'.repeat(32) }),
  PRICE_UNAVAILABLE: () => order({ symbol: 'NZD/USD' }),
  MARKET_CLOSED: () => order({ symbol: 'GBP/USD' }),
  SESSION_ENDS: () => order({ symbol: 'USD/JPY', minutes: '60' }),
  CYCLE_NOT_OFFERED: () => order({ minutes: '2' }),
  ASSET_NOT_ACCEPTED: () => order({ asset: 'EUR' }),
  AMOUNT_TOO_SMALL: () => order({ amount: '9.999999' }),
  AMOUNT_TOO_LARGE: () => order({ amount: '5000.000001' }),
  BALANCE_TOO_LOW: () => order({ symbol: 'AUD/USD' }),
  INSUFFICIENT_BALANCE: () => order({ asset: 'USDT' }),
  EXPOSURE_LIMIT: () =>
    while_(
      'update promised_income set product_limit = 1',
      'update promised_income set product_limit = 500000000000',
      () => order({ direction: 'down', minutes: '3' }),
    ),
  SHARE_LIMIT: () =>
    while_(
      'update promised_income set product_limit = 500000000',
      'update promised_income set product_limit = 500000000000',
      () => order({ direction: 'down', minutes: '3' }),
    ),
  TOO_MANY_RESETS: async () => {
    const { id, token } = await register(floor.origin);
    const less = (amount: number) =>
      `update ledger.balances set available = available - ${amount} where asset_id = 1 and owner_id = ${id}`;
    const often = `update ledger.practice_resets set day = (now() at time zone 'utc')::date, resets = 20 where owner_id = ${id}`;
    return while_(`${less(1)}; ${often}`, less(-1), () =>
      post(floor.origin, 'fund/resetDemo', {}, { token }),
    );
  },
};

/** Whether the document lists a code. Codes of HTTP itself and of the stream belong to no operation. */
function isDocumented(code: ErrorCode): boolean {
  return JSON.stringify([document['x-errors'], document.paths, document.components.responses]).includes(
    `"${code}"`,
  );
}

describe('every code of the catalogue', () => {
  test.each(Object.keys(ERRORS) as ErrorCode[])(
    '%s can be provoked, has its message and status, and is documented',
    async (code) => {
      const answer = await REQUESTS[code]();
      const { http, en } = ERRORS[code];
      const said = new RegExp(`^${en.replace(/[.*+?^$()[\]\\|]/g, '\\$&').replace(/\{\w+\}/g, '.+')}$`);
      if ('status' in answer) {
        expect([answer.status, answer.body.error]).toEqual([http, code]);
        expect(answer.body.code).toBe(http === 401 || http === 500 ? http : 0);
        expect(answer.body.msg).toMatch(said);
        expect(answer.body.data).toBeNull();
        expect(answer.headers.get('retry-after') !== null).toBe(http === 429 || http === 503);
      } else {
        expect(answer.error).toBe(code);
        expect(answer.msg).toMatch(said);
      }
      expect(isDocumented(code)).toBe(true);
    },
  );

  test('has a message in each of the three languages', async () => {
    for (const lang of LANGUAGES) {
      const { body } = await post(floor.origin, 'user/login', {
        account: 'nobody_here',
        password: 'x',
        lang,
      });
      expect(body.msg).toBe(errorMessage('LOGIN_FAILED', lang));
      const small = await order({ amount: '1', lang });
      expect(small.body.msg).toBe(errorMessage('AMOUNT_TOO_SMALL', lang, { bound: '10 DEMO' }));
    }
    expect(Object.keys(endpoints).length).toBeGreaterThan(20);
  });
});
