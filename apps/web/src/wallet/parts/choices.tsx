import { FaultNote, RadioOption } from '@fairtick/ui';
import css from './parts.module.css';

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly note: string;
}

export function Choices(props: {
  label: string;
  name: string;
  value: string | null;
  options: readonly Option[];
  fault?: string | null;
  onChange: (value: string) => void;
}) {
  const faultId = `${props.name}-fault`;
  return (
    <fieldset
      className={css.choices}
      data-count={props.options.length}
      aria-describedby={props.fault ? faultId : undefined}
    >
      <legend className="sr">{props.label}</legend>
      {props.options.map((option) => (
        <RadioOption
          key={option.value}
          className={`option min-0 ${css.choice}`}
          name={props.name}
          value={option.value}
          isChecked={option.value === props.value}
          isInvalid={Boolean(props.fault)}
          onChange={() => props.onChange(option.value)}
        >
          <b>{option.label}</b>
          <span>{option.note}</span>
        </RadioOption>
      ))}
      {props.fault && <FaultNote id={faultId}>{props.fault}</FaultNote>}
    </fieldset>
  );
}
