import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RECORD_VENUES } from '@fairtick/proof';
import {
  DEFAULT_LANGUAGE,
  LANGUAGE_TAGS,
  LANGUAGES,
  type Landing,
  type Language,
  RISING_COLOURS,
} from '@fairtick/protocol';
import { OLD_BROWSER_SCRIPT } from '../../platform/http/old-browser.ts';
import { escapeHtml, landingHead } from './landing-head.ts';

/**
 * Runs before the first paint: sets theme, colours and language of a returning reader, and marks a page in another language or of another
 * product than the address names, as the offline cache may have.
 */
const BOOT_SCRIPT = `(function(){try{var s=localStorage,r=document.documentElement,d=s.getItem('dark'),q=location.pathname==='/home'&&/[?&]lang=(${LANGUAGES.join('|')})(&|$)/.exec(location.search);if(q)s.setItem('language',q[1]);var l=s.getItem('language');if(d===null?matchMedia('(prefers-color-scheme: dark)').matches:d==='true')r.classList.add('dark');r.dataset.updown=s.getItem('updown')||(${JSON.stringify(RISING_COLOURS)}[l||r.dataset.language]||'red');if(s.getItem('token')&&s.getItem('userInfo'))r.classList.add('member');if(l&&l!==r.dataset.language||location.pathname==='/product'&&(new URLSearchParams(location.search).get('symbol')||'')!==(r.dataset.symbol||''))r.classList.add('other-page')}catch(e){}})()`;

/**
 * Shows the visitor's or the member's half of a prerendered page, hides a marked page, a product on screens that show more beside it,
 * and of the mark of demo mode what is not so.
 */
const BOOT_STYLE = `.member .for-visitor,:root:not(.member) .for-member{display:none}.other-page #app{visibility:hidden}@media(min-width:48em){[data-page=product] #app main{visibility:hidden}}@media(min-width:35em){[data-symbol] #app [data-view]{visibility:hidden}}[data-mode=live] [data-demo],[data-feed=live] [data-feeds=made],:root:not([data-feed=live]) [data-feeds=live]{display:none!important}`;

/**
 * Starts the app after the first paint of the prerendered page, so that prices are readable before any of its code runs. A page
 * that is not painted, such as one in the background, starts after 500 ms. A failed import is retried every second. A browser
 * without `import()` ignores the whole script, and one that is too old has no page to start in.
 */
const startScript = (entry: string) =>
  `(function(){if(document.documentElement.hasAttribute('data-old'))return;var d=0;function l(){import('/${entry}').catch(function(){setTimeout(l,1e3)})}function s(){if(!d){d=1;l()}}requestAnimationFrame(function(){setTimeout(s)});setTimeout(s,500)})()`;

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

/** The exchanges that a customer's browser asks for the records of a receipt; none where prices are not theirs. */
const venuesOf = (feed: string): readonly string[] =>
  feed === 'live' ? RECORD_VENUES.map(({ origin }) => origin) : [];

/**
 * Content-Security-Policy: only our own code runs on the app's pages, and no string becomes markup or a script but through
 * `trusted-types.ts`. The page's own styles are named by their hash; prerendered elements have style attributes.
 */
function pagePolicy(page: {
  readonly scripts: readonly string[];
  readonly style: string;
  readonly frames: readonly string[];
  readonly asked: readonly string[];
}): string {
  const { scripts, style, frames, asked } = page;
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.map((script) => `'sha256-${sha256(script)}'`).join(' ')}`,
    `style-src 'self' 'sha256-${sha256(style)}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${["'self'", ...asked].join(' ')}`,
    ...(frames.length > 0 ? [`frame-src ${frames.join(' ')}`] : []),
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types fairtick',
  ].join('; ');
}

export type PrerenderedPage = 'index' | 'product' | 'oneProduct' | 'home';
/** Data embedded in a page. */
export interface PageData {
  /** The rows of all products, or of the one that the page is for; empty for a page that starts empty. */
  readonly board: readonly { readonly symbol: string }[];
  /** Null on all other pages. */
  readonly landing: Landing | null;
}
type Prerender = (page: PrerenderedPage, language: Language, data: PageData) => string;

interface ManifestChunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}
type Manifest = Readonly<Record<string, ManifestChunk>>;

/** Source files of the views that a page needs first. */
const VIEW_SOURCES: Readonly<Record<PrerenderedPage, readonly string[]>> = {
  index: ['src/trade/market/index-page.tsx'],
  product: ['src/trade/product-page.tsx'],
  oneProduct: ['src/trade/product-page.tsx', 'src/trade/product-screen.tsx'],
  home: ['src/landing/landing-page.tsx'],
};
const ENTRY = 'index.html';

/** The built app as HTML pages, with styles and the first prices in them. */
export class AppPages {
  readonly #frames: readonly string[];
  readonly #startScript: string;
  readonly #client: string;
  readonly #template: string;
  readonly #manifest: Manifest;
  readonly #prerender: Prerender;
  readonly #styles = new Map<string, string>();
  readonly #publicOrigin: string;
  readonly #mode: 'demo' | 'live';
  readonly #feed: string;

  private constructor(parts: {
    client: string;
    template: string;
    manifest: Manifest;
    prerender: Prerender;
    frames: readonly string[];
    publicOrigin: string;
    mode: 'demo' | 'live';
    feed: string;
  }) {
    this.#mode = parts.mode;
    this.#feed = parts.feed;
    this.#publicOrigin = parts.publicOrigin;
    this.#client = parts.client;
    this.#template = parts.template;
    this.#manifest = parts.manifest;
    this.#prerender = parts.prerender;
    const entry = parts.manifest[ENTRY];
    if (!entry) throw new Error('the built app has no entry');
    for (const page of Object.keys(VIEW_SOURCES) as PrerenderedPage[])
      for (const language of LANGUAGES) this.#chunksOf(page, language);
    this.#startScript = startScript(entry.file);
    this.#frames = parts.frames;
  }

  /** @throws when the app has not been built */
  static async load(
    dist: string,
    /** `frames`: origins whose pages may be embedded in ours. */
    settings: { frames: readonly string[]; publicOrigin: string; mode: 'demo' | 'live'; feed: string },
  ): Promise<AppPages> {
    const client = join(dist, 'client');
    const { prerender } = (await import(pathToFileURL(join(dist, 'server/prerender.js')).href)) as {
      prerender: Prerender;
    };
    return new AppPages({
      ...settings,
      client,
      template: readFileSync(join(client, 'index.html'), 'utf8'),
      manifest: JSON.parse(readFileSync(join(client, '.vite/manifest.json'), 'utf8')) as Manifest,
      prerender,
    });
  }

  /**
   * Renders a page of the app, and its Content-Security-Policy; `page`: null for those that start empty; `named`: the language in
   * the address.
   */
  render(
    page: PrerenderedPage | null,
    language: Language,
    content: PageData,
    named: Language | null = null,
  ): { readonly html: string; readonly policy: string } {
    const chunks = this.#chunksOf(page, language);
    const data = page === null ? null : JSON.stringify({ language, serverTime: Date.now(), ...content });
    const styles = [...new Set(chunks.flatMap((chunk) => chunk.css ?? []))];
    const style = `${BOOT_STYLE}${styles.map((file) => this.#styleOf(file)).join('')}`;
    const head = [
      `<style>${style}</style>`,
      // Tells the code that loads views that these styles are present; a disabled stylesheet is not fetched.
      ...styles.map((file) => `<link rel="stylesheet" disabled href="/${file}">`),
      `<script>${BOOT_SCRIPT}</script>`,
      ...chunks.map((chunk) => `<link rel="modulepreload" href="/${chunk.file}">`),
    ].join('');
    const body = page === null ? '' : this.#prerender(page, language, content);
    const boot =
      data === null
        ? ''
        : `<script type="application/json" id="boot-data">${data.replaceAll('<', '\\u003c')}</script>`;
    const html = this.#titled(content.landing, named)
      .replace(/<link rel="stylesheet"[^>]*>/g, '')
      .replace(/<link rel="modulepreload"[^>]*>/g, '')
      .replace(/<script type="module"[^>]*><\/script>/g, '')
      .replace(
        `<html lang="${LANGUAGE_TAGS[DEFAULT_LANGUAGE]}"`,
        `<html lang="${LANGUAGE_TAGS[language]}" data-language="${language}" data-mode="${this.#mode}" data-feed="${this.#feed}" data-page="${page ?? ''}"${page === 'oneProduct' ? ` data-symbol="${escapeHtml(content.board[0]?.symbol ?? '')}"` : ''}`,
      )
      .replace('<!--boot-->', () => head)
      .replace('<!--prerendered-->', () => body)
      .replace(
        '</body>',
        () => `${boot}<script>${OLD_BROWSER_SCRIPT}</script><script>${this.#startScript}</script></body>`,
      );
    const scripts = [BOOT_SCRIPT, OLD_BROWSER_SCRIPT, this.#startScript];
    return {
      html,
      policy: pagePolicy({
        scripts,
        style,
        frames: this.#frames,
        asked: [...venuesOf(this.#feed), ...this.#frames],
      }),
    };
  }

  /** Gives the landing page a title and head tags in its reader's language, for search and sharing. */
  #titled(landing: Landing | null, named: Language | null): string {
    if (!landing) return this.#template;
    return this.#template
      .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(landing.title)} · Fairtick</title>`)
      .replace(/<meta name="description"[^>]*>/, () => landingHead(landing, this.#publicOrigin, named));
  }

  /** The chunks of the entry, the page's view and the language, with all that they import. */
  #chunksOf(page: PrerenderedPage | null, language: Language): ManifestChunk[] {
    const sources = [ENTRY, `src/messages/${language}.json`, ...(page === null ? [] : VIEW_SOURCES[page])];
    const found = new Map<string, ManifestChunk>();
    const visit = (source: string) => {
      if (found.has(source)) return;
      const chunk = this.#manifest[source];
      if (!chunk) throw new Error(`the built app has no ${source}`);
      found.set(source, chunk);
      for (const imported of chunk.imports ?? []) visit(imported);
    };
    for (const source of sources) visit(source);
    return [...found.values()];
  }

  #styleOf(file: string): string {
    let text = this.#styles.get(file);
    if (text === undefined) {
      text = readFileSync(join(this.#client, file), 'utf8');
      this.#styles.set(file, text);
    }
    return text;
  }
}

/** A visitor's language, from the cookie that the app keeps beside its local storage; null: none. */
export function cookieLanguage(cookie: string | undefined): Language | null {
  const value = cookie?.match(/(?:^|;\s*)language=(\w+)/)?.[1];
  return LANGUAGES.find((language) => language === value) ?? null;
}
