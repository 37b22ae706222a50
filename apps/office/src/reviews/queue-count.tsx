import { useQueue } from './queries.ts';
import type { ReviewKind } from './queue-model.ts';

/** How many cases wait; nothing while that is not known. */
export function QueueCount({ kind }: { kind: ReviewKind }) {
  const { data, cases, hasNextPage } = useQueue(kind, false);
  return data === undefined ? null : `${cases.length}${hasNextPage ? '+' : ''}`;
}
