import { Button, Field, Notice } from '@fairtick/ui';
import { lengthOf } from '@fairtick/ui/text-length';
import type { ComponentProps, ReactNode } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useSession } from '../state/session.ts';
import css from './form.module.css';
import type { useForm } from './use-form.ts';

interface TextProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault: string | null;
  readonly value: string;
  readonly maxLength: number;
  readonly onChange: (value: string) => void;
}

/** The length of a text that is being typed, and the fault of one that is too long. */
export function useLength(text: string, most: number) {
  const { t } = useText();
  const { isOver, ...length } = lengthOf(text, most);
  return { ...length, fault: isOver ? t('fault.tooLong', { most }) : null };
}

export function TextField({
  label,
  hint,
  fault,
  maxLength,
  onChange,
  ...rest
}: TextProps & Omit<ComponentProps<'input'>, 'onChange'>) {
  const length = useLength(rest.value, maxLength);
  return (
    <Field label={label} hint={hint} fault={length.fault ?? fault} aside={length.count}>
      {(ids) => (
        <input
          autoComplete="off"
          spellCheck={false}
          {...ids}
          {...rest}
          {...length.mark}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export function LongField({ label, hint, fault, value, maxLength, onChange }: TextProps) {
  const length = useLength(value, maxLength);
  return (
    <Field label={label} hint={hint} fault={length.fault ?? fault} aside={length.count}>
      {(ids) => (
        <textarea
          {...ids}
          {...length.mark}
          rows={4}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** The hidden user name, so that password managers know to which account a password field belongs. */
export function OwnUsername() {
  const account = useSession((state) => state.userInfo?.account ?? '');
  return <input type="text" autoComplete="username" value={account} readOnly hidden />;
}

export function Failure({ text }: { text: string | null }) {
  return text === null ? null : <Notice look="bad">{text}</Notice>;
}

export function SendForm(props: {
  form: Pick<ReturnType<typeof useForm>, 'isBusy' | 'fault' | 'onSubmit'>;
  send: () => Promise<unknown>;
  button: string;
  busy?: string;
  look?: 'gold' | 'bad';
  isDisabled?: boolean;
  /** Above the form, px; what the style sheet says by default. */
  top?: number;
  children: ReactNode;
  progress?: ReactNode;
  end?: ReactNode;
}) {
  const { form, button, busy = button, look = 'gold', isDisabled = false, top } = props;
  const style = top === undefined ? {} : { marginTop: top };
  return (
    <form className={css.form} onSubmit={form.onSubmit(props.send)} noValidate style={style}>
      {props.children}
      <Failure text={form.fault} />
      {props.progress}
      <Button type="submit" look={look} isBlock disabled={form.isBusy || isDisabled}>
        {form.isBusy ? busy : button}
      </Button>
      {props.end}
    </form>
  );
}

export function Check(props: {
  isChecked: boolean;
  onChange: (is: boolean) => void;
  faultId?: string | undefined;
  children: ReactNode;
}) {
  return (
    <label className={`secondary flex gap-12 ${css.check}`}>
      <input
        type="checkbox"
        checked={props.isChecked}
        aria-invalid={props.faultId ? true : undefined}
        aria-describedby={props.faultId}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      <span>{props.children}</span>
    </label>
  );
}

export function Remark({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className={`note flex gap-12 ${css.note}`}>
      {icon}
      <span>{children}</span>
    </p>
  );
}
