import { readDigits } from '@fairtick/money';
import { EyeIcon, EyeOffIcon, FaultIcon } from '@fairtick/ui';
import { useId, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './destinations.module.css';
import { DIGITS } from './withdrawal-password-model.ts';

const PLACES = Array.from({ length: DIGITS }, (_, place) => place);

/**
 * Six digits in six boxes. A single input lies over the boxes, so that typing, pasting, keyboards and screen readers work as
 * usual.
 */
export function DigitsField(props: {
  label: string;
  hint?: string | undefined;
  value: string;
  fault: string | null;
  onChange: (value: string) => void;
}) {
  const { t } = useText();
  const id = useId();
  const [isShown, setShown] = useState(false);
  const digits = readDigits(props.value);
  const shown = digits ?? props.value;
  const isWrong = digits === null || digits.length > DIGITS;
  const fault = props.fault ?? (isWrong ? t('withdrawalPassword.format') : null);
  const note = fault ?? props.hint;
  const next = Math.min(shown.length, DIGITS - 1);
  return (
    <div>
      <div className="secondary row between mb-8">
        <label htmlFor={id}>{props.label}</label>
        <button
          type="button"
          className="reach ink-2"
          aria-label={`${isShown ? t('digits.hide') : t('digits.show')} ${props.label}`}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <EyeOffIcon size={20} /> : <EyeIcon size={20} />}
        </button>
      </div>
      <div className={css.digits} data-fault={fault ? '' : undefined}>
        <div className={css.boxes} aria-hidden="true">
          {PLACES.map((place) => (
            <i key={place} data-next={place === next || undefined}>
              {isShown ? shown[place] : shown[place] && '•'}
            </i>
          ))}
        </div>
        <input
          className="cover"
          id={id}
          value={props.value}
          inputMode="numeric"
          // No password field: browsers would store the digits over the login's password.
          autoComplete="off"
          aria-describedby={note ? `${id}-note` : undefined}
          aria-invalid={fault ? true : undefined}
          // The cursor is invisible, so it is kept at the end.
          onSelect={({ currentTarget }) => {
            const end = currentTarget.value.length;
            if (
              currentTarget.selectionStart === currentTarget.selectionEnd &&
              currentTarget.selectionEnd !== end
            )
              currentTarget.setSelectionRange(end, end);
          }}
          onChange={(event) => props.onChange(event.target.value)}
        />
      </div>
      {note && (
        <p
          id={`${id}-note`}
          className={`with-icon note flex gap-6 mt-8 ${css.below}`}
          role={fault ? 'alert' : undefined}
        >
          {fault && <FaultIcon size={16} />}
          {note}
        </p>
      )}
    </div>
  );
}
