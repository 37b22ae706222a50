import { Field } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { plainAmount } from '../../state/decimal-strings.ts';
import { amountNote } from '../../state/typed-amount.ts';
import parts from './parts.module.css';

export function AmountField(props: {
  label: string;
  placeholder: string;
  /** Beside the label: the bounds, or what there is. */
  aside: string | undefined;
  /** Unless the amount needs a remark. */
  hint?: string | undefined;
  asset: string;
  all?: string | null;
  value: string;
  fault: string | null;
  onChange: (text: string) => void;
}) {
  const { t } = useText();
  const { asset, all = null, value } = props;
  return (
    <Field
      label={props.label}
      hint={amountNote(t, value, asset) ?? props.hint}
      fault={props.fault}
      aside={props.aside && <span className="ink-3">{props.aside}</span>}
      end={
        <>
          {asset && <span className={`secondary ${parts.unit}`}>{asset}</span>}
          {all !== null && /[1-9]/.test(all) && (
            <button
              type="button"
              className={`reach ${parts.linkButton}`}
              style={{ marginRight: 0 }}
              onClick={() => props.onChange(plainAmount(all))}
            >
              {t('withdrawal.all')}
            </button>
          )}
        </>
      }
    >
      {(ids) => (
        <input
          {...ids}
          value={value}
          inputMode="decimal"
          autoComplete="off"
          placeholder={props.placeholder}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
