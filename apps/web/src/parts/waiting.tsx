import { Skeleton } from '@fairtick/ui';

export function Waiting({ heights }: { heights: readonly number[] }) {
  return (
    <div className="stack gap-16 pt-16" aria-busy="true">
      {heights.map((height, at) => (
        <Skeleton key={at} width="100%" height={height} />
      ))}
    </div>
  );
}
