import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rawHttp } from '@fairtick/kit/clients/raw-http.ts';
import { testFolder } from '@fairtick/kit/folder.ts';
import Fastify from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RefusalError } from '../../platform/http/context.ts';
import { languageOfUnread, sendError, sendRefusal } from '../../platform/http/envelope.ts';
import { registerOfficeApp } from './office-app.ts';

const app = Fastify();
beforeAll(async () => {
  const dist = testFolder('office-app');
  mkdirSync(join(dist, 'assets/folder'), { recursive: true });
  for (const name of ['index.html', 'icon.svg', 'boot.js', 'assets/a.js'])
    writeFileSync(join(dist, name), 'x');
  app.setErrorHandler((error, request, reply) =>
    sendError(pino({ level: 'silent' }), reply, error, languageOfUnread(request)),
  );
  app.setNotFoundHandler((request, reply) =>
    sendRefusal(reply, new RefusalError('PATH_NOT_FOUND'), languageOfUnread(request)),
  );
  await registerOfficeApp(app, dist);
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

const ask = async (path: string, headers = '') => {
  const { port } = app.server.address() as AddressInfo;
  const [answer] = await rawHttp(port, `GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`);
  return answer;
};

test.each([
  '/assets/',
  '/assets/folder',
  '/assets/folder/',
  '/assets//a.js',
  '/assets/./a.js',
  '/assets/../index.html',
  '/assets/%2e%2e/index.html',
  '/assets/..%2findex.html',
  '/assets/..%5cindex.html',
  '/assets/%2e%2e%2f%2e%2e%2fetc/passwd',
  '/assets/folder/../../index.html',
  '/assets/none.js',
  `/assets/${'a'.repeat(300)}`,
])('%s is not served', async (path) => {
  const answer = await ask(path);
  expect([answer?.status, JSON.parse(answer?.body ?? '').error]).toEqual([404, 'PATH_NOT_FOUND']);
});

test('a request for an unavailable version, range or name of a file gets a 4xx status', async () => {
  expect((await ask('/assets/a.js'))?.status).toBe(200);
  for (const headers of ['if-match: "other"\r\n', 'range: bytes=900-1000\r\n']) {
    const status = (await ask('/assets/a.js', headers))?.status ?? 0;
    expect([headers, status >= 400 && status < 500]).toEqual([headers, true]);
  }
  const status = (await ask('/assets/a%00b'))?.status ?? 0;
  expect(status >= 400 && status < 500).toBe(true);
});
