import { RefusalError } from './context.ts';

/** Fields by name, each once. The object has no prototype, so that no field name is special. */
export type Fields = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws RefusalError for bytes that are not UTF-8 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed();
  }
}

/** Parses a query or an urlencoded form. @throws RefusalError for a repeated field or a broken encoding */
export function readForm(text: string): Fields {
  const fields: Record<string, unknown> = Object.create(null);
  for (const part of text.split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decode(at < 0 ? part : part.slice(0, at));
    if (name in fields) throw malformed();
    fields[name] = at < 0 ? '' : decode(part.slice(at + 1));
  }
  return fields;
}

/** Parses a JSON body: one flat object, or empty. @throws RefusalError for anything else */
export function readJson(text: string): Fields {
  const fields: Record<string, unknown> = Object.create(null);
  if (text === '') return fields;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed();
  for (const [name, field] of Object.entries(value)) {
    // Forms can't hold lists or objects, so JSON may not either: both formats are equivalent.
    if (typeof field === 'object' && field !== null) throw malformed();
    fields[name] = field;
  }
  if (countNames(text) !== Object.keys(fields).length) throw malformed();
  return fields;
}

/** Number of names in a flat JSON object, repeated ones included, because the parser keeps only the last of each. */
function countNames(text: string): number {
  let names = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) names += 1;
  return names;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed();
  }
}

const malformed = () => new RefusalError('MALFORMED_BODY');
