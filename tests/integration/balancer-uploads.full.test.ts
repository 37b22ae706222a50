import { register } from '@fairtick/kit/clients/api-client.ts';
import { SlowClient } from '@fairtick/kit/clients/slow-client.ts';
import { ownApi, ownDatabase, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';
import { type FrontDoor, openFrontDoor } from '@fairtick/kit/processes/haproxy.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

/** HAProxy with the shipped file before two processes: one address against the slots for uploads. */
const dir = temporaryFolder('balancer');
const RECEIVE_MS = 12_000;
/** One address's share of the slots, and the slots of both processes. */
const SHARE = 12;
const SLOTS = 80;
/** More than HAProxy's buffer, so that the request reaches a process. */
const FIRST_BYTES = 'p'.repeat(150_000);
let door: FrontDoor;
const clients: SlowClient[] = [];
const db = ownDatabase();
const settings = { trustProxy: true, receiveMs: RECEIVE_MS, dataDir: dir };
const apis = [ownApi(db, settings), ownApi(db, settings)];
beforeAll(async () => {
  door = await openFrontDoor(
    dir,
    apis.map(({ origin }) => origin),
    { needsBounds: true },
  );
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(async () => {
  await door?.close();
});

/** An upload that begins and does not go on. */
async function begin(token: string, from = '127.0.0.2'): Promise<SlowClient> {
  const head = `POST /api/user/submitReal HTTP/1.1\r\nhost: x\r\nlanguage: en\r\ntoken: ${token}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: 9000000\r\n\r\n--x\r\ncontent-disposition: form-data; name="idFront"; filename="a.jpg"\r\n\r\n`;
  const client = await SlowClient.open(Number(new URL(door.origin).port), {
    bytes: head + FIRST_BYTES,
    from,
  });
  clients.push(client);
  return client;
}

async function expectHonestUpload(): Promise<void> {
  const { token } = await register(door.origin);
  expect((await submitReal(door.origin, token)).body.data).toEqual({ realStatus: 'pending' });
}

/** The number of uploads under way at the balancer. */
async function underWay(): Promise<number> {
  const line = (await door.figures()).split('\n').find((row) => row.startsWith('uploads BACKEND'));
  return Number(/ scur (\d+)/.exec(line ?? '')?.[1]);
}

test('uploads of one address without an account are refused by their headers and hold no slot', async () => {
  const begun = await Promise.all(Array.from({ length: 2 * SLOTS }, () => begin('no-session')));
  await expectHonestUpload();
  await seen(() => begun.every(({ status }) => status !== null), { what: 'an answer to each upload' });
  expect(begun.filter(({ status }) => status !== 503).length).toBeGreaterThanOrEqual(SHARE);
  for (const { status, received } of begun)
    expect(received).toContain(status === 503 ? 'NOT_READY' : 'SESSION_EXPIRED');
  await seen(async () => (await underWay()) === 0, { what: 'free slots' });
});

test('slow uploads of one address with accounts take its share alone, and end for their slowness', async () => {
  const tokens: string[] = [];
  for (let count = 0; count < 10; count += 1) tokens.push((await register(door.origin)).token);
  const begun = await Promise.all(
    Array.from({ length: SLOTS }, (_, place) => begin(tokens[place % tokens.length] as string)),
  );
  await seen(async () => (await underWay()) > 0, { what: 'an upload under way' });
  // It waits for none of the slow ones, which are still under way.
  await expectHonestUpload();
  expect(await underWay()).toBeLessThanOrEqual(SHARE);
  expect(begun.filter(({ status }) => status === null)).toHaveLength(SHARE);
  await seen(() => begun.every(({ status }) => status !== null), {
    withinMs: 4 * RECEIVE_MS,
    what: 'the end of what does not go on',
  });
  expect(begun.filter(({ status }) => status === 408).length).toBeGreaterThan(0);
  await seen(async () => (await underWay()) === 0, { what: 'free slots' });
});
