import { answerOf, get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { type OfficeClient, staffOf, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import { ApiProcess } from '@fairtick/kit/installation/api-process.ts';
import { type RunningApi, startApi } from '@fairtick/kit/installation/running-api.ts';
import { photo, upload } from '@fairtick/kit/people/pictures.ts';
import { answer, dataOf, errorOf, newKey, say, wholeHistory } from '@fairtick/kit/people/support.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { topics } from '@fairtick/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The customer's side of a conversation, with two processes. */
let db: TestDatabase;
let api: RunningApi & { officeOrigin: string };
let other: RunningApi;
let support: OfficeClient & { account: string };
beforeAll(async () => {
  db = await createTestDatabase();
  api = await startOffice(db);
  other = await startApi(db);
  support = await staffOf(db, api.officeOrigin, 'support');
});
afterAll(async () => {
  await api?.stop();
  await other?.stop();
  await db?.drop();
});

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
    // Staff appear under their name in the office.
    expect(answered).toMatchObject({ from: 'staff', staff: support.account, text: 'Yes.', place: 2 });
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

describe('hidden characters', () => {
  test('messages with hidden characters are refused in the writer’s language, and visible text arrives unchanged', async () => {
    const ann = await register(api.origin);
    const hidden = ['exe\u202etxt', 'a\u200bb', 'tag\u{e0041}\u{e007f}', 'a\u200db', '\u3164', 'a\u2066b'];
    for (const text of hidden) {
      const { body } = await say(api.origin, ann.token, text);
      const told =
        'There are characters in it that can’t be seen or that turn the text around. Please remove them or type it anew';
      expect([text, body.error, body.fields]).toEqual([text, 'HIDDEN_CHARACTERS', { text: told }]);
      for (const path of ['chat/answer', 'chat/note'])
        expect([text, await errorOf(support.post(path, { id: ann.id, key: newKey(), text }))]).toEqual([
          text,
          'HIDDEN_CHARACTERS',
        ]);
    }
    const zh = await post(api.origin, 'chat/send', { text: 'a\u202e', lang: 'zh' }, { token: ann.token });
    expect(zh.body.msg).toContain('看不见');
    const seenByAll = 'two lines\nand a family 👨‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿';
    await dataOf(say(api.origin, ann.token, seenByAll));
    expect((await wholeHistory(api.origin, ann.token)).map(({ text }) => text)).toEqual([seenByAll]);
  });
});

describe('a message that is sent again', () => {
  fullTest('is stored once, whichever process answers, also while the first is under way', async () => {
    const ann = await register(api.origin);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => say((n % 2 ? api : other).origin, ann.token, 'once', key)),
    );
    const ids = new Set(answers.map(({ body }) => body.data?.id));
    expect([ids.size, answers.every(({ body }) => body.code === 1)]).toEqual([1, true]);
    expect(await wholeHistory(api.origin, ann.token)).toHaveLength(1);
    expect(await errorOf(say(other.origin, ann.token, 'other words', key))).toBe('IDEMPOTENCY_MISMATCH');
    expect(await errorOf(say(api.origin, ann.token, 'x', 'a key with spaces'))).toBe(
      'INVALID_IDEMPOTENCY_KEY',
    );
    // A key belongs to one customer.
    const bob = await register(api.origin);
    expect((await dataOf(say(api.origin, bob.token, 'mine', key))).place).toBe(1);
  });

  fullTest('is stored once with its picture, and leaves no second picture', async () => {
    const ann = await register(api.origin);
    const image = await photo({ width: 320, height: 200 });
    const key = newKey();
    const sent = await Promise.all(
      [api, other, api, other].map(({ origin }) =>
        dataOf(
          upload(
            origin,
            'chat/send',
            { fields: { text: 'see' }, files: { image } },
            { token: ann.token, key },
          ),
        ),
      ),
    );
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect(sent[0]).toMatchObject({
      text: 'see',
      image: { width: expect.any(Number), height: expect.any(Number) },
    });
    const { rows } = await db.owner.query('select count(*)::int as n from uploads where customer_id = $1', [
      ann.id,
    ]);
    expect(rows).toEqual([{ n: 1 }]);
  });

  fullTest.each(['before it was written', 'after it was, and perhaps before the answer'])(
    'is stored exactly once when its process is killed %s',
    async (moment) => {
      const ann = await register(api.origin);
      await dataOf(say(api.origin, ann.token, 'first'));
      const child = await ApiProcess.start(db);
      const key = newKey();
      const holder = await db.owner.connect();
      await holder.query('begin');
      await holder.query('select from chats where customer_id = $1 for update', [ann.id]);
      const pending = say(child.origin, ann.token, 'in the middle', key).catch(() => null);
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%chat_send%'`;
      await seen(async () => (await db.owner.query(waits)).rowCount === 1);
      const written = async () =>
        (await db.owner.query('select id from chat_messages where customer_id = $1 and place = 2', [ann.id]))
          .rows[0]?.id;
      if (moment === 'before it was written') await child.kill();
      await holder.query('rollback');
      holder.release();
      if (moment !== 'before it was written') {
        await seen(async () => (await written()) !== undefined);
        await child.kill();
      }
      await pending;
      const before = await written();
      const again = await dataOf(say(api.origin, ann.token, 'in the middle', key));
      if (before !== undefined) expect(again.id).toBe(before);
      const reader = await StreamClient.open(other.origin, ann.token);
      expect((await reader.sub('chat')).map(({ text }: { text: string }) => text).toSorted()).toEqual([
        'first',
        'in the middle',
      ]);
      expect(await wholeHistory(api.origin, ann.token)).toHaveLength(2);
      await reader.close();
    },
  );
});

describe('a picture', () => {
  fullTest('is encoded again, and is shown only to its customer', async () => {
    const [ann, bob] = [await register(api.origin), await register(api.origin)];
    const html = Buffer.concat([await photo({ kind: 'png' }), Buffer.from('<script>alert(1)</script>')]);
    const files = { image: { bytes: html, name: '"><script>alert(1)</script>.png', type: 'text/html' } };
    const sent = await dataOf(upload(api.origin, 'chat/send', { files }, { token: ann.token }));
    // Encoding the picture again trims its edges.
    expect([sent.text, sent.image.width > 600 && sent.image.width <= 640]).toEqual([null, true]);
    const fetchImage = (token: string) =>
      fetch(`${api.origin}/api/chat/image?id=${sent.id}`, { headers: { token, language: 'en' } });
    const shown = await fetchImage(ann.token);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(Buffer.from(await shown.arrayBuffer()).includes('script')).toBe(false);
    expect((await answerOf(await fetchImage(bob.token))).body.error).toBe('DOCUMENT_NOT_FOUND');
    // The file's name is stored nowhere.
    expect(JSON.stringify(await wholeHistory(api.origin, ann.token))).not.toContain('script');
  });

  fullTest('an invalid picture, an empty message and a message that is too large are refused', async () => {
    const ann = await register(api.origin);
    const bad = { files: { image: Buffer.from('<svg onload="alert(1)"/>') } };
    expect(await errorOf(upload(api.origin, 'chat/send', bad, { token: ann.token }))).toBe('IMAGE_TYPE');
    expect(await errorOf(post(api.origin, 'chat/send', {}, { token: ann.token }))).toBe('FORM_INCOMPLETE');
    expect(await errorOf(post(api.origin, 'chat/send', { text: '  ' }, { token: ann.token }))).toBe(
      'FORM_INCOMPLETE',
    );
    expect(await errorOf(say(api.origin, ann.token, 'x'.repeat(2_001)))).toBe('INVALID_VALUE');
    const large = { files: { image: Buffer.alloc(11_000_000, 1) } };
    expect((await upload(api.origin, 'chat/send', large, { token: ann.token })).status).toBe(413);
    expect(
      (await post(api.origin, 'chat/send', { text: 'x'.repeat(70_000) }, { token: ann.token })).status,
    ).toBe(413);
    expect(
      (await post(api.origin, 'chat/send', { text: 'as JSON' }, { token: ann.token, json: true })).body.code,
    ).toBe(1);
    expect((await upload(api.origin, 'chat/send', bad, {})).status).toBe(401);
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
    await mark(4, 'received');
    expect([await received(), (await state(ann)).unread]).toEqual([4, 2]);
    await mark(3, 'read');
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

describe('bounds of messages', () => {
  fullTest('allow thirty messages a minute, and answer further ones with Retry-After', async () => {
    const ann = await register(api.origin);
    const all = await Promise.all(
      Array.from({ length: 36 }, (_, n) => say((n % 2 ? api : other).origin, ann.token, `m${n}`)),
    );
    const refused = all.filter(({ status }) => status === 429);
    expect([all.filter(({ body }) => body.code === 1).length, refused.length]).toEqual([30, 6]);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await wholeHistory(api.origin, ann.token)).toHaveLength(30);
    await db.owner.query(`update chat_messages set at = at - interval '1 minute' where customer_id = $1`, [
      ann.id,
    ]);
    expect((await say(api.origin, ann.token, 'later')).body.code).toBe(1);
  });

  fullTest(
    'hold in the database, too: the server’s role can’t change messages, or send one without a session',
    async () => {
      const ann = await register(api.origin);
      await dataOf(say(api.origin, ann.token, 'as it was'));
      for (const statement of [
        `update chat_messages set sealed = null`,
        `delete from chat_messages`,
        `insert into chat_messages (id, customer_id, place, key_hash, input_index) values (1, ${ann.id}, 9, sha256('a'), sha256('b'))`,
        `update chats set last_place = 0`,
        `delete from chat_notes`,
      ]) {
        await expect(db.server.query(statement)).rejects.toThrow(/permission denied/);
      }
      const send = 'select refused from chat_send($1, 77, $2, null, $3, $3, $4)';
      const nobody = await db.server.query(send, [
        Buffer.alloc(32),
        Buffer.from('x'),
        Buffer.alloc(32, 1),
        [],
      ]);
      expect(nobody.rows).toEqual([{ refused: 'SESSION_EXPIRED' }]);
    },
  );

  fullTest('messages and notes are in no table in clear', async () => {
    const ann = await register(api.origin);
    await dataOf(say(api.origin, ann.token, 'Kanarienvogel am Fenster'));
    await dataOf(support.post('chat/note', { id: ann.id, key: newKey(), text: 'Rotkehlchen im Garten' }));
    const { rows } = await db.owner.query<{ row: string }>(
      'select m::text as row from chat_messages m union all select n::text from chat_notes n union all select c::text from chats c',
    );
    const text = rows.map(({ row }) => row).join('\n');
    for (const word of ['Kanarienvogel', 'Rotkehlchen']) {
      expect([word, text.includes(word), text.includes(Buffer.from(word).toString('hex'))]).toEqual([
        word,
        false,
        false,
      ]);
    }
  });
});

fullTest(
  'a listening connection that was cut loses no message: a new snapshot has the whole conversation',
  async () => {
    const ann = await register(api.origin);
    const reader = await StreamClient.open(other.origin, ann.token);
    await reader.sub('chat');
    await db.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'fairtick listener'
     and usename = current_user`,
      [db.name],
    );
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
