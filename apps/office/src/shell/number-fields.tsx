import { amountTyped, readAmount, readDigits } from '@fairtick/money';
import { type ComponentProps, useId } from 'react';
import { useText } from '../messages/text-context.tsx';
import { grouped } from '../state/amounts.ts';
import css from './form.module.css';
import { TextField } from './form.tsx';

type T = ReturnType<typeof useText>['t'];

/** Why a text is no number for the field; null if it is one, or nothing yet. */
function numberFault(t: T, text: string, isWhole: boolean): string | null {
  const read = readAmount(text, { isWhole });
  if ('value' in read || read.fault === 'empty') return null;
  if (read.fault !== 'ambiguous') return t(isWhole ? 'form.noWhole' : 'form.noAmount');
  const [decimal, whole] = read.readings;
  return t('form.ambiguous', { decimal, whole });
}

/** The amounts of a list. A comma without a space may be a decimal one, so it separates nothing. */
export const amountsOf = (text: string): string[] =>
  text
    .split(/[;；、]|[,，]\s+/)
    .map((typed) => typed.trim())
    .filter((typed) => typed !== '');

/** A list of amounts as people type it; `amountsOf` splits it. */
export function AmountsField({ hint, fault, ...rest }: ComponentProps<typeof TextField> & { value: string }) {
  const { t } = useText();
  const amounts = amountsOf(rest.value);
  const own = amounts.some((typed) => /[,，\s]/.test(typed))
    ? (hint ?? null)
    : (amounts.map((typed) => numberFault(t, typed, false)).find((each) => each !== null) ?? null);
  return <TextField autoComplete="off" {...rest} ref={refusing(own)} hint={hint} fault={own ?? fault} />;
}

/** Lets the browser refuse the form for it, as it does for a required field. */
const refusing = (fault: string | null) => (input: HTMLInputElement | null) =>
  input?.setCustomValidity(fault ?? '');

type NumberFieldProps = ComponentProps<typeof TextField> & { value: string; isWhole?: boolean };

/** An amount, a rate or a count as people type it; `amountTyped` reads it, and the hint shows what was read where it is written otherwise. */
export function AmountField({ isWhole = false, fault, hint, ...rest }: NumberFieldProps) {
  const { t } = useText();
  const own = numberFault(t, rest.value, isWhole);
  const value = amountTyped(rest.value, { isWhole });
  const read = value === null ? '' : grouped(value);
  const mirrored = read === '' || read === rest.value.trim() ? undefined : `= ${read}`;
  return (
    <TextField
      {...rest}
      ref={refusing(own)}
      inputMode={isWhole ? 'numeric' : 'decimal'}
      autoComplete="off"
      hint={[mirrored, hint].filter((part) => part !== undefined).join(' · ') || undefined}
      fault={own ?? fault}
    />
  );
}

/** A number that only names something, such as a customer or a code; `readDigits` reads it. */
export function DigitsField({ fault, ...rest }: ComponentProps<typeof TextField> & { value: string }) {
  const { t } = useText();
  const own = readDigits(rest.value) === null ? t('form.noDigits') : null;
  return (
    <TextField inputMode="numeric" autoComplete="off" {...rest} ref={refusing(own)} fault={own ?? fault} />
  );
}

/** A number's field in a cell of a table, whose head shows its label. `was` tells that the value is changed, and from what. */
export function CellField(
  props: {
    label: string;
    unit?: string;
    was?: string;
    value: string;
    isWhole?: boolean;
  } & ComponentProps<'input'>,
) {
  const { t } = useText();
  const { label, unit, was, isWhole = false, ...rest } = props;
  const id = useId();
  const fault = numberFault(t, rest.value, isWhole);
  const note = fault ?? was;
  return (
    <span className={css.cell} data-changed={was === undefined ? undefined : ''}>
      <input
        className={`framed ${css.control}`}
        aria-label={label}
        aria-describedby={note === undefined ? undefined : id}
        aria-invalid={fault === null ? undefined : true}
        inputMode={isWhole ? 'numeric' : 'decimal'}
        ref={refusing(fault)}
        {...rest}
      />
      <span aria-hidden="true">{unit}</span>
      <small id={id} data-fault={fault === null ? undefined : ''} role={fault === null ? undefined : 'alert'}>
        {note}
      </small>
    </span>
  );
}
