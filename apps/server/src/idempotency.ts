import { createHash } from 'node:crypto';

/** What is stored of an Idempotency-Key. */
export function hashKey(idempotencyKey: string): Buffer {
  return createHash('sha256').update(idempotencyKey).digest();
}

/** Tells two requests apart: the same for the same path and fields, in whatever order the fields came. */
export function hashInput(path: string, fields: Readonly<Record<string, unknown>>): Buffer {
  const sorted = Object.keys(fields)
    .sort()
    .map((name) => [name, String(fields[name])]);
  return createHash('sha256')
    .update(JSON.stringify([path, sorted]))
    .digest();
}
