import { RefusalError } from './http/context.ts';

/** Rows are read with one more than `limit`. */
export function pageOf<T extends { id: string }>(
  items: T[],
  limit: number,
): { items: T[]; nextCursor: string | null } {
  if (items.length <= limit) return { items, nextCursor: null };
  const page = items.slice(0, limit);
  return { items: page, nextCursor: page.at(-1)?.id ?? null };
}

/** @throws RefusalError for a cursor that this server did not issue */
export function readCursor(cursor: string): number {
  const id = readId(cursor);
  if (id === null) throw new RefusalError('INVALID_CURSOR', { fields: { cursor: 'INVALID_CURSOR' } });
  return id;
}

/** An id in the form that this server issues; null for any other text. */
export function readId(text: string): number | null {
  if (!/^[1-9]\d{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}
