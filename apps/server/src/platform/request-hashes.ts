import { createHash } from 'node:crypto';

export function hashKey(idempotencyKey: string): Buffer {
  return createHash('sha256').update(idempotencyKey).digest();
}

/** Hash of a request's path and fields, independent of the fields' order; it tells a repeated request from another one. */
export function hashInput(path: string, fields: Readonly<Record<string, unknown>>): Buffer {
  const sorted = Object.keys(fields)
    .sort()
    .map((name) => [name, String(fields[name])]);
  return createHash('sha256')
    .update(JSON.stringify([path, sorted]))
    .digest();
}
