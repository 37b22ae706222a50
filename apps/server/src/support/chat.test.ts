import { get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { ownApi, ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { answer, say, wholeHistory } from '@fairtick/kit/people/support.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { topics } from '@fairtick/protocol';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';

/** The customer's side of a conversation, with two processes. */
const db = ownDatabase();
const api = ownOffice(db);
const other = ownApi(db);
const support = ownStaff(db, api, 'support');

const state = async ({ token }: Registered, origin = api.origin) =>
  (await dataOf(get(origin, 'chat/history', {}, { token }))).state;

describe('a conversation', () => {
  fullTest('begins empty, without any message in advance', async () => {
    const ann = await register(api.origin);
    const history = await dataOf(get(api.origin, 'chat/history', {}, { token: ann.token }));
    expect([history.items, history.nextCursor]).toEqual([[], null]);
    expect(history.state).toMatchObject({
      lastPlace: 0,
      unread: 0,
      agent: null,
      waitingSince: null,
      answerBy: null,
    });
    const { rows } = await db.owner.query('select count(*)::int as n from chat_messages');
    expect(rows).toEqual([{ n: 0 }]);
  });

  fullTest(
    'has one order of messages for all readers, whichever process takes them, however many come at once',
    async () => {
      const ann = await register(api.origin);
      const texts = Array.from({ length: 20 }, (_, n) => `message ${n}`);
      await Promise.all(texts.map((text, n) => dataOf(say((n % 2 ? api : other).origin, ann.token, text))));
      const here = await wholeHistory(api.origin, ann.token);
      expect(here.map(({ place }) => place)).toEqual(texts.map((_, n) => n + 1));
      expect(here.map(({ text }) => text).sort()).toEqual([...texts].sort());
      expect(await wholeHistory(other.origin, ann.token)).toEqual(here);
    },
  );

  test('a message reaches every reader of its customer once, on every process, and no other customer (S1-12)', async () => {
    const [ann, bob] = [await register(api.origin), await register(api.origin)];
    const readers = [
      await StreamClient.open(api.origin, ann.token),
      await StreamClient.open(other.origin, ann.token),
    ];
    const spy = await StreamClient.open(other.origin, bob.token);
    for (const reader of [...readers, spy]) {
      expect(await reader.sub('chat')).toEqual([]);
      expect((await reader.sub('chatState')).lastPlace).toBe(0);
    }
    const sent = await dataOf(say(api.origin, ann.token, 'Is my deposit there?'));
    const answered = await dataOf(answer(support, ann.id, 'Yes.'));
    for (const reader of readers) {
      await reader.next(({ topic, data }) => topic === 'chat' && data.id === answered.id);
      await reader.next(({ topic, data }) => topic === 'chatState' && data.unread === 1);
      const told = reader.of('chat').slice(1);
      expect(told.map(({ data }) => data)).toEqual([sent, answered]);
      for (const { data } of told) expect(() => topics.chat.change.parse(data)).not.toThrow();
      for (const { data } of reader.of('chatState'))
        expect(() => topics.chatState.change.parse(data)).not.toThrow();
      await reader.close();
    }
    // Customers are told the number of staff, never a name.
    expect(answered).toMatchObject({ from: 'staff', staff: support.staffId, text: 'Yes.', place: 2 });
    expect(spy.of('chat')).toHaveLength(1);
    expect(spy.of('chatState')).toHaveLength(1);
    expect((await dataOf(get(api.origin, 'chat/history', {}, { token: bob.token }))).items).toEqual([]);
    await spy.close();
  });

  fullTest('a returning reader gets the newest twenty messages first, and the rest by cursor', async () => {
    const ann = await register(api.origin);
    for (let n = 1; n <= 23; n += 1) await dataOf(say(api.origin, ann.token, `m${n}`));
    const reader = await StreamClient.open(other.origin, ann.token);
    const snapshot = await reader.sub('chat');
    expect(snapshot.map(({ text }: { text: string }) => text)).toEqual(
      Array.from({ length: 20 }, (_, n) => `m${23 - n}`),
    );
    const first = await dataOf(get(api.origin, 'chat/history', {}, { token: ann.token }));
    expect(first.items).toEqual(snapshot);
    await dataOf(say(api.origin, ann.token, 'm24'));
    // A cursor stays valid while messages are added.
    const rest = await dataOf(
      get(api.origin, 'chat/history', { cursor: first.nextCursor }, { token: ann.token }),
    );
    expect(rest.items.map(({ text }: { text: string }) => text)).toEqual(['m3', 'm2', 'm1']);
    expect(rest.nextCursor).toBeNull();
    expect(await errorOf(get(api.origin, 'chat/history', { cursor: 'x' }, { token: ann.token }))).toBe(
      'INVALID_CURSOR',
    );
    await reader.close();
  });
});

describe('marks of reading and typing', () => {
  fullTest('show what staff and the customer have read, and never go back', async () => {
    const ann = await register(api.origin);
    await dataOf(say(api.origin, ann.token, 'one'));
    await dataOf(say(api.origin, ann.token, 'two'));
    expect(await state(ann)).toMatchObject({ staffReadPlace: 0, lastPlace: 2, readPlace: 2 });
    await dataOf(support.post('chat/seen', { id: ann.id, place: '1' }));
    expect((await state(ann, other.origin)).staffReadPlace).toBe(1);
    await dataOf(answer(support, ann.id, 'three'));
    await dataOf(answer(support, ann.id, 'four'));
    expect(await state(ann)).toMatchObject({ unread: 2, staffReadPlace: 4, readPlace: 2 });
    const mark = (place: number, as: string) =>
      dataOf(post(other.origin, 'chat/mark', { place, as }, { token: ann.token }));
    const received = async () =>
      (await dataOf(support.get('chat/conversation', { id: ann.id }))).customerReceivedPlace;
    expect(await received()).toBe(2);
    // Another device of the customer, on another process.
    const device = await StreamClient.open(api.origin, ann.token);
    await device.sub('chatState');
    await mark(4, 'received');
    expect([await received(), (await state(ann)).unread]).toEqual([4, 2]);
    await mark(3, 'read');
    await device.next(({ topic, data }) => topic === 'chatState' && data.unread === 1);
    await device.close();
    await mark(1, 'read');
    expect(await state(ann)).toMatchObject({ unread: 1, readPlace: 3 });
    // A message that does not exist can't be marked as read.
    await mark(99, 'read');
    await dataOf(answer(support, ann.id, 'five'));
    expect(await state(ann)).toMatchObject({ unread: 1, readPlace: 4 });
  });

  fullTest('show typing to the other side, and expire', async () => {
    const ann = await register(api.origin);
    await dataOf(say(api.origin, ann.token, 'hello'));
    const reader = await StreamClient.open(other.origin, ann.token);
    await reader.sub('chatState');
    const look = () => dataOf(support.get('chat/conversation', { id: ann.id }));
    // A mark that is a few seconds old has expired, so it is set again until it is seen.
    await seen(async () => {
      await dataOf(post(api.origin, 'chat/typing', {}, { token: ann.token }));
      return (await look()).isCustomerTyping;
    });
    const typedMs = Date.now();
    await dataOf(support.post('chat/typing', { id: ann.id }));
    const told = await reader.next(({ topic, data }) => topic === 'chatState' && data.typingUntil !== null);
    expect(told.data.typingUntil).toBeGreaterThan(typedMs);
    await db.owner.query(
      `update chats set customer_typing_at = now() - interval '7 seconds', staff_typing_at = now() - interval '7 seconds'`,
    );
    expect([(await look()).isCustomerTyping, (await state(ann)).typingUntil]).toEqual([false, null]);
    await reader.close();
  });
});

describe('the support hours', () => {
  fullTest(
    'set the time of the answer by the first waiting message, and further messages do not put it off',
    async () => {
      const ann = await register(api.origin);
      const first = await dataOf(say(api.origin, ann.token, 'anybody?'));
      await dataOf(say(api.origin, ann.token, 'hello?'));
      const waiting = await state(ann);
      expect([waiting.waitingSince, waiting.answerBy]).toEqual([first.time, first.time + 15 * 60_000]);
      await dataOf(answer(support, ann.id, 'Here.'));
      expect(await state(ann)).toMatchObject({ waitingSince: null, answerBy: null });
    },
  );

  test('outside the support hours an answer is promised from the next opening, and the app says so (S3-02)', async () => {
    const tomorrow = Temporal.Now.zonedDateTimeISO('UTC').add({ days: 2 });
    const closed = await startApi(db, {
      support: {
        schedule: {
          zone: 'UTC',
          windows: [{ days: [tomorrow.dayOfWeek], from: '09:00', to: '17:00' }],
          holidays: [],
        },
        answerMinutes: 20,
        chatUrl: 'https://chat.example/talk',
      },
    });
    const opensAt = tomorrow.withPlainTime('09:00').epochMilliseconds;
    const ann = await register(closed.origin);
    await dataOf(say(closed.origin, ann.token, 'late'));
    expect(await state(ann, closed.origin)).toMatchObject({
      isOpen: false,
      opensAt,
      answerBy: opensAt + 20 * 60_000,
      zone: 'UTC',
      hours: [{ days: [tomorrow.dayOfWeek], from: '09:00', to: '17:00' }],
    });
    const config = await dataOf(get(closed.origin, 'app/config'));
    expect([config.chatOnline, config.charUrl]).toEqual([false, 'https://chat.example/talk']);
    const usual = await dataOf(get(api.origin, 'app/config'));
    expect([usual.chatOnline, usual.charUrl]).toEqual([true, '']);
    await closed.stop();
  });
});

fullTest(
  'a listening connection that was cut loses no message: a new snapshot has the whole conversation',
  async () => {
    const ann = await register(api.origin);
    const reader = await StreamClient.open(other.origin, ann.token);
    await reader.sub('chat');
    const cut = await db.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'fairtick listener'`,
      [db.name],
    );
    expect(cut.rowCount).toBeGreaterThanOrEqual(2);
    await dataOf(say(api.origin, ann.token, 'heard?'));
    await seen(() => JSON.stringify(reader.of('chat')).includes('heard?'));
    const texts = [
      ...reader.of('chat')[0].data.map(({ text }: { text: string }) => text),
      ...reader
        .of('chat')
        .slice(1)
        .map(({ data }) => data.text),
    ];
    expect(texts).toEqual(['heard?']);
    await reader.close();
  },
);
