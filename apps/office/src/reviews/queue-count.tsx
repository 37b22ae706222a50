import { useQueue } from './queries.ts';
import type { ReviewKind } from './queue-model.ts';

/** The number of waiting cases; empty while unknown. */
export function QueueCount({ kind }: { kind: ReviewKind }) {
  const { data, cases, hasNextPage } = useQueue(kind, false);
  return data === undefined ? null : `${cases.length}${hasNextPage ? '+' : ''}`;
}
