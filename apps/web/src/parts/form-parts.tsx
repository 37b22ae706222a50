import { Field, Notice } from '@fairtick/ui';
import { lengthOf } from '@fairtick/ui/text-length';
import type { ComponentProps } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useSession } from '../state/session.ts';

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

/** One line of text in a form. */
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

/** A text of several lines in a form. */
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

/** Why a form was not sent, above its button until the next try. */
export function Failure({ text }: { text: string | null }) {
  return text === null ? null : <Notice look="bad">{text}</Notice>;
}
