import type { OfficeData, StatementChoice, StatementField } from '@fairtick/protocol/office';
import { SHARED_FIELDS, STATEMENT_FIELDS } from '@fairtick/protocol/office/statement-fields';
import { useText } from '../messages/text-context.tsx';
import { BarSelect, FormFault, SelectField } from '../shell/form.tsx';
import { Cut } from './parts.tsx';
import css from './statements.module.css';

export interface ChosenFile {
  readonly name: string;
  /** Base64: the server finds the form and the encoding. */
  readonly content: string;
  readonly choice: StatementChoice;
  readonly preview: OfficeData<'statement/preview'>;
}

interface Props {
  readonly file: ChosenFile;
  readonly isBusy: boolean;
  readonly onChoose: (choice: StatementChoice) => void;
}

/** The meanings that a column of words may have. */
const MEANINGS = ['ignore', 'direction', 'state', 'currency'] as const;

/** The first rows as they stand in the file; above each column its field, which staff can change before anything is stored. */
export function StatementColumns({ file, isBusy, onChoose }: Props) {
  const { t } = useText();
  const { preview, choice } = file;
  const { columns, rows, unused, fault } = preview;
  const width = Math.max(1, ...rows.map((row) => row.length));
  const place = (at: number, field: string) => {
    const isShared = SHARED_FIELDS.includes(field as StatementField);
    const others = Object.entries(columns).filter(
      ([taken, one]) => Number(taken) !== at && (isShared || one !== field),
    );
    const all = field === '' ? others : [...others, [at, field] as const];
    onChoose({ ...choice, columns: all.map(([taken, one]) => `${one}:${taken}`).join(',') });
  };
  const fieldName = (field: string) => t(`statement.field.${field as StatementField}`);
  const column = (at: number, names: readonly StatementField[], none: string) => ({
    value: columns[at] ?? '',
    disabled: isBusy,
    onChange: (event: { target: { value: string } }) => place(at, event.target.value),
    children: [
      <option key="" value="">
        {none}
      </option>,
      ...names.map((field) => (
        <option key={field} value={field}>
          {fieldName(field)}
        </option>
      )),
    ],
  });
  return (
    <>
      <p className="caption">{t('statement.layout', { encoding: preview.encoding })}</p>
      <div className={css.layout}>
        <table>
          <caption className="sr">{t('statement.columns')}</caption>
          <thead>
            <tr>
              {Array.from({ length: width }, (_, at) => (
                <th key={at} scope="col">
                  <BarSelect
                    aria-label={t('statement.column', { number: at + 1 })}
                    {...column(at, STATEMENT_FIELDS, t('statement.field.none'))}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, number) => (
              <tr key={`${number}:${row.join()}`}>
                {Array.from({ length: width }, (_, at) => (
                  <td key={at}>
                    <Cut text={row[at] ?? ''} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {unused.length > 0 && (
        <fieldset className={`columns-fill items-end gap-12 ${css.unused}`}>
          <legend>{t('statement.unused')}</legend>
          {unused.map(({ column: at, isAsked, values }) => (
            <SelectField
              key={at}
              label={t('statement.unusedColumn', { number: at + 1, values: values.join(' · ') })}
              fault={isAsked ? t('statement.asked') : null}
              {...column(at, MEANINGS, t(isAsked ? 'statement.choice' : 'statement.field.none'))}
            />
          ))}
        </fieldset>
      )}
      <Readings file={file} isBusy={isBusy} onChoose={onChoose} />
      <FormFault text={fault && t('statement.fault', { line: fault.line, field: fieldName(fault.column) })} />
    </>
  );
}

/** Asks for the order of a date's parts and the decimal mark where the file allows two readings. */
function Readings({ file: { preview, choice }, isBusy, onChoose }: Props) {
  const { t } = useText();
  const asks = (what: 'dayOrder' | 'decimalMark') =>
    choice[what] !== undefined || preview.fault?.column === what;
  return (
    <>
      {asks('dayOrder') && (
        <SelectField
          label={t('statement.field.dayOrder')}
          value={choice.dayOrder ?? ''}
          disabled={isBusy}
          onChange={({ target }) =>
            onChoose({ ...choice, dayOrder: (target.value || undefined) as StatementChoice['dayOrder'] })
          }
        >
          <option value="">{t('statement.choice')}</option>
          <option value="dayFirst">{t('statement.dayFirst')}</option>
          <option value="monthFirst">{t('statement.monthFirst')}</option>
        </SelectField>
      )}
      {asks('decimalMark') && (
        <SelectField
          label={t('statement.field.decimalMark')}
          value={choice.decimalMark ?? ''}
          disabled={isBusy}
          onChange={({ target }) =>
            onChoose({
              ...choice,
              decimalMark: (target.value || undefined) as StatementChoice['decimalMark'],
            })
          }
        >
          <option value="">{t('statement.choice')}</option>
          <option value=".">1,234.56</option>
          <option value=",">1.234,56</option>
        </SelectField>
      )}
    </>
  );
}
