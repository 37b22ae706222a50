import { Button, DateInput, DownIcon, FaultNote } from '@fairtick/ui';
import { lengthOf } from '@fairtick/ui/text-length';
import { type FormOptions, type TextName, useForm as useFormWith } from '@fairtick/ui/use-form';
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { faultText } from '../api/fault-text.ts';
import { useText } from '../messages/text-context.tsx';
import { forgetDraft, keepDraft, readDraft } from '../state/drafts.ts';
import { useToast } from '../state/toast.ts';
import css from './form.module.css';

/** The office's buttons: 40 px high, as its fields. Each case has one gold button; what refuses or stops is in the error colour. */
export function Action({
  className = '',
  isRefusal = false,
  ...rest
}: ComponentProps<typeof Button> & { isRefusal?: boolean }) {
  return (
    <Button
      className={`${css.action} ${className}`}
      data-refusal={isRefusal ? '' : undefined}
      {...(isRefusal ? { decides: true } : {})}
      {...rest}
    />
  );
}

interface FieldProps {
  readonly label: string;
  readonly fault?: string | null | undefined;
  readonly hint?: string | undefined;
}

export function TextField({ label, fault, hint, maxLength, ...rest }: FieldProps & ComponentProps<'input'>) {
  const missing = useMissing();
  const length = useLength(String(rest.value ?? ''), maxLength);
  const Control = rest.type === 'date' || rest.type === 'datetime-local' ? DateInput : 'input';
  return (
    <Labelled
      label={label}
      fault={missing.fault ?? length.fault ?? fault}
      hint={length.count === null ? hint : [length.count, hint].filter(Boolean).join(' · ')}
    >
      {(ids) => (
        <Control className={`framed ${css.control}`} {...ids} {...rest} {...length.mark} {...missing.watch} />
      )}
    </Labelled>
  );
}

/** The length of a text that is being typed, and the fault of one that is too long. */
function useLength(text: string, most = Number.POSITIVE_INFINITY) {
  const { t } = useText();
  const { isOver, ...length } = lengthOf(text, most);
  return { ...length, fault: isOver ? `${t('form.tooLong', { most })} (${length.count})` : null };
}

/** A control for a text of several lines, with its length below. */
export function LongText({
  maxLength,
  ...rest
}: ComponentProps<'textarea'> & { value: string; maxLength?: number }) {
  const length = useLength(rest.value, maxLength);
  return (
    <>
      <textarea
        className="framed"
        {...rest}
        {...length.mark}
        aria-invalid={length.fault === null ? rest['aria-invalid'] : true}
      />
      {length.count !== null && (
        <p className="caption" role="status">
          {length.fault ?? length.count}
        </p>
      )}
    </>
  );
}

interface Choices {
  readonly choices: readonly string[];
  /** The name of a choice; by default the choice itself. */
  readonly nameOf?: ((choice: string) => string) | undefined;
  /** The name of the empty value, which is then the first choice. */
  readonly none?: string | undefined;
  /** The language of a choice's name, if it is not the reader's. */
  readonly tagOf?: ((choice: string) => string) | undefined;
}
type SelectProps = Choices & Omit<ComponentProps<'select'>, 'children'>;

function Options({ choices, nameOf = (choice) => choice, none, tagOf }: Choices) {
  return (
    <>
      {none !== undefined && <option value="">{none}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice} lang={tagOf?.(choice)}>
          {nameOf(choice)}
        </option>
      ))}
    </>
  );
}

/** A text of several lines, with its length below. */
export function LongField({
  label,
  fault,
  hint,
  isCode = false,
  ...rest
}: FieldProps & ComponentProps<typeof LongText> & { isCode?: boolean }) {
  return (
    <Labelled label={label} fault={fault} hint={hint}>
      {(ids) => <LongText data-code={isCode ? '' : undefined} {...ids} {...rest} />}
    </Labelled>
  );
}

export function SelectField({
  label,
  fault,
  hint,
  choices,
  nameOf,
  none,
  ...rest
}: FieldProps & SelectProps) {
  const missing = useMissing();
  return (
    <Labelled label={label} fault={missing.fault ?? fault} hint={hint}>
      {(ids) => (
        <span className={`block relative ${css.select}`}>
          <select className={`framed ${css.control}`} {...ids} {...rest} {...missing.watch}>
            <Options choices={choices} nameOf={nameOf} none={none} />
          </select>
          <DownIcon size={18} />
        </span>
      )}
    </Labelled>
  );
}

/** A select without a label, styled for a toolbar, with our own arrow. */
export function BarSelect({ choices, nameOf, none, tagOf, ...rest }: SelectProps) {
  return (
    <span className={css.bar}>
      <select {...rest}>
        <Options choices={choices} nameOf={nameOf} none={none} tagOf={tagOf} />
      </select>
      <DownIcon size={14} />
    </span>
  );
}

/** A checkbox before its label. */
export function Tick({ label, ...rest }: { label: string } & ComponentProps<'input'>) {
  return (
    <label className={`row gap-8 ${css.tick}`}>
      <input type="checkbox" {...rest} />
      {label}
    </label>
  );
}

/** Shows the browser's validation faults at the field, like all others, instead of in a bubble in the browser's language. */
function useMissing() {
  const { t } = useText();
  const [fault, setFault] = useState<string | null>(null);
  const onInvalid = (event: FormEvent<HTMLInputElement | HTMLSelectElement>) => {
    event.preventDefault();
    const field = event.currentTarget;
    setFault(field.validity.valueMissing ? t('form.required') : field.validationMessage);
    // The suppressed bubble would have focused the first invalid field.
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
    <div className={`stack min-0 gap-6 ${css.field}`}>
      <label className="secondary" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note ? `${id}-note` : undefined,
        'aria-invalid': fault ? true : undefined,
      })}
      {fault ? (
        <FaultNote id={`${id}-note`} className={css.fault}>
          {fault}
        </FaultNote>
      ) : (
        hint && (
          <p id={`${id}-note`} className="caption">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

/**
 * The form hook with the office's texts: by default a failure without a field is shown in the form. A form with a `draft` keeps what
 * is typed under that name until it is sent, also over a reload.
 */
export function useForm<Values extends object = Record<never, string>>({
  draft,
  ...options
}: FormOptions<Values, string, string> & { draft?: string | undefined } = {}) {
  const text = useText();
  const [empty] = useState(options.values);
  const [kept] = useState(() => (draft === undefined || !empty ? empty : readDraft(draft, empty)));
  const form = useFormWith<Values, string, string>(
    {
      ofError: (error) => faultText(error, text),
      ofFault: (fault) => fault,
      ofFaults: () => null,
      show: useToast.getState().show,
    },
    kept ? { ...options, values: kept } : options,
  );
  const { values } = form;
  useEffect(() => {
    if (draft !== undefined && values !== kept) keepDraft(draft, values, empty);
  }, [draft, values, kept, empty]);
  const sent = (work: () => Promise<unknown>) => async () => {
    await work();
    if (draft !== undefined) forgetDraft(draft);
  };
  const field = (name: TextName<Values>, shown?: string) => ({
    name,
    required: true,
    autoComplete: 'off',
    ...form.field(name, shown),
  });
  return {
    ...form,
    field,
    send: (work: () => Promise<unknown>) => form.send(sent(work)),
    onSubmit: (work: () => Promise<unknown>) => form.onSubmit(sent(work)),
  };
}

export function FormFault({ text }: { text: string | null }) {
  if (text === null) return null;
  return <FaultNote className={css.fault}>{text}</FaultNote>;
}

/** The end of a form: why it was not sent, and its buttons. */
export function FormEnd({
  form,
  onCancel,
  children,
  ...rest
}: {
  form: { readonly fault: string | null; readonly isBusy: boolean };
  onCancel?: () => void;
} & Omit<ComponentProps<typeof Action>, 'form'>) {
  const { t } = useText();
  return (
    <>
      <FormFault text={form.fault} />
      <div className={css.buttons}>
        {onCancel && <Action onClick={onCancel}>{t('shell.cancel')}</Action>}
        <Action look="gold" type="submit" {...rest} disabled={form.isBusy || rest.disabled}>
          {children}
        </Action>
      </div>
    </>
  );
}

/** A password; `isNew` lets a password manager offer one. */
export function PasswordField({
  isNew = false,
  ...rest
}: ComponentProps<typeof TextField> & { isNew?: boolean }) {
  return <TextField {...rest} type="password" autoComplete={isNew ? 'new-password' : 'current-password'} />;
}

/** Tells a password manager to which account the form's password belongs. */
export function UserName({ account }: { account: string }) {
  return <input type="text" name="username" autoComplete="username" value={account} readOnly hidden />;
}

export const formClass: string = css.form ?? '';
export const buttonsClass: string = css.buttons ?? '';
