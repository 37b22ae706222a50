import { Skeleton } from '@fairtick/ui';

/** Placeholder of a page that loads, one block for each height. */
export function Waiting({ heights }: { heights: readonly number[] }) {
  return (
    <div className="stack gap-16 pt-16" aria-busy="true">
      {heights.map((height, at) => (
        <Skeleton key={at} width="100%" height={height} />
      ))}
    </div>
  );
}
