import { amountTyped, readDigits } from '@fairtick/money';
import type { ReactElement } from 'react';
import { LongField, SelectField, TextField, Tick, type useForm } from './form.tsx';
import { AmountField, AmountsField, amountsOf, DigitsField } from './number-fields.tsx';

const NUMBERS = { amount: AmountField, amounts: AmountsField, digits: DigitsField } as const;
/** How a typed text is sent. */
const READ: Readonly<Record<string, (typed: string) => string>> = {
  amount: (typed) => amountTyped(typed) ?? '',
  amounts: (typed) =>
    amountsOf(typed)
      .map((each) => amountTyped(each) ?? each)
      .join(','),
  digits: (typed) => readDigits(typed) ?? '',
  code: (typed) => typed.toUpperCase(),
};

/** A control of a form, for the value of its name. */
export interface Input {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** By default a text, or a choice where there are choices. */
  readonly kind?: keyof typeof NUMBERS | 'code' | 'date' | 'datetime-local' | 'long' | 'tick';
  readonly choices?: readonly string[];
  readonly nameOf?: (choice: string) => string;
  readonly none?: string;
  readonly isOptional?: boolean;
  readonly maxLength?: number;
  /** Shown, but not to be changed here. */
  readonly isFixed?: boolean;
  readonly min?: string;
  readonly spellCheck?: false;
  /** The name that the server's refusals have for it, if it is another. */
  readonly shown?: string;
}

/** Controls one below the other or in pairs, with other content between them; false: not shown now, and not sent. */
export type Inputs = readonly (Input | readonly Input[] | ReactElement | false)[];

export type Typed = Readonly<Record<string, string | boolean>>;
export type Body<Values> = { readonly [Name in keyof Values]: string };
type Form<Values extends Typed> = ReturnType<typeof useForm<Values>>;

const isInput = (one: Inputs[number]): one is Input => one !== false && 'label' in one;
const isPair = (one: Inputs[number]): one is readonly Input[] => Array.isArray(one);

/** What is typed as the server reads it. An optional value that is empty is not sent. */
export const bodyOf = <Values extends Typed>(inputs: Inputs, values: Values): Body<Values> =>
  Object.fromEntries(
    inputs
      .flat()
      .filter(isInput)
      .flatMap(({ name, kind = '', isOptional }) => {
        const typed = String(values[name]).trim();
        const read = READ[kind]?.(typed) ?? typed;
        return isOptional && read === '' ? [] : [[name, read]];
      }),
  ) as Body<Values>;

/** Draws the controls. */
export function Controls<Values extends Typed>({ inputs, form }: { inputs: Inputs; form: Form<Values> }) {
  const draw = (one: Input | ReactElement | false) =>
    isInput(one) ? <Control key={one.name} input={one} form={form} /> : one;
  return inputs.map((one) =>
    isPair(one) ? (
      <div key={one[0]?.name} className="halves gap-12">
        {one.map(draw)}
      </div>
    ) : (
      draw(one)
    ),
  );
}

function Control<Values extends Typed>({ input, form }: { input: Input; form: Form<Values> }) {
  const { name, kind, choices, nameOf, none, isOptional = false, isFixed, shown, ...rest } = input;
  if (kind === 'tick') {
    const change = (isOn: boolean) => form.set({ [name]: isOn } as Partial<Values>);
    return (
      <Tick
        label={rest.label}
        checked={form.values[name] === true}
        onChange={(event) => change(event.target.checked)}
      />
    );
  }
  const field = { ...rest, ...form.field(name as never, shown), required: !isOptional, disabled: isFixed };
  if (choices) return <SelectField {...field} choices={choices} nameOf={nameOf} none={none} />;
  if (kind === 'long') return <LongField {...field} rows={6} />;
  if (kind !== undefined && kind in NUMBERS) {
    const Field = NUMBERS[kind as keyof typeof NUMBERS];
    return <Field {...field} />;
  }
  return <TextField {...field} {...(kind?.startsWith('date') && { type: kind })} />;
}
