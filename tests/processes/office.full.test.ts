import { Random } from '@fairtick/kit/hostile/random.ts';
import {
  brokenRequest,
  type Known,
  mutatedRequest,
  type OperationToTry,
  operationsOf,
  validRequest,
} from '@fairtick/kit/hostile/request-generator.ts';
import { NOT_OF_A_DAY, OfficeDay } from '@fairtick/kit/people/office-day.ts';
import type { Colleague } from '@fairtick/kit/people/office-desk.ts';
import { PayingHouse } from '@fairtick/kit/processes/paying-house.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Promise 13 for the office, whose document only staff get: every operation succeeds once, then gets generated requests. */
const SEED = Number(process.env.SEED ?? 20_261_122);
const REQUESTS_PER_OPERATION = 10;
/** These end the caller's session, or lock the account after wrong input: called once, by a newcomer. */
const ENDS_SESSIONS = new Set(['session_logout', 'session_setPassword', 'session_stepUp', 'session_end']);

const installation = new Installation();
let house: PayingHouse;
let day: OfficeDay;

beforeAll(async () => {
  house = await PayingHouse.start(installation, { LIMIT_FAILED_LOGINS: '1000000' });
  day = await OfficeDay.open(house);
  await day.pass(house);
}, 300_000);
afterAll(async () => {
  await installation.close();
  await house?.stop();
});

describe('the office', () => {
  test('every operation was called with success, except those that no day has', () => {
    expect(day.notDone().sort()).toEqual(NOT_OF_A_DAY);
  });

  test('requests generated from its document, by staff with and without the role, get documented answers without a server error', async () => {
    const random = new Random(SEED);
    const operations = operationsOf(day.as('auditor_1').document);
    expect(operations.length).toBeGreaterThan(100);
    const byStatus = new Map<number, number>();
    for (const operation of operations.filter(({ id }) => !ENDS_SESSIONS.has(id))) {
      for (let n = 0; n < REQUESTS_PER_OPERATION; n += 1) {
        const who = n % 5 === 4 ? random.of([...day.staff.keys()]) : whoMay(operation);
        const status = await ask(operation, who, random);
        byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      }
    }
    expect([...byStatus.keys()].filter((status) => ![200, 400, 401, 415].includes(status))).toEqual([]);
    expect(byStatus.get(200)).toBeGreaterThan(500);
    // All staff still have their sessions.
    for (const [account, api] of day.staff) {
      const { body } = await api.get('session/me');
      expect([account, body.code]).toEqual([account, 1]);
    }
  }, 300_000);
});

const MAKERS = {
  valid: validRequest,
  mutated: mutatedRequest,
  broken: (operation: OperationToTry, _known: Known, from: Random) => brokenRequest(operation, from),
} as const;

/** @returns the status of the answer, which must be documented */
async function ask(operation: OperationToTry, who: Colleague, random: Random): Promise<number> {
  const kind = random.of(['valid', 'valid', 'mutated', 'mutated', 'broken'] as const);
  const known: Known = {
    id: day.ids,
    customerId: day.ids,
    // A disabled colleague could not send requests any more.
    staffId: ['999999'],
    asset: ['USDT'],
    symbol: ['EUR/USD'],
    symbols: ['EUR/USD'],
    account: ['nobody_1'],
    password: ['never the right one'],
  };
  const request = MAKERS[kind](operation, known, random);
  try {
    return (await day.as(who).send(operation.method, request.address, request.call)).status;
  } catch (error) {
    const what = `${operation.id} (${request.description}) ${request.address.slice(0, 300)} ${String(request.call.body).slice(0, 500)}`;
    throw new Error(`seed ${SEED}, ${who}: ${what}\n${error}`);
  }
}

/** A colleague with a role that the document names, or any colleague. */
function whoMay({ path, method }: OperationToTry): Colleague {
  const { document } = day.as('auditor_1');
  const described = document.paths[path]?.[method] as unknown as { 'x-roles': string | string[] } | undefined;
  const roles = described?.['x-roles'] ?? 'anyone';
  const all = [...day.staff.keys()];
  if (typeof roles === 'string') return 'content_1';
  const found = all.find((account) => roles.some((role) => account.startsWith(role.slice(0, 5))));
  if (!found) throw new Error(`nobody may ${path}`);
  return found;
}
