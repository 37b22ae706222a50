import { groupsOf } from './address-groups.ts';
import css from './destinations.module.css';

/** An address in groups of four; read aloud in one piece. */
export function Groups({ address }: { address: string }) {
  const groups = groupsOf(address).map((text, at) => ({ text, key: `${at}` }));
  return (
    <span className={css.groups} translate="no">
      <span className="sr">{address}</span>
      {groups.map(({ text, key }) => (
        <span key={key} aria-hidden="true">
          {text}
        </span>
      ))}
    </span>
  );
}
