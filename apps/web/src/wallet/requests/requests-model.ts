import { statusesOf } from '@fairtick/protocol/lifecycles';
import type { Request } from '../parts/requests.ts';

type TypeFilter = 'all' | Request['kind'];
type StatusFilter = 'all' | Request['status'];

export interface RequestFilter {
  readonly type: TypeFilter;
  readonly status: StatusFilter;
}

const TYPES: readonly TypeFilter[] = ['all', 'deposit', 'withdrawal'];
export const STATUSES: readonly StatusFilter[] = ['all', ...statusesOf('deposit')];

/** The filter in an address; a missing or unknown part means everything. */
export function readFilter(search: string): RequestFilter {
  const query = new URLSearchParams(search);
  return {
    type: TYPES.find((type) => type === query.get('type')) ?? 'all',
    status: STATUSES.find((status) => status === query.get('status')) ?? 'all',
  };
}

export function addressOf({ type, status }: RequestFilter): string {
  const query = new URLSearchParams();
  if (type !== 'all') query.set('type', type);
  if (status !== 'all') query.set('status', status);
  const text = query.toString();
  return text === '' ? '/accessLog' : `/accessLog?${text}`;
}

/** The request that an address names; null where it names none. */
export function readDetail(search: string): { kind: Request['kind']; id: string } | null {
  const query = new URLSearchParams(search);
  for (const kind of ['deposit', 'withdrawal'] as const) {
    const id = query.get(kind);
    if (id) return { kind, id };
  }
  return null;
}

export interface Part {
  readonly items: readonly Request[];
  readonly hasMore: boolean;
}

/**
 * Merges deposits and withdrawals, newest first. Leaves out requests older than the end of a list that has more pages, because
 * its unread requests may belong before them.
 */
export function merge(parts: readonly Part[]): Request[] {
  const horizon = Math.max(
    ...parts.map(({ items, hasMore }) =>
      hasMore ? (items.at(-1)?.submittedAt ?? Number.POSITIVE_INFINITY) : Number.NEGATIVE_INFINITY,
    ),
  );
  return parts
    .flatMap(({ items }) => items)
    .filter(({ submittedAt }) => submittedAt >= horizon)
    .sort((a, b) => b.submittedAt - a.submittedAt || Number(b.id) - Number(a.id));
}
