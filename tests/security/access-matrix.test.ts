import { bodyOf, type Called, callOperation, fieldsOf } from '@fairtick/kit/clients/any-operation.ts';
import { answerOf, get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { plantRequests } from '@fairtick/kit/clients/money-api.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { inTurn, startApi } from '@fairtick/kit/installation/running-api.ts';
import { TradingFloor } from '@fairtick/kit/installation/trading-floor.ts';
import { LEFT_OUT, NEVER_SHOWN, PLAIN, possessionsOf, VICTIM_DATA } from '@fairtick/kit/people/access.ts';
import { photo, submitReal, upload as uploadForm } from '@fairtick/kit/people/pictures.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { type Endpoint, type EndpointName, endpoints, topics } from '@fairtick/protocol';
import { openApiDocument } from '@fairtick/protocol/openapi';
import { beforeAll, describe, expect, test } from 'vitest';

/**
 * Access isolation: every operation and topic is called by every role other than the victim, with every value that
 * identifies one of the victim's things. The victim's data holds words and digits that occur nowhere else.
 */
const ACCOUNT = 'Kanarienvogel77';
const NICKNAME = 'Zitronenfalter';
const STAKE = '123.454321';
/** First numbers of customers and batches, chosen so that they differ from all other numbers. */
const FIRST_CUSTOMER = 770_077_007;
const FIRST_BATCH = 777_000_111;

const SYMBOL = 'EUR/USD';
let victim: Registered;
/** Texts that only the victim may receive. */
const canaries = new Map<string, string>();
let orderIds: string[];
let cardId: string;
let documentId: string;
let requestIds: string[];
let sessionId: string;
let messageId: string;

/** An id of the same form that nothing has. */
const absentLike = (id: string): string =>
  /^\d+$/.test(id)
    ? '987654321'
    : id.replace(/[01ab]/g, (sign) => ({ 0: '1', 1: '0', a: 'b', b: 'a' })[sign] as string);

/** One plain value for each field of any operation; for a field that identifies something, also the victim's values. */
function valuesOf(field: string): { readonly plain: string; readonly foreign?: readonly string[] } {
  const [settled, open] = orderIds as [string, string];
  const ids = [
    settled,
    open,
    String(FIRST_CUSTOMER),
    victim.account,
    cardId,
    documentId,
    sessionId,
    messageId,
    ...requestIds,
  ];
  switch (field) {
    case 'id':
      return { plain: settled, foreign: ids };
    case 'cursor':
      return { plain: settled, foreign: [open, String(Number(open) + 1), String(Number(settled) + 1)] };
    case 'destinationId':
      return { plain: '5', foreign: [cardId, documentId] };
    case 'account':
      return { plain: 'nobody_at_all', foreign: [victim.account, victim.account.toLowerCase()] };
    default: {
      const plain = PLAIN[field];
      if (plain === undefined)
        throw new Error(
          `the field ${field} has no value to try: add one to PLAIN in tests/kit/people/access.ts, and if the field can name a thing of a customer, its values to valuesOf in tests/security/access-matrix.test.ts`,
        );
      return { plain };
    }
  }
}

/** Data that an operation publishes by contract: trades are public, without a name. */
const PUBLIC_BY_CONTRACT: Partial<Record<EndpointName, readonly string[]>> = {
  latestTrades: ['a stake'],
  // The sum of pending requests per asset; with a single request the sum is its amount.
  transparencyStats: ['what was asked for'],
};

const call = (
  name: EndpointName,
  fields: Readonly<Record<string, string>>,
  token?: string,
): Promise<Called> => callOperation(anyOrigin(), name, fields, { token, picture });

/** The requests to try for an operation: a plain one, and one for each field and each of the victim's values. */
function requestsOf(name: EndpointName): { fields: Record<string, string>; foreign: string | null }[] {
  const { pictures = [] }: Endpoint = endpoints[name];
  const names = fieldsOf(name).filter((field) => !pictures.includes(field));
  const plain = Object.fromEntries(
    names.filter((field) => !LEFT_OUT.has(field)).map((field) => [field, valuesOf(field).plain]),
  );
  // Limits have kinds, too.
  if (name === 'setBank') plain.kind = 'card';
  const foreign = names.flatMap((field) =>
    (valuesOf(field).foreign ?? []).map((value) => ({
      fields: { ...plain, [field]: value },
      foreign: field,
    })),
  );
  return [{ fields: plain, foreign: null }, ...foreign];
}

const document = openApiDocument();

/** Names of the canaries that a text contains. */
const shownIn = (text: string): string[] =>
  [...canaries]
    .filter(([, canary]) => text.toLowerCase().includes(canary.toLowerCase()))
    .map(([what]) => what);

/** Every kind of caller except the victim. */
const ROLES = [
  'a visitor',
  'another customer',
  'one who logged out',
  'one whose session ran out',
  'one who has to give the password again',
] as const;
type Role = (typeof ROLES)[number];

/** Operations that end sessions get a new session each time. */
const ENDS_SESSIONS = new Set<EndpointName>(['logout', 'setPassword']);
const tokens = new Map<Role, string | undefined>();

async function tokenFor(role: Role, name: EndpointName): Promise<string | undefined> {
  if (ENDS_SESSIONS.has(name)) return tokenOf(role);
  if (!tokens.has(role)) tokens.set(role, await tokenOf(role));
  return tokens.get(role);
}

async function tokenOf(role: Role): Promise<string | undefined> {
  if (role === 'a visitor') return undefined;
  const { token, id } = await register(floor.origin);
  const { owner } = floor.house.db;
  if (role === 'one who logged out') {
    await post(floor.origin, 'user/logout', {}, { token });
    // A logout reaches every process within a second.
    for (const origin of [floor.origin, second.origin])
      await seen(async () => (await get(origin, 'user/getUserInfo', {}, { token })).status === 401);
  }
  if (role === 'one whose session ran out') {
    await owner.query(
      `update sessions set last_used_at = now() - interval '31 days' where customer_id = $1`,
      [id],
    );
  }
  if (role === 'one who has to give the password again') {
    await owner.query(
      `update sessions set fresh_until = now() - interval '1 minute', proved_at = null where customer_id = $1`,
      [id],
    );
  }
  return token;
}

const isAllowed = (role: Role, access: Endpoint['access']): boolean => {
  if (access === 'public' || role === 'another customer') return true;
  return role === 'one who has to give the password again' && access === 'session';
};

/** The text of an answer, without headers and times. */
const plainAnswer = ({ status, text }: Called) => ({
  status,
  body: text.slice(text.indexOf('\n')).replace(/\b1\d{12}\b/g, 'a time'),
});

/** Stores every kind of data that a customer can enter about themselves. */
async function tellSecrets(): Promise<void> {
  const { token } = victim;
  const { realName, idNumber, idAddress, currentAddress, ETH, ...card } = VICTIM_DATA;
  await dataOf(submitReal(floor.origin, token, { realName, idNumber, idAddress, currentAddress }));
  documentId = (await dataOf(get(floor.origin, 'user/realInfo', {}, { token }))).documents[0].id;
  cardId = (await dataOf(post(floor.origin, 'user/setBank', card, { token }))).id;
  await dataOf(post(floor.origin, 'user/setAddress', { ETH }, { token }));
  await dataOf(post(floor.origin, 'user/setPayWord', { payWord: '918273' }, { token }));
  for (const [field, secret] of Object.entries(VICTIM_DATA)) canaries.set(`the ${field}`, secret);
  canaries.set('a document', documentId).set('a card', cardId);
  const planted = await plantRequests({ origin: floor.origin, db: floor.house.db }, victim, '918273');
  requestIds = [planted.depositId, planted.withdrawalId];
  sessionId = (await dataOf(get(floor.origin, 'user/sessions', {}, { token })))[0].id;
  canaries.set('a deposit', planted.depositId).set('a withdrawal', planted.withdrawalId);
  messageId = (await dataOf(post(floor.origin, 'chat/send', { text: 'Pirolweibchen' }, { token }))).id;
  await dataOf(uploadForm(floor.origin, 'chat/send', { files: { image: picture } }, { token }));
  canaries.set('what was said', 'Pirolweibchen').set('a message', messageId);
  canaries.set('where it goes', planted.label).set('what was paid in', '86.420864');
  canaries.set('what was asked for', '0.53197531').set('what was not received', '53.135799');
}

async function orderOfVictim(): Promise<string> {
  const { body } = await floor.order(victim.token, { amount: STAKE });
  expect(body.error).toBeUndefined();
  return body.data.id;
}

const floor = forFile(() => TradingFloor.open());
/** Another API process of the same installation; every second request goes there. */
const second = forFile(() => startApi(floor.house.db));
const anyOrigin = inTurn(floor, second);
const picture = new Uint8Array(await photo());
beforeAll(async () => {
  const { owner } = floor.house.db;
  await owner.query(`alter table customers alter column id restart with ${FIRST_CUSTOMER}`);
  // Batches are numbered without gaps, so one is inserted before the first.
  await owner.query(
    `insert into order_batches (number, accepted_at_ms, log_size, log_root, accepted, root, leaves, signed)
     values ($1, 0, 0, sha256(''), 1, sha256(''), sha256(''), '')`,
    [FIRST_BATCH - 1],
  );
  await owner.query('update placement_head set next_batch = $1', [FIRST_BATCH]);
  await owner.query('select row_partitions_keep()');
  await owner.query('update log_head set last_batch = $1', [FIRST_BATCH - 2]);
  victim = await register(floor.origin, ACCOUNT);
  // Numbers of documents and cards, too, must differ from all others.
  await owner.query('alter sequence personal_data_ids restart with 770088009');
  await post(floor.origin, 'user/setUserName', { nickname: NICKNAME }, { token: victim.token });
  await floor.tick({ [SYMBOL]: '1.08400' });
  const settled = await orderOfVictim();
  await floor.openAt(SYMBOL, '1.08500');
  await floor.settleAt(SYMBOL, '1.08600');
  orderIds = [settled, await orderOfVictim()];
  await tellSecrets();
  const { body } = await get(floor.origin, 'user/getUserInfo', {}, { token: victim.token });
  canaries.set('the account', ACCOUNT).set('the nickname', NICKNAME).set('the id', String(FIRST_CUSTOMER));
  canaries.set('the token', victim.token).set('a recovery code', victim.recoveryCodes[0] as string);
  canaries
    .set('an order', settled)
    .set('an open order', orderIds[1] as string)
    .set('a stake', STAKE);
  canaries.set(
    'the balance',
    body.data.balances.find(({ asset }: { asset: string }) => asset === 'DEMO').available,
  );
});

describe('every operation', () => {
  test('shows the planted values to their owner, so that the test can recognise a leak', async () => {
    const told = new Set<string>();
    const own = ['getUserInfo', 'realInfo', 'orderList', 'orderDetail', 'fundLog', 'noticeList'] as const;
    for (const name of [...own, 'withdrawList', 'rechargeList', 'chatHistory'] as const) {
      const [request] = requestsOf(name);
      for (const what of shownIn((await call(name, request?.fields ?? {}, victim.token)).text))
        told.add(what);
    }
    expect([...told].sort()).toEqual([...canaries.keys()].filter((what) => !NEVER_SHOWN.has(what)).sort());
  });

  test.each(Object.keys(endpoints) as EndpointName[])(
    '%s: gives no planted value to anybody else',
    async (name) => {
      const { access } = endpoints[name];
      const before = await possessionsOf(floor.house.db.owner, FIRST_CUSTOMER);
      for (const role of ROLES) {
        const token = await tokenFor(role, name);
        for (const { fields, foreign } of requestsOf(name)) {
          const about = `${name} for ${role} with ${foreign ?? 'nothing'} of the victim’s`;
          const answer = await call(name, fields, token);
          const mayShow = PUBLIC_BY_CONTRACT[name] ?? [];
          expect([about, shownIn(answer.text).filter((what) => !mayShow.includes(what))]).toEqual([
            about,
            [],
          ]);
          if (!isAllowed(role, access)) {
            const isKnown = role === 'one who has to give the password again';
            const { code, error, data } = bodyOf(answer);
            const refusal = isKnown ? [200, 0, 'REAUTH_REQUIRED', null] : [401, 401, 'SESSION_EXPIRED', null];
            expect([about, answer.status, code, error, data]).toEqual([about, ...refusal]);
          } else if (foreign === 'id') {
            const absent = await call(name, { ...fields, id: absentLike(fields.id as string) }, token);
            expect([about, answer.status, bodyOf(answer)]).toEqual([about, absent.status, bodyOf(absent)]);
          }
        }
      }
      expect(await possessionsOf(floor.house.db.owner, FIRST_CUSTOMER)).toBe(before);
    },
  );

  /** Each call begins another session. */
  const BEGIN = new Set<EndpointName>(['register', 'login']);
  /** These state the limits of the customer's own level. */
  const PERSONAL = new Set<EndpointName>(['productList', 'productDetail']);
  const open = (Object.keys(endpoints) as EndpointName[]).filter(
    (name) => endpoints[name].access === 'public' && !BEGIN.has(name),
  );

  test.each(open)('%s is public: it answers a visitor and each customer alike', async (name) => {
    const token = await tokenFor('another customer', name);
    const fields = requestsOf(name)[0]?.fields ?? {};
    const callers = [undefined, token, ...(PERSONAL.has(name) ? [] : [victim.token])];
    // Times and the size of the log go on between two calls.
    await expect
      .poll(async () => {
        const answers = [];
        for (const one of callers)
          answers.push(plainAnswer(await callOperation(floor.origin, name, fields, { token: one, picture })));
        expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
        return new Set(answers.map((answer) => JSON.stringify(answer))).size;
      })
      .toBe(1);
  });

  test('without an envelope gives no planted value to anybody', async () => {
    // The number of entries depends on how long the orders took. The last tile must not be empty.
    const width = await seen(async () => {
      const { body } = await answerOf(await fetch(`${floor.origin}/api/transparency/key?lang=en`));
      if (body.data.size % 256 > 0) return Number(body.data.size % 256);
      await floor.tick();
      return null;
    });
    const operations = new Set(Object.values<Endpoint>(endpoints).map(({ path }) => `/api/${path}`));
    const files = Object.keys(document.paths).filter((path) => !operations.has(path) && !path.includes('{'));
    expect(files.length).toBeGreaterThanOrEqual(5);
    for (const path of [...files, `/api/transparency/tile/entries/000.p/${width}`]) {
      for (const token of [undefined, (await register(floor.origin)).token]) {
        const response = await fetch(floor.origin + path, { headers: token === undefined ? {} : { token } });
        const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
        expect([path, shownIn(text)]).toEqual([path, []]);
      }
    }
  });
});

describe('every topic of the stream', () => {
  test('gives no planted value to anybody else, whatever happens to its owner', async () => {
    const mine = await StreamClient.open(floor.origin, victim.token);
    for (const topic of ['orders', 'funds']) await mine.sub(topic);
    const spies: { role: Role; reader: StreamClient }[] = [];
    for (const role of ROLES) {
      const reader = await StreamClient.open(anyOrigin());
      const token = await tokenOf(role);
      if (token !== undefined) reader.send({ op: 'auth', token, lang: 'en' });
      for (const topic of everyTopic()) reader.send({ op: 'sub', topic });
      reader.send({ op: 'ping' });
      await seen(() => reader.closed ?? reader.messages.find(({ op }) => op === 'pong'), {
        what: `an answer for ${role}`,
      });
      spies.push({ role, reader });
    }
    const id = await orderOfVictim();
    canaries.set('a third order', id);
    await floor.openAt(SYMBOL, '1.08500');
    await floor.settleAt(SYMBOL, '1.08700');
    await mine.next(({ data }) => data?.id === id && data.status === 'settled');
    await seen(() => mine.of('funds').length >= 3);
    expect(shownIn(JSON.stringify(mine.messages))).toEqual(
      expect.arrayContaining(['a third order', 'a stake']),
    );
    for (const { role, reader } of spies) {
      const isLive = role === 'a visitor' || isAllowed(role, 'session');
      if (isLive) await reader.next(({ topic, type }) => topic === 'quotes' && type === 'change');
      else await reader.end();
      // A refusal repeats only the requested topic.
      const said = reader.messages.map(({ topic, ...message }) =>
        message.error ? message : { topic, ...message },
      );
      expect([role, shownIn(JSON.stringify(said))]).toEqual([role, []]);
      const told = reader.messages.filter(
        ({ topic, type }) => /^(orders|funds|notices|chat|chatState)$/.test(topic) && type,
      );
      // These roles have one snapshot each of their own, and no events.
      expect([role, told.length]).toEqual([role, isAllowed(role, 'session') ? 5 : 0]);
      expect([role, reader.closed === null]).toEqual([role, isLive]);
      reader.socket.close();
    }
    await mine.close();
  });

  /** All topics; private ones also in the spellings that an attacker might try. */
  function everyTopic(): string[] {
    const all = Object.values(topics).map(({ topic }) =>
      topic.replace('SYMBOL', SYMBOL).replace('PERIOD', '1m'),
    );
    const own = Object.values(topics)
      .filter(({ access }) => access === 'session')
      .map(({ topic }) => topic);
    const whose = [String(FIRST_CUSTOMER), ACCOUNT, orderIds[0] as string, victim.token, '*'];
    return [
      ...all,
      ...own.flatMap((topic) => whose.flatMap((name) => [`${topic}:${name}`, `${topic}/${name}`])),
    ];
  }
});
