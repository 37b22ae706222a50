import { answerOf, post, register } from '@fairtick/kit/clients/api-client.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { ownApi, ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { ApiProcess } from '@fairtick/kit/installation/api-process.ts';
import { photo, upload } from '@fairtick/kit/people/pictures.ts';
import { newKey, say, wholeHistory } from '@fairtick/kit/people/support.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';

/** Customers send texts and pictures to support, repeat them, and reach their bounds, at two processes. */
const db = ownDatabase();
const api = ownOffice(db);
const other = ownApi(db);
const support = ownStaff(db, api, 'support');

describe('hidden characters', () => {
  test('messages with hidden characters are refused in the writer’s language, and visible text arrives unchanged', async () => {
    const ann = await register(api.origin);
    const hidden = ['exe\u202etxt', 'a\u200bb', 'tag\u{e0041}\u{e007f}', 'a\u200db', '\u3164', 'a\u2066b'];
    for (const text of hidden) {
      const { body } = await say(api.origin, ann.token, text);
      const told =
        'This contains invisible characters or characters that change the text direction. Please remove them or type it again';
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
