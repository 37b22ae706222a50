import { LANGUAGE_TAGS, LANGUAGES, type Landing, type Language } from '@fairtick/protocol';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);

const landingAddress = (origin: string, named: Language | null) =>
  named === null ? `${origin}/home` : `${origin}/home?lang=${named}`;

/** A page that named another canonical address than its own would not be indexed. @param named the language of the address */
export function landingHead(landing: Landing, origin: string, named: Language | null): string {
  const { title, description, language } = landing;
  const own = landingAddress(origin, named);
  const meta = (kind: 'name' | 'property', name: string, content: string) =>
    `<meta ${kind}="${name}" content="${escapeHtml(content)}">`;
  const link = (rel: string, href: string, more = '') =>
    `<link rel="${rel}"${more} href="${escapeHtml(href)}">`;
  return [
    meta('name', 'description', description),
    link('canonical', own),
    ...LANGUAGES.map((one) =>
      link('alternate', landingAddress(origin, one), ` hreflang="${LANGUAGE_TAGS[one]}"`),
    ),
    link('alternate', landingAddress(origin, null), ' hreflang="x-default"'),
    meta('property', 'og:type', 'website'),
    meta('property', 'og:site_name', 'Fairtick'),
    meta('property', 'og:title', title),
    meta('property', 'og:description', description),
    meta('property', 'og:url', own),
    meta('property', 'og:locale', LANGUAGE_TAGS[language].replace('-', '_')),
    meta('property', 'og:image', `${origin}/share.png`),
    meta('name', 'twitter:card', 'summary_large_image'),
  ].join('');
}

export function sitemap(origin: string): string {
  const addresses = [null, ...LANGUAGES] as const;
  const alternates = addresses
    .map(
      (one) =>
        `<xhtml:link rel="alternate" hreflang="${one === null ? 'x-default' : LANGUAGE_TAGS[one]}" href="${escapeHtml(landingAddress(origin, one))}"/>`,
    )
    .join('');
  const landings = addresses.map(
    (one) => `<url><loc>${escapeHtml(landingAddress(origin, one))}</loc>${alternates}</url>`,
  );
  const others = ['/index', '/product'].map((path) => `<url><loc>${escapeHtml(origin + path)}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">${[...landings, ...others].join('')}</urlset>`;
}

export const robots = (origin: string): string =>
  `User-agent: *\nAllow: /home\nAllow: /index\nAllow: /product\nAllow: /assets/\nDisallow: /api/\nSitemap: ${origin}/sitemap.xml\n`;

/** `security.txt` (RFC 9116): where faults of security are reported. It has to name an end within a year. */
export const securityContact = (email: string, origin: string, nowMs: number) =>
  [
    `Contact: mailto:${email}`,
    `Expires: ${new Date(nowMs + SECURITY_TXT_MS).toISOString()}`,
    'Preferred-Languages: zh, en',
    `Canonical: ${origin}/.well-known/security.txt`,
    '',
  ].join('\n');
const SECURITY_TXT_MS = 180 * 24 * 3_600_000;
