export interface PageFilter {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const DEFAULT_LIMIT = 20;

/** One page of rows, and the cursor of the next one. `read` is asked for one row more than the page has. */
export async function readPage<T extends { readonly id: string }>(
  { limit = DEFAULT_LIMIT }: PageFilter,
  read: (limit: number) => Promise<readonly T[]>,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const rows = await read(limit + 1);
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** An id in the form that this server issues; null for any other text. */
export function readId(text: string): number | null {
  if (!/^[1-9]\d{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}
