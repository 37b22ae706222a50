import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RECORD_VENUES } from '@fairtick/proof';
import {
  type Candle,
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
 * product than the address names, as the offline cache may have, and a chart with other settings than those of a first visit.
 */
const BOOT_SCRIPT = `(function(){try{var s=localStorage,r=document.documentElement,d=s.getItem('dark'),q=location.pathname==='/home'&&/[?&]lang=(${LANGUAGES.join('|')})(&|$)/.exec(location.search);if(q)s.setItem('language',q[1]);var l=s.getItem('language');if(d===null?matchMedia('(prefers-color-scheme: dark)').matches:d==='true')r.classList.add('dark');r.dataset.updown=s.getItem('updown')||(${JSON.stringify(RISING_COLOURS)}[l||r.dataset.language]||'red');if(s.getItem('token')&&s.getItem('userInfo'))r.classList.add('member');if(l&&l!==r.dataset.language||location.pathname==='/product'&&(new URLSearchParams(location.search).get('symbol')||'')!==(r.dataset.symbol||''))r.classList.add('other-page');var c=s.getItem('chart');if(c&&!/"period":"1m","style":"candles".*"studies":\\[\\]/.test(c))r.classList.add('other-chart')}catch(e){}})()`;

/**
 * Shows the visitor's or the member's half of a prerendered page, hides a marked page or chart, a product on screens that show more beside it,
 * and of the mark of demo mode what is not so.
 */
const BOOT_STYLE = `.member .for-visitor,:root:not(.member) .for-member{display:none}.other-page #app,[data-kept=other] #app,.other-chart [data-first-chart]{visibility:hidden}@media(min-width:48em){[data-page=product] #app main{visibility:hidden}}@media(min-width:35em){[data-symbol] #app [data-view]{visibility:hidden}}[data-mode=live] [data-demo],[data-feed=live] [data-feeds=made],:root:not([data-feed=live]) [data-feeds=live]{display:none!important}`;

/**
 * Starts the app after the first paint, so that prices are readable before any of its code runs. A page that is not painted starts after 500 ms.
 * A failed import is retried every second. An old browser ignores the script.
 */
const startScript = (entry: string) =>
  `(function(){if(document.documentElement.hasAttribute('data-old'))return;var d=0;function l(){import('/${entry}').catch(function(){setTimeout(l,1e3)})}function s(){if(!d){d=1;l()}}requestAnimationFrame(function(){setTimeout(s)});setTimeout(s,500)})()`;

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

/** The exchanges that a customer's browser asks for the records of a receipt; none where prices are not theirs. */
const venuesOf = (feed: string): readonly string[] =>
  feed === 'live' ? RECORD_VENUES.map(({ origin }) => origin) : [];

/** No string becomes markup or a script but through `trusted-types.ts`. Prerendered elements have style attributes. */
function pagePolicy({
  scripts,
  style,
  frames,
  asked,
}: Readonly<Record<'scripts' | 'frames' | 'asked', readonly string[]>> & { readonly style: string }): string {
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
export interface PageData {
  /** The rows of all products, or of the one that the page is for; empty for a page that starts empty. */
  readonly board: readonly { readonly symbol: string }[];
  /** The newest minutes of the product that the page is for. */
  readonly candles: readonly Candle[];
  readonly landing: Landing | null;
}
type Prerender = (page: PrerenderedPage, language: Language, data: PageData) => string;

interface ManifestChunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}
type Manifest = Readonly<Record<string, ManifestChunk>>;

const VIEW_SOURCES: Readonly<Record<PrerenderedPage, readonly string[]>> = {
  index: ['src/trade/market/index-page.tsx'],
  product: ['src/trade/product-page.tsx'],
  oneProduct: ['src/trade/product-page.tsx', 'src/trade/product-screen.tsx'],
  home: ['src/landing/landing-page.tsx'],
};
const ENTRY = 'index.html';

interface PageSettings {
  /** Origins whose pages may be embedded in ours. */
  readonly frames: readonly string[];
  readonly publicOrigin: string;
  readonly mode: 'demo' | 'live';
  readonly feed: string;
}

interface PageParts extends PageSettings {
  readonly client: string;
  readonly template: string;
  readonly manifest: Manifest;
  readonly prerender: Prerender;
}

export class AppPages {
  readonly #parts: PageParts;
  readonly #startScript: string;
  readonly #styles = new Map<string, string>();

  private constructor(parts: PageParts) {
    this.#parts = parts;
    const entry = parts.manifest[ENTRY];
    if (!entry) throw new Error('the built app has no entry');
    for (const page of Object.keys(VIEW_SOURCES) as PrerenderedPage[])
      for (const language of LANGUAGES) this.#chunksOf(page, language);
    this.#startScript = startScript(entry.file);
  }

  static async load(dist: string, settings: PageSettings): Promise<AppPages> {
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

  /** @param page null for those that start empty @param named the language in the address */
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
    const body = page === null ? '' : this.#parts.prerender(page, language, content);
    const boot =
      data === null
        ? ''
        : `<script type="application/json" id="boot-data">${data.replaceAll('<', '\\u003c')}</script>`;
    const html = this.#titled(content.landing, named)
      .replace(/<link rel="(stylesheet|modulepreload)"[^>]*>|<script type="module"[^>]*><\/script>/g, '')
      .replace(
        `<html lang="${LANGUAGE_TAGS[DEFAULT_LANGUAGE]}"`,
        `<html lang="${LANGUAGE_TAGS[language]}" data-language="${language}" data-mode="${this.#parts.mode}" data-feed="${this.#parts.feed}" data-page="${page ?? ''}"${page === 'oneProduct' ? ` data-symbol="${escapeHtml(content.board[0]?.symbol ?? '')}"` : ''}`,
      )
      .replace('<!--boot-->', () => head)
      .replace('<!--prerendered-->', () => body)
      .replace(
        '</body>',
        () => `${boot}<script>${OLD_BROWSER_SCRIPT}</script><script>${this.#startScript}</script></body>`,
      );
    const scripts = [BOOT_SCRIPT, OLD_BROWSER_SCRIPT, this.#startScript];
    const { frames, feed } = this.#parts;
    return { html, policy: pagePolicy({ scripts, style, frames, asked: [...venuesOf(feed), ...frames] }) };
  }

  #titled(landing: Landing | null, named: Language | null): string {
    if (!landing) return this.#parts.template;
    return this.#parts.template
      .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(landing.title)} · Fairtick</title>`)
      .replace(/<meta name="description"[^>]*>/, () => landingHead(landing, this.#parts.publicOrigin, named));
  }

  #chunksOf(page: PrerenderedPage | null, language: Language): ManifestChunk[] {
    const sources = [ENTRY, `src/messages/${language}.json`, ...(page === null ? [] : VIEW_SOURCES[page])];
    const found = new Map<string, ManifestChunk>();
    const visit = (source: string) => {
      if (found.has(source)) return;
      const chunk = this.#parts.manifest[source];
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
      text = readFileSync(join(this.#parts.client, file), 'utf8');
      this.#styles.set(file, text);
    }
    return text;
  }
}

export function cookieLanguage(cookie: string | undefined): Language | null {
  const value = cookie?.match(/(?:^|;\s*)language=(\w+)/)?.[1];
  return LANGUAGES.find((language) => language === value) ?? null;
}
