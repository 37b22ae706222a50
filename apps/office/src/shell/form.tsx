import { Button, DateInput, DownIcon, FaultIcon } from '@fairtick/ui';
import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from 'react';
import { RefusedError } from '../api/client.ts';
import { faultText } from '../api/fault-text.ts';
import { useText } from '../messages/text-context.tsx';
import css from './form.module.css';

/** The office's buttons: 40 px high, as its fields. One gold one for each case. */
export function Action({ className = '', ...rest }: ComponentProps<typeof Button>) {
  return <Button className={`${css.action} ${className}`} {...rest} />;
}

interface FieldProps {
  readonly label: string;
  readonly fault?: string | null | undefined;
  readonly hint?: string | undefined;
}

export function TextField({ label, fault, hint, ...rest }: FieldProps & ComponentProps<'input'>) {
  const missing = useMissing();
  const Control = rest.type === 'date' || rest.type === 'datetime-local' ? DateInput : 'input';
  return (
    <Labelled label={label} fault={missing.fault ?? fault} hint={hint}>
      {(ids) => <Control className={css.control} {...ids} {...rest} {...missing.watch} />}
    </Labelled>
  );
}

export function SelectField({ label, fault, hint, ...rest }: FieldProps & ComponentProps<'select'>) {
  const missing = useMissing();
  return (
    <Labelled label={label} fault={missing.fault ?? fault} hint={hint}>
      {(ids) => (
        <span className={css.select}>
          <select className={css.control} {...ids} {...rest} {...missing.watch} />
          <DownIcon size={18} />
        </span>
      )}
    </Labelled>
  );
}

/** A choice without a label above it, in a bar of tools: its look is the bar's, the arrow is ours. */
export function BarSelect(props: ComponentProps<'select'>) {
  return (
    <span className={css.bar}>
      <select {...props} />
      <DownIcon size={14} />
    </span>
  );
}

/** What the browser finds amiss is said at the field, as all faults are, and not in a bubble in the browser's language. */
function useMissing() {
  const { t } = useText();
  const [fault, setFault] = useState<string | null>(null);
  const onInvalid = (event: FormEvent<HTMLInputElement | HTMLSelectElement>) => {
    event.preventDefault();
    const field = event.currentTarget;
    setFault(field.validity.valueMissing ? t('form.required') : field.validationMessage);
    // The bubble would have brought the focus to the first one.
    if (field.form?.querySelector(':is(input, select):invalid') === field) field.focus();
  };
  return { fault, watch: { onInvalid, onInput: () => setFault(null) } };
}

interface Ids {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

function Labelled({ label, fault, hint, children }: FieldProps & { children: (ids: Ids) => ReactNode }) {
  const id = useId();
  const note = fault ?? hint;
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': note ? `${id}-note` : undefined,
        'aria-invalid': fault ? true : undefined,
      })}
      {fault ? (
        <p id={`${id}-note`} className={css.fault} role="alert">
          <FaultIcon size={16} />
          {fault}
        </p>
      ) : (
        hint && (
          <p id={`${id}-note`} className={css.hint}>
            {hint}
          </p>
        )
      )}
    </div>
  );
}

/**
 * A form's sending: once at a time, and what the server refuses is shown at its field, or above the button. What was typed
 * stays whatever happens.
 */
export function useSending() {
  const text = useText();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({});
  const send = async (work: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    setFault(null);
    setFields({});
    try {
      await work();
    } catch (error) {
      const own = error instanceof RefusedError ? error.fields : {};
      setFields(own);
      if (Object.keys(own).length === 0) setFault(faultText(error, text));
    } finally {
      setBusy(false);
    }
  };
  const onSubmit = (work: () => Promise<void>) => (event: FormEvent) => {
    event.preventDefault();
    void send(work);
  };
  return { isBusy, fault, fields, send, onSubmit };
}

export function FormFault({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p className={css.fault} role="alert">
      <FaultIcon size={16} />
      {text}
    </p>
  );
}

/** Tells a password manager whose password a form is about. */
export function UserName({ account }: { account: string }) {
  return <input type="text" name="username" autoComplete="username" value={account} readOnly hidden />;
}

export const formClass: string = css.form ?? '';
export const buttonsClass: string = css.buttons ?? '';
