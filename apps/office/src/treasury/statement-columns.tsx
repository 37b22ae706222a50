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
  const column = (at: number, choices: readonly StatementField[], none: string) => ({
    ...{ choices, none, nameOf: fieldName },
    value: columns[at] ?? '',
    disabled: isBusy,
    onChange: (event: { target: { value: string } }) => place(at, event.target.value),
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

/** The two readings that a date's parts, or an amount's mark, may have. */
const READINGS = { dayOrder: ['dayFirst', 'monthFirst'], decimalMark: ['.', ','] } as const;
const EXAMPLES: Readonly<Record<string, string>> = { '.': '1,234.56', ',': '1.234,56' };

/** Asks for the reading where the file allows both. */
function Readings({ file: { preview, choice }, isBusy, onChoose }: Props) {
  const { t, word } = useText();
  return (['dayOrder', 'decimalMark'] as const)
    .filter((what) => choice[what] !== undefined || preview.fault?.column === what)
    .map((what) => (
      <SelectField
        key={what}
        label={t(`statement.field.${what}`)}
        value={choice[what] ?? ''}
        disabled={isBusy}
        none={t('statement.choice')}
        choices={READINGS[what]}
        nameOf={(one) => EXAMPLES[one] ?? word('statement', one)}
        onChange={({ target }) => onChoose({ ...choice, [what]: target.value || undefined })}
      />
    ));
}
