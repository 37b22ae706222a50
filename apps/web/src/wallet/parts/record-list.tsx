import { Empty, FileIcon, Skeleton } from '@fairtick/ui';
import { groupBy } from '@fairtick/ui/group-by';
import type { ReactNode } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { formatDay } from '../../state/format.ts';
import css from './records.module.css';

export function RecordsByDay<T extends { readonly id: string }>(props: {
  records: readonly T[];
  timeOf: (record: T) => number;
  keyOf?: (record: T) => string;
  children: (record: T) => ReactNode;
}) {
  const { tag } = useText();
  const days = groupBy(props.records, (record) => formatDay(props.timeOf(record), tag));
  const keyOf = props.keyOf ?? (({ id }: T) => id);
  return [...days].map(([day, ofDay]) => (
    <section key={day}>
      <h2 className={`text-12 ink-3 ${css.day}`}>{day}</h2>
      <ul className="lined">
        {ofDay.map((record) => (
          <li key={keyOf(record)}>{props.children(record)}</li>
        ))}
      </ul>
    </section>
  ));
}

const SKELETONS = 8;

export function RecordSkeletons() {
  return (
    <div className={`stack gap-10 ${css.skeletons}`} aria-busy="true">
      {Array.from({ length: SKELETONS }, (_, at) => (
        <Skeleton key={at} width="100%" height={46} />
      ))}
    </div>
  );
}

export function NoRecords({ title, hint }: { title: string; hint: string }) {
  return (
    <Empty icon={<FileIcon size={28} />} title={title}>
      {hint}
    </Empty>
  );
}
