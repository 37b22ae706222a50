import { type Answer, answerOf, get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { inTurn, startApi, WIDE_LIMITS } from '@fairtick/kit/installation/running-api.ts';
import { type Endpoint, endpoints, type Limit } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import { Passwords } from '../../customers/identity/passwords.ts';
import { Throttle } from '../throttle/throttle.ts';

const db = ownDatabase();
/** Two processes where a quota of 60 a minute is one. */
const limits = { ...WIDE_LIMITS, quotaPercent: 1 };
const apis = [ownApi(db, { limits }), ownApi(db, { limits })] as const;
const next = inTurn(...apis);

const OPERATIONS = Object.entries(endpoints) as [string, Endpoint][];
const CHANGING = OPERATIONS.filter(([, { method }]) => method === 'POST');
/** Operations without a quota, and what limits them. */
const WITHOUT_QUOTA: Readonly<Record<string, Limit>> = {
  exportData: { isInDatabase: true },
  login: { attempt: 'login', guesses: ['login'] },
  orderCreate: { perSecond: 'orders' },
  passkeyOptions: { attempt: 'login', guesses: ['login'] },
  recover: { attempt: 'recovery', guesses: ['recovery', 'recovery factor'] },
  register: { attempt: 'registration' },
  takeBack: { attempt: 'login', guesses: ['recovery', 'recovery factor'] },
  takeBackOptions: { attempt: 'login', guesses: ['recovery'] },
  claimStatus: { attempt: 'recovery request' },
};

test('every operation that changes something declares its limit; a quota is within bounds', () => {
  expect(
    Object.fromEntries(
      OPERATIONS.flatMap(([name, { limit }]) => (limit && !limit.quota ? [[name, limit]] : [])),
    ),
  ).toEqual(WITHOUT_QUOTA);
  for (const [name, { limit }] of CHANGING) {
    if (name in WITHOUT_QUOTA) continue;
    const quota = limit?.quota;
    expect([name, typeof quota]).toEqual([name, 'object']);
    if (!quota) continue;
    // A witness cosigns one checkpoint a second.
    const most = name === 'transparencyCosign' ? { minute: 120, day: 100_000 } : { minute: 60, day: 10_000 };
    expect([name, quota.minute >= 1 && quota.minute <= most.minute]).toEqual([name, true]);
    expect([name, quota.day >= quota.minute && quota.day <= most.day]).toEqual([name, true]);
  }
  expect(endpoints.resetDemo.limit.quota).toEqual({ minute: 10, day: 100 });
});

const multipart = async ({ path }: Endpoint, token: string): Promise<Answer> => {
  const body = new FormData();
  body.set('lang', 'en');
  return answerOf(await fetch(`${next()}/api/${path}`, { method: 'POST', headers: { token }, body }));
};
const call = (endpoint: Endpoint, token: string) =>
  endpoint.pictures ? multipart(endpoint, token) : post(next(), endpoint.path, {}, { token });

test('each operation enforces its quota per customer over all processes, with Retry-After', async () => {
  const { token } = await register(next());
  const counted = CHANGING.filter(
    ([name, { access, limit }]) => access !== 'public' && limit?.quota && name !== 'logout',
  );
  expect(counted.length).toBeGreaterThan(35);
  for (const [name, endpoint] of counted) {
    const first = await call(endpoint, token);
    expect([name, first.status]).toEqual([name, 200]);
    const second = await call(endpoint, token);
    expect([name, second.status, second.body.error]).toEqual([name, 429, 'TOO_MANY_REQUESTS']);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  // Reads are not counted, and other customers are not limited.
  for (let count = 0; count < 3; count += 1)
    expect((await get(next(), 'user/getUserInfo', {}, { token })).status).toBe(200);
  const other = await register(next());
  expect((await post(next(), 'fund/resetDemo', {}, { token: other.token })).body.code).toBe(1);
  expect((await post(next(), 'user/logout', {}, { token: other.token })).body.code).toBe(1);
});

test('a quota is counted by the minute and by the day', async () => {
  const limits = { ...WIDE_LIMITS, quotaPercent: 100 };
  let api = await startApi(db, { limits });
  const { token } = await register(api.origin);
  const reset = async () => (await post(api.origin, 'fund/resetDemo', {}, { token })).status;
  let done = 0;
  for (let minute = 0; minute < 11; minute += 1) {
    const statuses = [];
    for (let count = 0; count < 11; count += 1) statuses.push(await reset());
    done += statuses.filter((status) => status === 200).length;
    expect(statuses.at(-1)).toBe(429);
    // Ends the minute, and restarts the process because it remembers blocked keys.
    await db.owner.query(`delete from throttles where key like 'quota%' and key like '%:60'`);
    await api.stop();
    api = await startApi(db, { limits });
  }
  await api.stop();
  expect(done).toBe(100);
});

test('a handler may guess at the kinds of secrets that its operation declares, and at no others', async () => {
  const pools = { public: db.server, orders: db.server };
  const throttle = new Throttle(pools, limits, { passwords: new Passwords(), whose: 'customers' });
  const of = { account: 'ann' };
  const guess = throttle.guesses({ guesses: ['factor'] });
  expect(await guess('factor', of, async () => true)).toBe(true);
  expect(() => guess('login', of, async () => true)).toThrow('declares no guesses of the kind login');
  expect(() => throttle.guesses(undefined)('factor', of, async () => true)).toThrow('declares no guesses');
});

test('a witness’s request is counted by its network address', async () => {
  const cosign = (place: number) => post(apis[0].origin, 'transparency/cosign', { note: `x${place}` });
  expect((await cosign(1)).status).not.toBe(429);
  expect((await cosign(2)).status).toBe(429);
});
