import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startTracing, traced } from './tracing.ts';

/** Spans as a collector gets them. */
async function collector() {
  const spans: { name: string; status: { code: number; message?: string } }[] = [];
  const server = createServer(async (request, response) => {
    expect(request.url).toBe('/v1/traces');
    const body = JSON.parse(await text(request));
    spans.push(...body.resourceSpans[0].scopeSpans[0].spans);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { spans, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test('a collector gets each piece of work with its name, and a failure without its text', async () => {
  const { spans, endpoint } = await collector();
  const end = await startTracing(endpoint);
  expect(await traced('works', { orders: 2 }, async () => 'done')).toBe('done');
  const fails = traced('fails', {}, async () => {
    throw new Error('for Anna');
  });
  await expect(fails).rejects.toThrow('for Anna');
  await end();
  expect(spans.map(({ name }) => name)).toEqual(['works', 'fails']);
  expect(spans[1]?.status).toEqual({ code: 2, message: 'failed' });
  expect(JSON.stringify(spans)).toContain('{"key":"orders","value":{"intValue":2}}');
  expect(JSON.stringify(spans)).not.toContain('Anna');
});

test('without an address the work runs alone', async () => {
  const end = await startTracing(null);
  expect(await traced('works', {}, async () => 'done')).toBe('done');
  await end();
});
