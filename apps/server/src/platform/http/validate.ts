import { type AnyErrorCode, isErrorCode, type Language, languageOf } from '@fairtick/protocol';
import type { z } from 'zod';
import { RefusalError } from './context.ts';
import type { Fields } from './form.ts';

const MAX_FAULTS = 10;
const MAX_NAME = 40;

/**
 * A refusal names each field at fault; its `error` is that of the first.
 * @returns the fields without `lang`, which the context has
 * @throws RefusalError
 */
export function validate(endpoint: { readonly input: z.ZodType }, fields: Fields): unknown {
  const unstorable = Object.keys(fields).filter((name) => !isStorable(fields[name]));
  const parsed = endpoint.input.safeParse(fields);
  if (parsed.success && unstorable.length === 0) {
    const { lang: _lang, ...input } = parsed.data as Readonly<Record<string, unknown>>;
    return input;
  }
  const faults = new Map<string, AnyErrorCode>(unstorable.map((name) => [name, 'INVALID_VALUE']));
  for (const issue of parsed.error?.issues ?? []) {
    for (const [field, code] of faultsOf(issue)) if (!faults.has(field)) faults.set(field, code);
  }
  const told = [...faults]
    .slice(0, MAX_FAULTS)
    .map(([field, code]) => [field.slice(0, MAX_NAME), code] as const);
  const [first] = told;
  const unknown = told.find(([, code]) => code === 'UNKNOWN_FIELD')?.[0];
  throw new RefusalError(first?.[1] ?? 'INVALID_VALUE', {
    fields: Object.fromEntries(told),
    parameters: unknown === undefined ? {} : { field: unknown },
  });
}

/** PostgreSQL's text can't hold NUL or lone surrogates, and no field needs them. */
function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'));
}

function faultsOf(issue: z.core.$ZodIssue): [string, AnyErrorCode][] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [key, 'UNKNOWN_FIELD']);
  const code = isErrorCode(issue.message) ? issue.message : 'INVALID_VALUE';
  return [[String(issue.path[0] ?? ''), code]];
}

export function requestLanguage(fields: Fields, header: unknown): Language {
  return languageOf(fields.lang ?? header);
}
