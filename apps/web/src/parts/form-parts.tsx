import { Field, Notice } from '@fairtick/ui';
import type { ComponentProps } from 'react';
import { useSession } from '../state/session.ts';

/** One line of text in a form. */
export function TextField({
  label,
  hint,
  fault,
  onChange,
  ...rest
}: {
  label: string;
  hint?: string | undefined;
  fault: string | null;
  value: string;
  maxLength: number;
  onChange: (value: string) => void;
} & Omit<ComponentProps<'input'>, 'onChange'>) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(ids) => (
        <input
          autoComplete="off"
          spellCheck={false}
          {...ids}
          {...rest}
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
