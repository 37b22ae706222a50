/** Filters a list by one of a few choices. */
export function Pills<Value extends string>(props: {
  label: string;
  values: readonly Value[];
  value: Value;
  nameOf: (value: Value) => string;
  onChange: (value: Value) => void;
}) {
  return (
    <fieldset className="flex wrap gap-6" aria-label={props.label}>
      {props.values.map((value) => (
        <Pill
          key={value}
          name={props.nameOf(value)}
          isOn={value === props.value}
          onPress={() => props.onChange(value)}
        />
      ))}
    </fieldset>
  );
}

/** A choice that is on or off. */
export function Pill({ name, isOn, onPress }: { name: string; isOn: boolean; onPress: () => void }) {
  return (
    <button type="button" className="pill" aria-pressed={isOn} onClick={onPress}>
      {name}
    </button>
  );
}
