import { join } from 'node:path';
import { DEFAULT_LANGUAGE, LANGUAGES, type Landing, type Language, languageAsked } from '@fairtick/protocol';
import { SCREENS } from '@fairtick/protocol/screens';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { Packed, packingFor } from '../../platform/packed.ts';
import { declarePublic, PUBLIC } from '../../platform/route-access.ts';
import { robots, securityContact, sitemap } from './landing-head.ts';
import { AppPages, cookieLanguage, type PageData, type PrerenderedPage } from './pages.ts';

const PRERENDERED = ['index', 'product', 'home'] as const;
const OWN_NAMES = [
  'icon.svg',
  'share.png',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable.png',
  'apple-touch-icon.png',
  'manifest.webmanifest',
  'sw.js',
];
const PAGE_MS = 1_000;

export async function registerApp(
  app: FastifyInstance,
  options: {
    dist: string;
    board: (language: Language) => Promise<PageData['board']>;
    /** None without a symbol. */
    candles: (symbol: string | null) => Promise<PageData['candles']>;
    landing: (language: Language) => Landing;
    config: Pick<Config, 'publicOrigin' | 'mode' | 'feed' | 'operator' | 'support'>;
  },
): Promise<void> {
  const { publicOrigin, mode, feed, operator, support } = options.config;
  const { chatUrl } = support;
  const frames = chatUrl === null ? [] : [new URL(chatUrl).origin];
  const pages = await AppPages.load(options.dist, { frames, publicOrigin, mode, feed: feed.kind });
  const cache = new Map<string, { html: Packed; policy: string; untilMs: number }>();

  const send = async (request: FastifyRequest, reply: FastifyReply, wanted: PrerenderedPage | null) => {
    const named = wanted === 'home' ? askedLanguage(request) : null;
    const language = named ?? visitorsLanguage(request, wanted);
    const symbol = askedSymbol(request, wanted);
    const key = [wanted, language, named, symbol].join(':');
    let known = cache.get(key);
    if (!known || performance.now() > known.untilMs) {
      const all = wanted === null ? [] : await options.board(language);
      const board = symbol === null ? all : all.filter((row) => row.symbol === symbol);
      // Addresses name any number of products that do not exist: all of them share the empty page.
      if (symbol !== null && board.length === 0) return send(request, reply, null);
      const page = symbol === null ? wanted : 'oneProduct';
      const landing = page === 'home' ? options.landing(language) : null;
      const candles = await options.candles(symbol);
      const { html, policy } = pages.render(page, language, { board, candles, landing }, named);
      known = { html: new Packed(html), policy, untilMs: performance.now() + PAGE_MS };
      cache.set(key, known);
    }
    const packing = packingFor(request.headers['accept-encoding']);
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('vary', 'accept-encoding, accept-language, cookie')
      .header('content-security-policy', known.policy);
    if (packing === null) return reply.send(known.html.plain);
    return reply.header('content-encoding', packing).send(await known.html.as(packing));
  };

  app.get('/', PUBLIC, async (_request, reply) => reply.redirect('/index', 302));
  // One page serves all screens and routes in the browser.
  for (const path of Object.keys(SCREENS)) {
    app.get(`/${path}`, PUBLIC, (request, reply) =>
      send(request, reply, PRERENDERED.find((page) => page === path) ?? null),
    );
  }
  // Password managers open this address to change a leaked password.
  app.get('/.well-known/change-password', PUBLIC, async (_request, reply) => reply.redirect('/mine', 302));
  const serve = (path: string, type: string, make: () => string) =>
    app.get(path, PUBLIC, async (_request, reply) => reply.type(`${type}; charset=utf-8`).send(make()));
  if (operator !== null)
    serve('/.well-known/security.txt', 'text/plain', () =>
      securityContact(operator.contact.email, publicOrigin, Date.now()),
    );
  serve('/robots.txt', 'text/plain', () => robots(publicOrigin));
  serve('/sitemap.xml', 'application/xml', () => sitemap(publicOrigin));
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
    // The names of these files do not change with their content, so browsers ask each time; an unchanged file is not sent again.
    for (const name of OWN_NAMES) {
      files.get(`/${name}`, async (_request, reply) =>
        reply.sendFile(name, join(options.dist, 'client'), { maxAge: 0, immutable: false }),
      );
    }
  });
}

function askedSymbol({ query }: FastifyRequest, page: PrerenderedPage | null): string | null {
  const { symbol } = query as { readonly symbol?: unknown };
  return page !== 'product' || symbol === undefined ? null : String(symbol);
}

/** The language of earlier visits; for the first visit of the landing page, the one that the browser asks for. */
function visitorsLanguage({ headers }: FastifyRequest, page: PrerenderedPage | null): Language {
  const asked = page === 'home' ? languageAsked(headers['accept-language'] ?? '') : null;
  return cookieLanguage(headers.cookie) ?? asked ?? DEFAULT_LANGUAGE;
}

function askedLanguage({ query }: FastifyRequest): Language | null {
  const { lang } = query as { readonly lang?: unknown };
  return LANGUAGES.find((language) => language === lang) ?? null;
}
