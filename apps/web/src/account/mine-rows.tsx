import { DownIcon, ForwardIcon } from '@fairtick/ui';
import { type ReactNode, useId } from 'react';
import { Link } from '../shell/link.tsx';
import css from './account.module.css';
import own from './mine.module.css';

export function Group({ name, children }: { name: string; children: ReactNode }) {
  const id = useId();
  return (
    <nav aria-labelledby={id}>
      <h2 id={id} className={own.groupName}>
        {name}
      </h2>
      <div className="card lined mt-20 clip">{children}</div>
    </nav>
  );
}

interface RowProps {
  readonly icon?: ReactNode;
  readonly label: string;
  readonly value?: string | undefined;
  readonly isMarked?: boolean;
}

const Inside = ({ icon, label, value, isMarked = false, end }: RowProps & { end: ReactNode }) => (
  <>
    {icon && <i className="ink-2">{icon}</i>}
    <span className="fill">{label}</span>
    <span data-marked={isMarked || undefined} className={own.value}>
      {value}
      {end}
    </span>
  </>
);

export function Fold({ children, ...row }: RowProps & { children: ReactNode }) {
  return (
    <details className={`lined ${own.fold}`}>
      <summary className={css.item}>
        <Inside {...row} end={<DownIcon size={16} />} />
      </summary>
      <div className={`lined ${own.folded}`}>{children}</div>
    </details>
  );
}

export function Item(
  props: RowProps & {
    href?: string;
    onClick?: () => void;
  },
) {
  const { href, onClick, ...row } = props;
  const inside = <Inside {...row} end={<ForwardIcon size={16} />} />;
  return href ? (
    <Link href={href} className={css.item}>
      {inside}
    </Link>
  ) : (
    <button type="button" className={css.item} onClick={onClick}>
      {inside}
    </button>
  );
}
