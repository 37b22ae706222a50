import { Skeleton } from '@fairtick/ui';
import parts from './parts.module.css';

export function FormSkeleton() {
  return (
    <div className="page" aria-busy="true">
      <section className={parts.section}>
        <Skeleton width={96} />
        <div className="stack gap-12 mt-12">
          <Skeleton width="100%" height={52} />
          <Skeleton width="100%" height={144} />
        </div>
      </section>
      <section className={parts.section}>
        <Skeleton width={96} />
        <div className="mt-12">
          <Skeleton width="100%" height={52} />
        </div>
      </section>
    </div>
  );
}
