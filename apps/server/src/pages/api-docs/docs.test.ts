import { createHash } from 'node:crypto';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { ERRORS, endpoints, LANGUAGE_TAGS, LANGUAGES, topics } from '@fairtick/protocol';
import { openApiDocument } from '@fairtick/protocol/openapi';
import { describe, expect, test } from 'vitest';
import { html } from './html.ts';

const db = ownDatabase();
const api = ownApi(db);

describe('the API’s description', () => {
  test('for machines equals the document made from the schemas', async () => {
    const response = await fetch(`${api.origin}/api/openapi.json`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  test('for people lists every operation, topic and error, the errors in three languages', async () => {
    const page = await (await fetch(`${api.origin}/api/docs`)).text();
    for (const [name, endpoint] of Object.entries(endpoints)) {
      expect(page).toContain(`<article id="${name}">`);
      expect(page).toContain(`<code>/api/${endpoint.path}</code>`);
    }
    for (const { topic } of Object.values(topics)) expect(page).toContain(`>${topic}</td>`);
    for (const [code, entry] of Object.entries(ERRORS)) {
      expect(page).toContain(`<tr id="error-${code}">`);
      for (const language of LANGUAGES) {
        expect(page).toContain(`lang="${LANGUAGE_TAGS[language]}">${html`${entry[language]}`.text}</td>`);
      }
    }
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(targets.length).toBeGreaterThan(100);
    for (const target of new Set(targets)) expect(page).toContain(`id="${target}"`);
  });

  test('for people shows the fields of every object in an answer', async () => {
    const page = await (await fetch(`${api.origin}/api/docs`)).text();
    const rows = [...page.matchAll(/<td class="mono">([^<]*)<\/td>\n<td>(.*?)<\/td>/g)];
    const objects = rows.flatMap(([, name, type], at) =>
      /^(list of )*object$/.test(type ?? '') ? [[name, rows[at + 1]?.[1]] as const] : [],
    );
    expect(objects.length).toBeGreaterThan(20);
    for (const [name = '', next = ''] of objects)
      expect(next).toSatisfy((field: string) => field.replace(name, '').replaceAll('[]', '').startsWith('.'));
  });

  test('as a page runs nothing and fetches nothing, and its policy allows only its own style, by hash', async () => {
    const response = await fetch(`${api.origin}/api/docs`);
    const page = await response.text();
    const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] as string;
    const hash = createHash('sha256').update(style).digest('base64');
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page).not.toMatch(/<script|\son\w+=|\sstyle=|javascript:|https?:\/\/|<link|<img|<iframe/i);
  });

  test('escapes the texts of the schemas', () => {
    const name = `<img src=x onerror="alert('1')">&`;
    expect(html`<td title="${name}">${name}</td>`.text).toBe(
      '<td title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;">&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</td>',
    );
  });
});
