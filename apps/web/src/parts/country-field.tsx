import { COUNTRIES } from '@fairtick/protocol/countries';
import { Field } from '@fairtick/ui';
import { useMemo } from 'react';
import { useText } from '../messages/text-context.tsx';

/** A select of countries and regions, named in the reader's language. */
export function CountryField(props: {
  label: string;
  hint?: string | undefined;
  value: string;
  fault: string | null;
  onChange: (value: string) => void;
}) {
  const { t, tag } = useText();
  const sorted = useMemo(() => {
    const names = new Intl.DisplayNames([tag], { type: 'region' });
    return COUNTRIES.map((code) => ({ code, name: names.of(code) ?? code })).sort((a, b) =>
      a.name.localeCompare(b.name, tag),
    );
  }, [tag]);
  return (
    <Field label={props.label} hint={props.hint} fault={props.fault} isSelect>
      {(ids) => (
        <select {...ids} value={props.value} onChange={(event) => props.onChange(event.target.value)}>
          <option value="">{t('account.regionChoose')}</option>
          {sorted.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
