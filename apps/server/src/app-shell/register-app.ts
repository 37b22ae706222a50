import { join } from 'node:path';
import type { Language } from '@fairtick/protocol';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { declarePublic, PUBLIC } from '../route-access.ts';
import { AppPages, cookieLanguage, type PrerenderedPage } from './pages.ts';

/** Every route of the app, the specification's and our own; all of them are one page that finds its own way. */
const PATHS = [
  'index',
  'product',
  'profit',
  'chat',
  'news',
  'mine',
  'register',
  'login',
  'changeLog',
  'historyOrder',
  'setPayWord',
  'recharge',
  'with',
  'realName',
  'editAddress',
  'bank',
  'editBank',
  'accessLog',
  'home',
  'whoLooked',
  'notices',
  'limits',
  'alerts',
  'statistics',
  'security',
  'devices',
  'myData',
];
/** What the browser asks for by name: icons, the app's description, and the worker that keeps it for offline. */
const OWN_NAMES = [
  'icon.svg',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable.png',
  'apple-touch-icon.png',
  'manifest.webmanifest',
  'sw.js',
];
/** A prerendered page may be so old: prices go on from there within a second of its arrival. */
const PAGE_MS = 1_000;

/** Serves the built app from the same origin as the API. */
export async function registerApp(
  app: FastifyInstance,
  options: {
    dist: string;
    board: (language: Language) => Promise<readonly unknown[]>;
    /** The page of another provider for support, where the operator has named one. */
    chatUrl: string | null;
  },
): Promise<void> {
  const pages = await AppPages.load(
    options.dist,
    options.chatUrl === null ? [] : [new URL(options.chatUrl).origin],
  );
  const cache = new Map<string, { html: string; untilMs: number }>();

  const send = async (request: FastifyRequest, reply: FastifyReply, page: PrerenderedPage | null) => {
    const language = cookieLanguage(request.headers.cookie);
    const key = `${page}:${language}`;
    let known = cache.get(key);
    if (!known || performance.now() > known.untilMs) {
      const board = page === null ? [] : await options.board(language);
      known = { html: pages.render(page, language, board), untilMs: performance.now() + PAGE_MS };
      cache.set(key, known);
    }
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', pages.policy)
      .send(known.html);
  };

  app.get('/', PUBLIC, async (_request, reply) => reply.redirect('/index', 302));
  for (const path of PATHS) {
    app.get(`/${path}`, PUBLIC, (request, reply) => send(request, reply, prerenderedPage(path, request)));
  }
  await app.register(async (files) => {
    declarePublic(files);
    await files.register(fastifyStatic, {
      root: join(options.dist, 'client/assets'),
      prefix: '/assets/',
      index: false,
      preCompressed: true,
      immutable: true,
      maxAge: '365d',
    });
    // Under names of their own, so they are asked for anew each time; what has not changed is not sent again.
    for (const name of OWN_NAMES) {
      files.get(`/${name}`, async (_request, reply) =>
        reply.sendFile(name, join(options.dist, 'client'), { maxAge: 0, immutable: false }),
      );
    }
  });
}

/** The home and the list of products are prerendered; one product is not, and a list in its place would only flash. */
function prerenderedPage(path: string, { query }: FastifyRequest): PrerenderedPage | null {
  if (path === 'index') return 'index';
  return path === 'product' && !('symbol' in (query as object)) ? 'product' : null;
}
