import { get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { plantRequests } from '@fairtick/kit/clients/money-api.ts';
import { type OfficeAnswer, type OfficeClient, staffOf } from '@fairtick/kit/clients/office-client.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { ownDatabase, ownOffice } from '@fairtick/kit/fixtures/fixtures.ts';
import { VICTIM_DATA } from '@fairtick/kit/people/access.ts';
import { photo, submitReal, upload } from '@fairtick/kit/people/pictures.ts';
import {
  type OfficeOperation,
  officeOperations,
  STAFF_ROLES,
  type StaffRole,
} from '@fairtick/protocol/office';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';

let victim: Registered;
const canaries = new Map<string, string>();
/** Ids of the victim's things by kind. */
const ids = new Map<string, string>();
const staff = new Map<StaffRole, OfficeClient[]>();

const origin = () => apis[0].origin;

async function plant(): Promise<void> {
  const { owner } = db;
  // Distinct ranges, so that an id of one kind never equals one of another.
  await owner.query('alter table customers alter column id restart with 770077007');
  await owner.query('alter sequence personal_data_ids restart with 770088009');
  victim = await register(origin(), 'Kanarienvogel77');
  const { token } = victim;
  const { realName, idNumber, idAddress, currentAddress, ETH, ...card } = VICTIM_DATA;
  await dataOf(submitReal(origin(), token, { realName, idNumber, idAddress, currentAddress }));
  ids.set('card', (await dataOf(post(origin(), 'user/setBank', card, { token }))).id);
  await dataOf(post(origin(), 'user/setAddress', { ETH }, { token }));
  await dataOf(post(origin(), 'user/setPayWord', { payWord: '918273' }, { token }));
  const planted = await plantRequests({ origin: origin(), db }, victim, '918273');
  ids.set('deposit', planted.depositId).set('withdrawal', planted.withdrawalId);
  await dataOf(post(origin(), 'chat/send', { text: 'Pirolweibchen' }, { token }));
  const picture = await upload(origin(), 'chat/send', { files: { image: await photo() } }, { token });
  ids.set('picture of a chat', picture.body.data.id);
  const call = { account: victim.account, contact: 'wiedehopf@mail.example', text: 'Rohrdommel' };
  await dataOf(post(origin(), 'user/recoverRequest', call));
  const { rows } = await owner.query(
    `select (select id from verifications where customer_id = $1) as name,
       (select max(id) from recovery_requests) as recovery, (select customer_id from chats where customer_id = $1) as chat`,
    [victim.id],
  );
  ids.set('name', rows[0].name).set('recovery', rows[0].recovery);
  // A conversation's id is its customer's number.
  ids.set('customer', rows[0].chat);
  const { rows: uploads } = await owner.query('select id, purpose from uploads where customer_id = $1', [
    victim.id,
  ]);
  for (const { id, purpose } of uploads) ids.set(`upload ${purpose}`, id);
  for (const [field, secret] of Object.entries(VICTIM_DATA)) canaries.set(field, secret);
  canaries.set('what was said', 'Pirolweibchen').set('how to reach them', call.contact);
  canaries
    .set('call for help', call.text)
    .set('session', token)
    .set('recovery code', victim.recoveryCodes[0] ?? '');
}

/**
 * Promise 14 in the office: every reading operation, called by every role at two processes with every value that
 * identifies something of one customer. The customer's words and numbers occur nowhere else, so they show which role got
 * which data.
 */
const db = ownDatabase();
const apis = [ownOffice(db), ownOffice(db)] as const;
beforeAll(async () => {
  await plant();
  for (const role of STAFF_ROLES) {
    const [first, second] = apis.map(({ officeOrigin }) => officeOrigin) as [string, string];
    staff.set(role, [await staffOf(db, first, role), await staffOf(db, second, role)]);
  }
});

const READING = Object.entries<OfficeOperation>(officeOperations).filter(
  ([, { method }]) => method === 'GET',
);

/** Values for fields that are neither ids nor left out. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  side: ['front', 'back'],
  from: ['0'],
  name: ['x'],
  symbol: ['EUR/USD'],
};

/** Every request of an operation that could name something of the victim's. */
function requestsOf({ input }: OfficeOperation): Record<string, string>[] {
  const shape = (input as z.ZodObject).shape as Record<string, z.ZodType>;
  let requests: Record<string, string>[] = [{}];
  for (const [name, schema] of Object.entries(shape)) {
    const isId = /^(id|customerId|staffId)$/.test(name);
    const given =
      name === 'of'
        ? ['deposit', 'withdrawal'].map((kind) => `${kind}:${ids.get(kind)}`)
        : isId
          ? [...ids.values()]
          : (VALUES[name] ?? []);
    if (schema.safeParse(undefined).success && !isId) continue;
    if (given.length === 0)
      throw new Error(`what stands in ${name}, and whose it can be, is to be said here`);
    requests = requests.flatMap((request) => given.map((value) => ({ ...request, [name]: value })));
  }
  return requests;
}

const shownIn = ({ body, headers }: OfficeAnswer): string[] => {
  const text = `${JSON.stringify([...headers])}${JSON.stringify(body)}`.toLowerCase();
  return [...canaries].filter(([, canary]) => text.includes(canary.toLowerCase())).map(([what]) => what);
};

const IDENTITY = ['realName', 'idNumber', 'idAddress', 'currentAddress'];
const CALL = ['call for help', 'how to reach them'];
const NAME_PICTURE = 'identity/document of a name';
const PROOF_PICTURE = 'deposit/proof of a deposit';
const CHAT_PICTURE = 'chat/image of a picture of a chat';
/**
 * The data that each role may read: what they need for their decisions, and no more. An address is a withdrawal's
 * destination.
 */
const SHOWN: Readonly<Record<StaffRole, readonly string[]>> = {
  support: [...CALL, 'what was said', CHAT_PICTURE],
  verification: [...CALL, ...IDENTITY, NAME_PICTURE],
  cashier: ['ETH', PROOF_PICTURE],
  approver: ['ETH', PROOF_PICTURE],
  content: [],
  catalogue: [],
  auditor: [...CALL, ...IDENTITY, 'what was said', NAME_PICTURE, PROOF_PICTURE, CHAT_PICTURE],
  administrator: [],
};

describe.each(STAFF_ROLES)('%s', (role) => {
  test('is shown exactly the records that the role works on, at either process', async () => {
    const told = new Set<string>();
    const namesOf = (value: string) => [...ids].find(([, id]) => id === value)?.[0] ?? value;
    let turn = 0;
    for (const [path, operation] of READING) {
      for (const fields of requestsOf(operation)) {
        turn += 1;
        const client = (staff.get(role) as OfficeClient[])[turn % 2] as OfficeClient;
        const answer = await client.get(path, fields);
        const about = `${path} ${JSON.stringify(fields)}`;
        expect([about, answer.status]).toEqual([about, 200]);
        const { roles } = operation;
        const isAllowed = typeof roles === 'string' || roles.includes(role);
        if (!isAllowed) {
          expect([about, answer.body.error, answer.body.data, shownIn(answer)]).toEqual([
            about,
            'ROLE_MISSING',
            null,
            [],
          ]);
          continue;
        }
        for (const what of shownIn(answer)) told.add(what);
        if (answer.headers.get('content-type')?.startsWith('image/'))
          told.add(`${path} of a ${namesOf(fields.id ?? '')}`);
      }
    }
    expect([...told].sort()).toEqual([...SHOWN[role]].sort());
  });
});

test('a customer’s list of views gives the number of the member of staff who saw the data', async () => {
  const client = (staff.get('verification') as OfficeClient[])[1] as OfficeClient & { staffId: string };
  await client.get('identity/detail', { id: ids.get('name') as string });
  const { body } = await get(origin(), 'user/dataViews', {}, { token: victim.token });
  expect(body.data.items[0]).toMatchObject({ what: 'identity', staff: client.staffId });
});
