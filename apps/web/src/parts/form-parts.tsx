import { Field, Notice } from '@fairtick/ui';
import type { HTMLAttributes } from 'react';
import { useSession } from '../state/session.ts';

/** One line of text in a form. */
export function TextField(props: {
  label: string;
  hint?: string | undefined;
  value: string;
  fault: string | null;
  maxLength: number;
  autoComplete?: string;
  inputMode?: HTMLAttributes<HTMLInputElement>['inputMode'];
  placeholder?: string;
  isDisabled?: boolean;
  onChange: (value: string) => void;
  onBlur?: () => void;
}) {
  return (
    <Field label={props.label} hint={props.hint} fault={props.fault}>
      {(ids) => (
        <input
          {...ids}
          value={props.value}
          maxLength={props.maxLength}
          autoComplete={props.autoComplete ?? 'off'}
          inputMode={props.inputMode}
          placeholder={props.placeholder}
          disabled={props.isDisabled}
          spellCheck={false}
          onBlur={props.onBlur}
          onChange={(event) => props.onChange(event.target.value)}
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
