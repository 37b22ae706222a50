import { ERRORS, LANGUAGE_TAGS, LANGUAGES } from '@fairtick/protocol';
import {
  CONVENTIONS,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
} from '@fairtick/protocol/openapi';
import { Html, html } from './html.ts';
import { STYLE } from './style.ts';

export function docsPage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const page = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fairtick API</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header>${OCTAGON}<b>Fairtick</b><span>API</span><a href="/api/openapi.json">openapi.json</a></header>
<div class="page">
<nav aria-label="Contents">
<h2>General</h2>
<ul>${['Conventions', 'Stream', 'Objects', 'Errors'].map((name) => link(name.toLowerCase(), name))}</ul>
${groups.map((group) => html`<h2>${group.description}</h2><ul>${group.operations.map((entry) => link(entry.operation.operationId, entry.path))}</ul>`)}
</nav>
<main>
<h1>The API of Fairtick</h1>
<p>Made from the schemas that check every request. The same document, for machines: <a href="/api/openapi.json">openapi.json</a>, OpenAPI 3.1.</p>
<h2 id="conventions">Conventions</h2>
<ol>${CONVENTIONS.map((text) => html`<li>${text}</li>`)}</ol>
${groups.map((group) => html`<section><h2>${group.description}</h2>${group.operations.map((entry) => operationArticle(document, entry))}</section>`)}
<h2 id="stream">Stream</h2>
${streamSection(document['x-stream'])}
<h2 id="objects">Objects</h2>
${Object.entries(document.components.schemas)
  .filter(([name]) => !name.endsWith('Form'))
  .map(
    ([name, schema]) =>
      html`<article id="object-${name}"><h3>${name}</h3>${fieldTable(rowsOf(schema))}</article>`,
  )}
<h2 id="errors">Errors</h2>
${errorTable()}
</main>
</div>
</body>
</html>
`;
  return `<!doctype html>\n${page.text}`;
}

const OCTAGON = html`<svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.2" aria-hidden="true"><path d="M8.2 2h7.6L22 8.2v7.6L15.8 22H8.2L2 15.8V8.2z"/></svg>`;

const link = (id: string, text: string): Html => html`<li><a href="#${id}">${text}</a></li>`;

function operationArticle(
  document: OpenApiDocument,
  { path, method, operation }: { path: string; method: string; operation: Operation },
): Html {
  const isPublic = operation.security.some((scheme) => Object.keys(scheme).length === 0);
  const body = operation.requestBody?.content['application/x-www-form-urlencoded']?.schema;
  const form = body && resolve(document, body);
  const rows = [...parameterRows(operation), ...(form ? rowsOf(form) : [])];
  const done = envelopesOf(operation)[0]?.properties?.data;
  return html`<article id="${operation.operationId}">
<h3 class="line"><span class="method">${method}</span> <code>${path}</code> <span class="tag">${isPublic ? 'public' : 'session'}</span></h3>
<p>${operation.summary}</p>
${operation.description ? html`<p>${prose(operation.description)}</p>` : NOTHING}
${rows.length > 0 ? html`<h4>Fields</h4>${fieldTable(rows)}` : NOTHING}
${form ? html`<h4>Example</h4><pre tabindex="0">${exampleOf(path, form)}</pre>` : NOTHING}
${done ? html`<h4>Data</h4>${dataOf(done)}` : NOTHING}
${answersOf(operation)}
</article>`;
}

const NOTHING = html``;

const prose = (text: string): Html =>
  html`${text.split('`').map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;

interface Row {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly place: string;
}

function parameterRows(operation: Operation): Row[] {
  return (operation.parameters ?? []).map(({ name, in: place, required, description, schema }) => ({
    name,
    schema: { ...schema, ...(description === undefined ? {} : { description }) },
    isRequired: required === true,
    place,
  }));
}

/** The fields of an object, and those of the objects in it that have no name of their own, by their paths. */
function rowsOf({ properties = {}, required = [] }: JsonSchema, path = ''): Row[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${path}${key}`;
    return [{ name, schema, isRequired: required.includes(key), place: '' }, ...rowsWithin(schema, name)];
  });
}

function rowsWithin(schema: JsonSchema, name: string): Row[] {
  if (schema.properties) return rowsOf(schema, `${name}.`);
  if (schema.items) return rowsWithin(schema.items, `${name}[]`);
  return (schema.anyOf ?? []).flatMap((option) => rowsWithin(option, name));
}

function fieldTable(rows: readonly Row[]): Html {
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Where</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(
    ({ name, schema, isRequired, place }) => html`<tr>
<td class="mono">${name}</td>
<td>${typeOf(schema)}</td>
<td>${[isRequired ? '' : 'optional', place].filter(Boolean).join(', ')}</td>
<td class="text">${prose(schema.description ?? '')}</td>
</tr>`,
  )}</tbody>
</table></div>`;
}

function typeOf(schema: JsonSchema): Html {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) as string;
    return html`<a class="mono" href="#object-${name}">${name}</a>`;
  }
  if (schema.enum) return html`<code>${schema.enum.map((value) => String(value)).join(' | ')}</code>`;
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.anyOf) {
    return html`${schema.anyOf.map((option, place) => html`${place > 0 ? ' or ' : ''}${typeOf(option)}`)}`;
  }
  if (schema.items) return html`list of ${typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === 'object')
    return html`object, each value ${typeOf(schema.additionalProperties as JsonSchema)}`;
  const bounds = boundsOf(schema);
  return html`${schema.type ?? 'anything'}${bounds ? html` <code>${bounds}</code>` : NOTHING}`;
}

function boundsOf(schema: JsonSchema): string {
  const { pattern, minimum, maximum, minLength, maxLength } = schema as Record<string, unknown>;
  const length = maxLength === undefined ? '' : `${minLength ?? 0}–${maxLength} characters`;
  const range = minimum === undefined && maximum === undefined ? '' : `${minimum ?? ''}…${maximum ?? ''}`;
  return [pattern, length, range].filter(Boolean).join(' ');
}

function dataOf(schema: JsonSchema): Html {
  if (schema.properties) return fieldTable(rowsOf(schema));
  const rows = rowsWithin(schema, '');
  return html`<p>${typeOf(schema)}</p>${rows.length > 0 ? fieldTable(rows) : NOTHING}`;
}

function envelopesOf(operation: Operation): readonly JsonSchema[] {
  const answer = operation.responses[200] as
    | { content?: { 'application/json'?: { schema?: { oneOf?: readonly JsonSchema[] } } } }
    | undefined;
  return answer?.content?.['application/json']?.schema?.oneOf ?? [];
}

/** The refusals of an operation by code, or, for one without an envelope, its answers by status. */
function answersOf(operation: Operation): Html {
  const refused = envelopesOf(operation)[1]?.properties?.error?.enum;
  if (!refused) {
    const rows = Object.entries(operation.responses) as [string, { description: string }][];
    return html`<h4>Answers</h4><ul class="plain">${rows.map(([status, { description }]) => html`<li>${status}: ${description}</li>`)}</ul>`;
  }
  const others = Object.values(operation.responses).flatMap((response) => {
    const { $ref } = response as { $ref?: string };
    return $ref ? [$ref.split('/').at(-1) as string] : [];
  });
  const codes = [...(refused as string[]), ...others];
  return html`<h4>Refusals</h4><ul class="codes">${codes.map((code) => html`<li><a href="#error-${code}">${code}</a></li>`)}</ul>`;
}

function exampleOf(path: string, { properties = {}, required = [] }: JsonSchema): string {
  const fields = Object.entries(properties)
    .filter(([name]) => required.includes(name) || name === 'lang')
    .map(
      ([name, schema]) => `${name}=${encodeURIComponent(String(schema.example ?? schema.enum?.[0] ?? ''))}`,
    );
  return `POST ${path}\ncontent-type: application/x-www-form-urlencoded\n\n${fields.join('&')}`;
}

function resolve(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  if (!schema.$ref) return schema;
  return document.components.schemas[schema.$ref.split('/').at(-1) as string] ?? schema;
}

function streamSection({ path, conventions, topics }: OpenApiDocument['x-stream']): Html {
  return html`<article>
<h3 class="line"><span class="method">WebSocket</span> <code>${path}</code></h3>
<ul class="plain">${conventions.map((text) => html`<li>${text}</li>`)}</ul>
<h4>Topics</h4>
<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Topic</th><th scope="col">For</th><th scope="col">Snapshot</th><th scope="col">Change</th><th scope="col">Meaning</th></tr></thead>
<tbody>${topics.map(
    ({ topic, access, snapshot, change, summary }) => html`<tr>
<td class="mono">${topic}</td><td>${access}</td><td>${nameOf(snapshot)}</td><td>${nameOf(change)}</td><td class="text">${summary}</td>
</tr>`,
  )}</tbody>
</table></div>
</article>`;
}

function nameOf(schema: JsonSchema): Html {
  if (schema.items) return html`list of ${nameOf(schema.items)}`;
  if (schema.properties) return html`<code>{${Object.keys(schema.properties).join(', ')}}</code>`;
  return typeOf(schema);
}

function errorTable(): Html {
  return html`<article><div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Code</th><th scope="col">HTTP</th>${LANGUAGES.map((language) => html`<th scope="col">${language}</th>`)}</tr></thead>
<tbody>${Object.entries(ERRORS).map(
    ([code, entry]) => html`<tr id="error-${code}">
<td class="mono">${code}</td><td>${entry.http}</td>${LANGUAGES.map((language) => html`<td class="text" lang="${LANGUAGE_TAGS[language]}">${entry[language]}</td>`)}
</tr>`,
  )}</tbody>
</table></div></article>`;
}
