import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { OLD_BROWSER_SCRIPT } from '../../platform/http/old-browser.ts';
import { APP_FILE, declareAppFiles } from './office-access.ts';

/** Only the app's own files run, no string becomes a script, and no other page embeds the app. */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Serves the built office: a single-page app and its files. */
export async function registerOfficeApp(app: FastifyInstance, dist: string): Promise<void> {
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  for (const url of ['/', '/:area', '/:area/:page', '/:area/:page/:part']) {
    app.get<{ Params: { area?: string } }>(url, APP_FILE, async (request, reply) => {
      if (request.params.area === 'api') return reply.callNotFound();
      return reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('content-security-policy', POLICY)
        .send(html);
    });
  }
  await app.register(async (files) => {
    declareAppFiles(files);
    await files.register(fastifyStatic, {
      root: join(dist, 'assets'),
      prefix: '/assets/',
      index: false,
      preCompressed: true,
      immutable: true,
      maxAge: '365d',
    });
    files.get('/old-browser.js', async (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send(OLD_BROWSER_SCRIPT),
    );
    for (const name of ['icon.svg', 'boot.js']) {
      files.get(`/${name}`, async (_request, reply) => reply.sendFile(name, dist));
    }
  });
}
