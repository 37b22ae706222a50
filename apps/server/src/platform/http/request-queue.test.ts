import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { expect, test } from 'vitest';
import { LoopTurns } from '../fairness/loop-turns.ts';
import { clientOf, queueRequests } from './request-queue.ts';

const db = ownDatabase();
const api = ownApi(db);

/** The answers over one connection to this many requests in one write. */
async function answersTo(
  requests: number,
): Promise<{ read: () => number; isClosed: () => boolean; end(): void }> {
  const socket = connect({ host: '127.0.0.1', port: api.port });
  let text = '';
  let isClosed = false;
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  await once(socket, 'connect');
  socket.write('GET /api/app/config HTTP/1.1\r\nhost: test\r\n\r\n'.repeat(requests));
  return {
    read: () => text.split('HTTP/1.1 200').length - 1,
    isClosed: () => isClosed,
    end: () => socket.destroy(),
  };
}

test('a few requests in one write are all answered; a connection that sends hundreds without reading is cut off', async () => {
  const few = await answersTo(8);
  await seen(() => few.read() === 8);
  expect(few.isClosed()).toBe(false);
  few.end();
  const many = await answersTo(400);
  await seen(() => many.isClosed());
  expect(many.read()).toBeLessThan(400);
  // Other clients are still served.
  const health = await fetch(`${api.origin}/healthz`);
  expect([health.status, await health.text()]).toEqual([
    200,
    expect.stringMatching(/^ok\nfairtick \d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$/),
  ]);
});

test('the rest of a read makes no requests once its connection is cut off', async () => {
  let requests = 0;
  const server = createServer(() => {});
  queueRequests(server, { turns: new LoopTurns(), door: { trustProxy: false, addressHeader: null } });
  server.prependListener('request', () => {
    requests += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n'.repeat(400));
  await once(socket, 'close');
  expect(requests).toBeLessThan(20);
  server.close();
});

test('a client names no address for itself: without a trusted proxy no header counts, and without its setting no other one', () => {
  const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.1', 'cf-connecting-ip': '198.51.100.7' };
  const request = { headers, socket: { remoteAddress: '192.0.2.1' } } as unknown as IncomingMessage;
  expect(clientOf(request, { trustProxy: false, addressHeader: null })).toBe('192.0.2.1');
  expect(clientOf(request, { trustProxy: false, addressHeader: 'cf-connecting-ip' })).toBe('192.0.2.1');
  expect(clientOf(request, { trustProxy: true, addressHeader: null })).toBe('203.0.113.1');
  expect(clientOf(request, { trustProxy: true, addressHeader: 'cf-connecting-ip' })).toBe('198.51.100.7');
});
