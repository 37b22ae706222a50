import { createHash } from 'node:crypto';
import { openApiDocument } from '@fairtick/protocol/openapi';
import type { FastifyInstance } from 'fastify';
import { PUBLIC } from '../../platform/route-access.ts';
import { docsPage } from './page.ts';
import { STYLE } from './style.ts';

const CACHE = 'public, max-age=300';

/** No scripts, no requests, and only the page's own style. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Both are made once, from the schemas that check requests. */
export function registerDocs(app: FastifyInstance): void {
  const document = openApiDocument();
  const json = JSON.stringify(document);
  const page = docsPage(document);
  app.get('/api/openapi.json', PUBLIC, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', CACHE).send(json),
  );
  app.get('/api/docs', PUBLIC, async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', CACHE)
      .header('content-security-policy', POLICY)
      .send(page),
  );
}
