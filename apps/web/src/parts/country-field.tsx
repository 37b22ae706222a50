import { Field } from '@fairtick/ui';
import { Suspense, use, useMemo, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { countriesNamedIn, readCountryWords, searchCountries } from './countries.ts';
import { Dialog } from './dialog.tsx';
import { SearchList } from './search-list.tsx';
import { Waiting } from './waiting.tsx';

export function CountryField(props: {
  label: string;
  hint?: string | undefined;
  value: string;
  fault: string | null;
  onChange: (value: string) => void;
}) {
  const { t, tag } = useText();
  const [words, setWords] = useState<ReturnType<typeof readCountryWords> | null>(null);
  const countries = useMemo(() => countriesNamedIn(tag), [tag]);
  const close = () => setWords(null);
  return (
    <>
      <Field label={props.label} hint={props.hint} fault={props.fault} isSelect>
        {(ids) => (
          <button
            type="button"
            // A button would be named by the label alone; of a select, its value is read as well.
            role="combobox"
            {...ids}
            aria-haspopup="dialog"
            aria-expanded={words !== null}
            data-value={props.value}
            onClick={() => setWords(readCountryWords())}
          >
            {countries.find(({ code }) => code === props.value)?.name ?? t('account.regionChoose')}
          </button>
        )}
      </Field>
      <Dialog title={props.label} isOpen={words !== null} onClose={close}>
        {words && (
          <Suspense fallback={<Waiting heights={[44, 320]} />}>
            <Chooser
              words={words}
              countries={countries}
              label={props.label}
              value={props.value}
              onChoose={(code) => {
                props.onChange(code);
                close();
              }}
            />
          </Suspense>
        )}
      </Dialog>
    </>
  );
}

function Chooser(props: {
  words: ReturnType<typeof readCountryWords>;
  countries: ReturnType<typeof countriesNamedIn>;
  label: string;
  value: string;
  onChoose: (code: string) => void;
}) {
  const { t } = useText();
  const words = use(props.words);
  const search = useMemo(
    () => searchCountries(props.countries, words, navigator.languages),
    [props.countries, words],
  );
  return (
    <SearchList
      label={props.label}
      searchLabel={t('country.search')}
      find={(query) => search(query).map(({ code, name }) => ({ id: code, name }))}
      current={props.value}
      onChoose={props.onChoose}
      foundText={(count) => t('country.found', { count })}
      noneText={t('country.none')}
    />
  );
}
