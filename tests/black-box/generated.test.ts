import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, type Customer, newKey, openSymbol, register } from './api.ts';
import { Random } from './random.ts';
import {
  brokenRequest,
  type Known,
  type MadeRequest,
  mutatedRequest,
  type OperationToTry,
  operationsOf,
  plainRequest,
  validRequest,
} from './request-generator.ts';
import { Installation } from './server-process.ts';

/** Another one finds other things: FAIRTICK_SEED sets it. */
const SEED = Number(process.env.FAIRTICK_SEED ?? 20_261_121);
const REQUESTS_PER_OPERATION = 60;

const installation = new Installation();
const random = new Random(SEED);
let api: Api;
let customer: Customer;
let orderId = '';
let symbol = '';

beforeAll(async () => {
  const server = await installation.startReady({ LIMIT_FAILED_LOGINS: '1000000' });
  api = await Api.open(server.origin);
  symbol = await openSymbol(api);
  customer = await register(api);
  for (let tries = 0; orderId === ''; tries += 1) {
    expect(tries).toBeLessThan(300);
    const order = { symbol, direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' };
    const { body } = await api.post('order/create', order, { token: customer.token, key: newKey() });
    if (body.code === 1) orderId = body.data.id;
    else await new Promise((resolve) => setTimeout(resolve, 100));
  }
}, 150_000);
afterAll(() => installation.close());

/** Operations that end sessions or change what opens them get a customer of their own. */
const SPENDS_A_CUSTOMER = new Set(['logout', 'setPassword', 'recover']);

const MAKERS = {
  plain: plainRequest,
  valid: validRequest,
  mutated: mutatedRequest,
  broken: (operation: OperationToTry, _known: Known, from: Random) => brokenRequest(operation, from),
} as const;
/** Mutations twice: there are more ways to be wrong. */
const KINDS = ['valid', 'mutated', 'mutated', 'broken'] as const;

/** What this client knows by now, by the name of the field that takes it. */
function known(operation: OperationToTry, as: Customer): Known {
  const fresh = `g${Math.floor(random.next() * 1e15).toString(36)}`.slice(0, 18);
  return {
    symbol: [symbol],
    asset: ['DEMO'],
    minutes: ['1', '3'],
    id: [orderId],
    account: operation.id === 'register' ? [fresh] : [as.account],
    password: /register|setPassword|recover/.test(operation.id) ? [`new ${fresh}`] : [as.password],
    oldPassword: [as.password],
    recoveryCode: as.recoveryCodes,
    cursor: [orderId, String(Number(orderId) + 5)],
    size: ['1', '2', '50'],
    index: ['0', '1'],
    fromSize: ['0', '1'],
  };
}

async function send(operation: OperationToTry, request: MadeRequest, as: Customer) {
  const isLoggedIn = request.isValid || random.isLikely(0.9);
  const call = {
    ...request.call,
    ...(isLoggedIn ? { token: as.token } : {}),
    ...(operation.takesKey && random.isLikely(0.8) ? { key: newKey() } : {}),
  };
  try {
    return await api.send(operation.method, request.address, call);
  } catch (error) {
    throw new Error(
      `seed ${SEED}: ${operation.id} (${request.description}) ${request.address.slice(0, 300)} ${String(request.call.body).slice(0, 500)}\n${error}`,
    );
  }
}

interface Counts {
  done: number;
  refused: number;
  readonly byStatus: Map<number, number>;
}

async function tryOperation(operation: OperationToTry, counts: Counts): Promise<void> {
  const spends = SPENDS_A_CUSTOMER.has(operation.id);
  // Whose session may end under these requests; every fourth has one of its own, that what is valid can be done.
  let as = spends ? await register(api) : customer;
  for (let n = 0; n < REQUESTS_PER_OPERATION; n += 1) {
    if (spends && n % 4 === 0) as = await register(api);
    const kind = n === 0 ? 'plain' : random.of(KINDS);
    const request = MAKERS[kind](operation, known(operation, as), random);
    const { status, body } = await send(operation, request, as);
    counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
    counts[body.code === 1 ? 'done' : 'refused'] += 1;
    if (kind === 'plain') expect([operation.id, body.code, body.error]).toEqual([operation.id, 1, undefined]);
  }
}

describe('requests made of the published document', () => {
  test('some 1 500, valid, mutated and broken: each answer is documented in status, code and shape, and none is a fault of ours', async () => {
    const operations = operationsOf(api.document);
    expect(operations.length).toBeGreaterThanOrEqual(25);
    const counts: Counts = { done: 0, refused: 0, byStatus: new Map() };
    for (const operation of operations) await tryOperation(operation, counts);
    expect(counts.done + counts.refused).toBeGreaterThanOrEqual(1_500);
    expect(counts.done).toBeGreaterThan(200);
    expect(counts.refused).toBeGreaterThan(400);
    expect([...counts.byStatus.keys()].sort()).toEqual([200, 400, 401, 415]);
    // Nothing of it broke the house: the customer still trades.
    const order = { symbol, direction: 'down', minutes: '1', amount: '10', asset: 'DEMO' };
    await api.post('fund/resetDemo', {}, { token: customer.token, key: newKey() });
    const { body } = await api.post('order/create', order, { token: customer.token, key: newKey() });
    expect(body.error).toBeUndefined();
  }, 170_000);

  test('every operation was also reached with success', () => {
    for (const { id } of operationsOf(api.document)) {
      expect([id, api.answered.get(id)?.has('done')]).toEqual([id, true]);
    }
  });

  test('what has no envelope is served as documented, too', async () => {
    const paths = Object.entries(api.document.paths).filter(([path]) => !path.includes('{'));
    for (const [path, { get }] of paths) {
      const type = Object.keys(get?.responses[200]?.content ?? {})[0];
      if (!get || JSON.stringify(get.responses[200]).includes('"Refused"')) continue;
      for (const query of ['', '?x=1', '?%zz']) {
        const response = await fetch(`${api.origin}${path}${query}`);
        expect([path, query, response.status]).toEqual([path, query, 200]);
        expect(response.headers.get('content-type')).toContain(type);
        await response.arrayBuffer();
      }
    }
    const tile = await fetch(`${api.origin}/api/transparency/tile/entries/000.p/1`);
    expect([tile.status, tile.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
    for (const path of [
      '0/999',
      '0/000.p/0',
      '0/000.p/257',
      '99/000',
      'x/000',
      '0/abc',
      '0/%00',
      '0/../../..',
      '0/000.p/1/2',
    ]) {
      const { status } = await fetch(`${api.origin}/api/transparency/tile/${path}`);
      expect([path, status]).toEqual([path, 404]);
    }
  });
});
