import css from './parts.module.css';

export interface Stage {
  readonly name: string;
  readonly note: string;
  /** `done` is completed, `now` is current, `ahead` is still to come. */
  readonly state: 'done' | 'now' | 'ahead';
}

export function Stages({ label, stages }: { label: string; stages: readonly Stage[] }) {
  return (
    <ol className={css.stages} aria-label={label} data-count={stages.length}>
      {stages.map((stage) => (
        <li
          key={stage.name}
          data-state={stage.state}
          aria-current={stage.state === 'now' ? 'step' : undefined}
        >
          <b>{stage.name}</b>
          <span>{stage.note}</span>
        </li>
      ))}
    </ol>
  );
}
