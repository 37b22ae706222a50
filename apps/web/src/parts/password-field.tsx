import { EyeIcon, EyeOffIcon, Field, IconButton } from '@fairtick/ui';
import { type ReactNode, useState } from 'react';
import { useText } from '../messages/text-context.tsx';

export function PasswordField(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  fault?: string | null | undefined;
  hint?: string | undefined;
  aside?: ReactNode;
  autoComplete: 'current-password' | 'new-password';
}) {
  const { t } = useText();
  const [isShown, setShown] = useState(false);
  return (
    <Field
      label={props.label}
      hint={props.hint}
      fault={props.fault}
      aside={props.aside}
      end={
        <IconButton
          label={isShown ? t('account.hidePassword') : t('account.showPassword')}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <EyeOffIcon size={20} /> : <EyeIcon size={20} />}
        </IconButton>
      }
    >
      {(ids) => (
        <input
          {...ids}
          type={isShown ? 'text' : 'password'}
          value={props.value}
          autoComplete={props.autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type PasswordName = 'password' | 'confirmPassword';

export function NewPassword(props: {
  label: string;
  field: (name: PasswordName) => Pick<Parameters<typeof PasswordField>[0], 'value' | 'onChange' | 'fault'>;
}) {
  const { t } = useText();
  return (
    <>
      <PasswordField
        label={props.label}
        hint={t('account.passwordRule')}
        autoComplete="new-password"
        {...props.field('password')}
      />
      <PasswordField
        label={t('account.confirmPassword')}
        autoComplete="new-password"
        {...props.field('confirmPassword')}
      />
    </>
  );
}
