import { fakeVendor, type Inquiry, newSecret, sendEvent } from '@fairtick/kit/clients/fake-vendor.ts';
import { apiPayee } from '@fairtick/kit/clients/money-api.ts';
import { startOffice } from '@fairtick/kit/clients/office-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { auditedDatabase, ownClient } from '@fairtick/kit/fixtures/fixtures.ts';
import { usdt } from '@fairtick/kit/people/money.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { setVendors } from '../../commands/seed.ts';
import { askVendor } from './vendor-client.ts';

/** Attacks on the line between the house and a vendor, here a fake of its interface over HTTP: false events, and false answers. */
const db = auditedDatabase();
const owner = ownClient(db);
const vendor = fakeVendor({ judges: ['address'] });
const other = fakeVendor({ name: 'other', judges: ['identity'] });
const api = forFile(async () => {
  const vendors = [vendor.settings, other.settings];
  await setVendors(owner, vendors);
  return startOffice(db, { vendors });
});
const waiting: Inquiry = forFile(async () => {
  await apiPayee(api.origin, db, usdt(5));
  return seen(() => [...vendor.inquiries.values()][0]);
});

const rowOf = async (reference: string) =>
  (await owner.query('select * from vendor_inquiries where reference = $1', [reference])).rows[0];
const eventsOf = async (webhook: string) =>
  (await owner.query('select inquiry_id from vendor_events where webhook_id = $1', [webhook])).rows;

describe('an event', () => {
  const send = (...[event]: [Parameters<typeof sendEvent>[3]?]) =>
    sendEvent(api.origin, vendor.settings, waiting.reference, event);
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  const untouched = async () => {
    const [{ state, takes }, { rows }] = [
      await rowOf(waiting.reference),
      await owner.query('select count(*)::int as count from vendor_events'),
    ];
    return { state, takes, events: rows[0].count };
  };

  test('that says "clear" decides nothing: the state that is fetched does', async () => {
    await send({ id: 'msg_lie' });
    await seen(async () => (await rowOf(waiting.reference)).is_told === false);
    expect((await rowOf(waiting.reference)).state).toBe('pending');
  });

  test('is refused when it is forged, old, early, of another vendor, or not signed', async () => {
    const before = await untouched();
    for (const event of [
      { secret: newSecret() },
      { secret: other.settings.webhookSecrets[0] as string },
      { at: minutes(-6) },
      { at: minutes(6) },
      { signature: 'v1,' },
      { signature: 'v1a,AAAA v2,AAAA' },
    ])
      expect((await send(event)).status).toBe(401);
    const of = { ...vendor.settings, name: 'other' };
    expect((await sendEvent(api.origin, of, waiting.reference)).status).toBe(401);
    expect((await sendEvent(api.origin, { ...of, name: 'nobody' }, waiting.reference)).status).toBe(404);
    expect((await send({ id: 'two words' })).status).toBe(400);
    expect(await untouched()).toEqual(before);
  });

  test('with a changed body or too large a one is refused', async () => {
    const path = `${api.origin}/hooks/vendor/acme`;
    const large = await fetch(path, { method: 'POST', body: 'x'.repeat(65_537) });
    expect(large.status).toBe(413);
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' };
    expect((await fetch(path, { method: 'POST', headers, body: new Uint8Array([0xff]) })).status).toBe(400);
    expect((await fetch(path)).status).toBe(404);
  });

  test('is taken with either secret and among other signatures, and stored once', async () => {
    const [, second = ''] = vendor.settings.webhookSecrets;
    expect((await send({ id: 'msg_second', secret: second })).status).toBe(204);
    const at = new Date();
    const body = JSON.stringify({ data: { reference: waiting.reference } });
    const right = new Webhook(second).sign('msg_many', at, body);
    const signature = `v1,${Buffer.alloc(32).toString('base64')} v1a,AAAA ${right}`;
    expect((await send({ id: 'msg_many', at, body, signature })).status).toBe(204);
    expect(await eventsOf('msg_many')).toHaveLength(1);
    await seen(async () => (await rowOf(waiting.reference)).is_told === false);
    const { due_at: due } = await rowOf(waiting.reference);
    expect((await send({ id: 'msg_many', at, body, signature })).status).toBe(204);
    expect(await eventsOf('msg_many')).toHaveLength(1);
    const after = await rowOf(waiting.reference);
    expect(after.is_told).toBe(false);
    expect(after.due_at).toEqual(due);
  });

  test('about an unknown inquiry or in another form is stored as such', async () => {
    const unknown = crypto.randomUUID();
    expect((await sendEvent(api.origin, vendor.settings, unknown, { id: 'msg_early' })).status).toBe(204);
    expect((await send({ id: 'msg_text', body: 'not json' })).status).toBe(204);
    // An event can't move an inquiry of another vendor.
    expect((await sendEvent(api.origin, other.settings, waiting.reference, { id: 'msg_other' })).status).toBe(
      204,
    );
    for (const id of ['msg_early', 'msg_text', 'msg_other'])
      expect(await eventsOf(id)).toEqual([{ inquiry_id: null }]);
    const { rows } = await owner.query(
      `select sealed::text from vendor_events where webhook_id = 'msg_text'`,
    );
    expect(Buffer.from(rows[0].sealed.slice(2), 'hex').toString('latin1')).not.toContain('not json');
  });
});

describe('the vendor’s interface', () => {
  const ask = (timeoutMs?: number) => askVendor(vendor.settings, waiting.reference, undefined, timeoutMs);

  test.each<[string, Parameters<typeof vendor.behave>[0], RegExp]>([
    ['garbage', (_, response) => response.end('<html>'), /another form/],
    ['another inquiry', (_, response) => response.end('{"reference":"x","state":"clear"}'), /another form/],
    [
      'an unknown state',
      (request, response) =>
        response.end(JSON.stringify({ reference: request.url?.slice(11), state: 'fine' })),
      /another form/,
    ],
    ['a failure', (_, response) => response.writeHead(503).end('secret'), /^(?!.*secret).*status 503/],
    ['ten megabytes', (_, response) => response.end('x'.repeat(10 << 20)), /more than 16384 bytes/],
    ['a broken line', (request) => request.socket.destroy(), /fetch failed/],
    ['nothing', () => undefined, /timeout/],
  ])('that answers %s is not believed', async (name, lie, why) => {
    vendor.behave(lie);
    await expect(ask(name === 'nothing' ? 300 : 5_000)).rejects.toThrow(why);
    vendor.behave(null);
  });

  test('is not followed elsewhere', async () => {
    const before = other.requests.length;
    vendor.behave((_, response) =>
      response.writeHead(302, { location: `${other.url}/inquiries/${waiting.reference}` }).end(),
    );
    await expect(ask()).rejects.toThrow();
    vendor.behave(null);
    expect(other.requests.length).toBe(before);
  });

  test('has its last answer recorded, not a slower one to an earlier request', async () => {
    const { rows } = await owner.query(
      `insert into vendor_inquiries (vendor, kind, subject_id, customer_id, due_at, takes)
       select 'acme', 'name', 0, id, null, 7 from customers limit 1 returning id, reference`,
    );
    const [{ id, reference }] = rows;
    const record = (take: number, state: string) =>
      db.server.query('select vendor_answer($1, $2, $3, null, null)', [id, take, state]);
    await record(6, 'clear');
    expect((await rowOf(reference)).state).toBe('new');
    await record(7, 'pending');
    await record(6, 'clear');
    expect((await rowOf(reference)).state).toBe('pending');
    await expect(record(7, 'fine')).rejects.toThrow('check constraint');
  });
});

test('two processes at once take each inquiry once', async () => {
  await owner.query(
    `with one as (insert into vendors (name, judges, late) values ('third', '{}', '1 hour') returning name)
     insert into vendor_inquiries (vendor, kind, subject_id, customer_id, state, answered_at)
     select name, 'name', n, (select min(id) from customers), 'clear', now() from one, generate_series(1, 20) n`,
  );
  const takes = await Promise.all(
    [10, 10, 10].map((most) => db.server.query(`select id from vendor_take('third', $1)`, [most])),
  );
  const ids = takes.flatMap(({ rows }) => rows.map(({ id }) => id));
  expect([ids.length, new Set(ids).size]).toEqual([20, 20]);
});

test('events are kept for 30 days, and no more than 20 000 of a day', async () => {
  await owner.query(
    `insert into vendor_events (id, vendor, webhook_id, received_at)
     select nextval('personal_data_ids'), 'acme', 'old ' || n, now() - make_interval(days => n) from generate_series(29, 31) n`,
  );
  await seen(async () => (await eventsOf('old 31')).length === 0);
  expect((await eventsOf('old 29')).length).toBe(1);
  await owner.query(
    `insert into vendor_events (id, vendor, webhook_id)
     select nextval('personal_data_ids'), 'acme', 'many ' || n from generate_series(1, 20000) n`,
  );
  const answer = await sendEvent(api.origin, vendor.settings, waiting.reference, { id: 'msg_late' });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
  expect(await eventsOf('msg_late')).toEqual([]);
});

test('a flood of events is refused, and its sender told to come later', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 620 }, async () => {
      const answer = await fetch(`${api.origin}/hooks/vendor/nobody`, { method: 'POST', body: 'x' });
      return `${answer.status} ${answer.headers.get('retry-after')}`;
    }),
  );
  expect(statuses).toContain('429 60');
});
