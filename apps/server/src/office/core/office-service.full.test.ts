import { OfficeClient, staffOf, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { ownDatabase, ownOffice } from '@fairtick/kit/fixtures/fixtures.ts';
import { WIDE_LIMITS } from '@fairtick/kit/installation/running-api.ts';
import { officeOperations } from '@fairtick/protocol/office';
import { expect, test } from 'vitest';

const db = ownDatabase();
const api = ownOffice(db, { drainSeconds: 6 });

test('the office’s OpenAPI document needs a session and has every operation', async () => {
  const told = await new OfficeClient(api.officeOrigin).get('service/openapi');
  expect([told.status, told.body.error]).toEqual([401, 'SESSION_EXPIRED']);
  const { status, headers, body } = await (await staffOf(db, api.officeOrigin, 'support')).get(
    'service/openapi',
  );
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(Object.keys(body.paths)).toEqual(Object.keys(officeOperations).map((path) => `/api/${path}`));
});

test('a member of staff has a quota for each change over all processes, and a colleague has another', async () => {
  const limits = { ...WIDE_LIMITS, quotaPercent: 2.5 };
  const [first, second] = [await startOffice(db, { limits }), await startOffice(db, { limits })];
  try {
    const [busy, colleague] = [
      await staffOf(db, first.officeOrigin, 'support'),
      await staffOf(db, first.officeOrigin, 'support'),
    ];
    const elsewhere = Object.assign(new OfficeClient(second.officeOrigin), { cookie: busy.cookie });
    const change = (client: OfficeClient) => client.post('session/setLanguage', { language: 'zh' });
    // 2.5 percent of 120 a minute.
    for (const client of [busy, elsewhere, busy]) expect((await change(client)).body.code).toBe(1);
    for (const client of [elsewhere, busy]) {
      const refused = await change(client);
      expect([refused.status, refused.body.error]).toEqual([429, 'TOO_MANY_REQUESTS']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await busy.get('session/me')).body.code).toBe(1);
    expect((await change(colleague)).body.code).toBe(1);
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
});

test('the office is alive and ready without prices, and reports 503 while its process stops', async () => {
  const signs = async () =>
    Promise.all(['/healthz', '/readyz'].map(async (path) => (await fetch(api.officeOrigin + path)).status));
  expect(await signs()).toEqual([200, 200]);
  expect(await (await fetch(`${api.officeOrigin}/readyz`)).json()).toEqual({ database: true });
  // The customers' side of this process is not ready, because there is no feed.
  expect((await fetch(`${api.origin}/readyz`)).status).toBe(503);
  const stopping = api.stop({ drain: true });
  expect(await signs()).toEqual([503, 503]);
  await stopping;
});
