import type { OfficeData, StatementChoice, StatementField } from '@fairtick/protocol/office';
import { STATEMENT_FIELDS } from '@fairtick/protocol/office/statement-fields';
import { FileIcon, Tag } from '@fairtick/ui';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { get, post } from '../api/client.ts';
import { queryClient, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, More } from '../shell/data-table.tsx';
import { Action, BarSelect, FormFault, SelectField, useForm } from '../shell/form.tsx';
import { Pills } from '../shell/pills.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { useToast } from '../state/toast.ts';
import css from './statements.module.css';

type Line = OfficeData<'statement/list'>['items'][number];
type Preview = OfficeData<'statement/preview'>;
type PreviewLine = Preview['items'][number];

const ASSETS = ['USD', 'USDT', 'BTC', 'ETH'] as const;
const LINES = ['statement'];
const MAX_BYTES = 1_000_000;

/** Bank statements: each file is imported once, and each line is matched with its deposit. */
export default function StatementsPage() {
  const { t } = useText();
  const isCashier = useMe().data?.roles.some(({ role }) => role === 'cashier') === true;
  const [state, setState] = useState<'open' | 'all'>('open');
  return (
    <div className="page">
      <h1>{t('page.statements')}</h1>
      {isCashier && <Import />}
      <Pills
        label={t('statement.which')}
        values={['open', 'all'] as const}
        value={state}
        nameOf={(one) => t(`statement.${one}`)}
        onChange={setState}
      />
      <Lines state={state} />
    </div>
  );
}

/** Reads a file, lets the server preview it, and imports it only after the reader has seen which lines are new. */
function Import() {
  const { t } = useText();
  const [asset, setAsset] = useState<string>(ASSETS[0]);
  const [file, setFile] = useState<ChosenFile | null>(null);
  const [isTooLarge, setTooLarge] = useState(false);
  // Separate states, so that a running import does not block the reading of another file.
  const reading = useForm();
  const taking = useForm();
  const choose = (chosen: File | undefined) =>
    reading.send(async () => {
      setFile(null);
      setTooLarge(false);
      if (!chosen) return;
      if (chosen.size > MAX_BYTES) return setTooLarge(true);
      await preview({ name: chosen.name, content: await base64Of(chosen), choice: {} });
    });
  const preview = async (next: Omit<ChosenFile, 'preview'>) => {
    const fields = { asset, file: next.content, ...next.choice };
    setFile({ ...next, preview: await post('statement/preview', fields) });
  };
  const close = () => setFile(null);
  const takeIn = async () => {
    if (!file) return;
    const taken = await post('statement/import', { asset, file: file.content, ...file.choice });
    useToast.getState().show(t('statement.done', { count: taken.new }));
    close();
    void queryClient.invalidateQueries({ queryKey: LINES });
  };
  return (
    <section className={`box ${css.import}`} aria-labelledby="import-title">
      <h2 id="import-title">{t('statement.import')}</h2>
      <div className={css.choice}>
        <SelectField
          label={t('review.asset')}
          value={asset}
          disabled={reading.isBusy || taking.isBusy}
          onChange={(event) => {
            setAsset(event.target.value);
            close();
          }}
        >
          {ASSETS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
        <label className={css.file}>
          <FileIcon size={18} />
          <span>{file?.name ?? t('statement.choose')}</span>
          <input
            type="file"
            className="cover"
            accept=".csv,.txt,.tsv,text/csv,text/plain"
            disabled={reading.isBusy || taking.isBusy}
            onChange={(event) => {
              void choose(event.target.files?.[0]);
              // Lets the same file be chosen again after it was corrected.
              event.target.value = '';
            }}
          />
        </label>
        <p className="caption">{t('statement.form')}</p>
      </div>
      <FormFault text={isTooLarge ? t('statement.tooLarge') : (reading.fault ?? taking.fault)} />
      {file && (
        <>
          <Layout
            file={file}
            isBusy={reading.isBusy || taking.isBusy}
            onChoose={(choice) => void reading.send(() => preview({ ...file, choice }))}
          />
          <p>
            {t('statement.found', { lines: file.preview.lines, fresh: file.preview.new })}{' '}
            {file.preview.leftOut > 0 && t('statement.leftOut', { count: file.preview.leftOut })}{' '}
            {file.preview.lines > file.preview.items.length &&
              t('statement.firstOnly', { count: file.preview.items.length })}
          </p>
          <div className={css.preview}>
            <PreviewTable items={file.preview.items} />
          </div>
          <div className={css.acts}>
            <Action onClick={close}>{t('shell.cancel')}</Action>
            <Action
              look="gold"
              disabled={taking.isBusy || file.preview.new === 0}
              onClick={() => void taking.send(takeIn)}
            >
              {t('statement.takeIn', { count: file.preview.new })}
            </Action>
          </div>
        </>
      )}
    </section>
  );
}

interface ChosenFile {
  readonly name: string;
  /** Base64: the server finds the encoding. */
  readonly content: string;
  readonly choice: StatementChoice;
  readonly preview: Preview;
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let from = 0; from < bytes.length; from += 8_192)
    text += String.fromCharCode(...bytes.subarray(from, from + 8_192));
  return btoa(text);
}

/** The first rows as they stand in the file; above each column its field, which staff can change before anything is stored. */
function Layout({
  file: { preview, choice },
  isBusy,
  onChoose,
}: {
  file: ChosenFile;
  isBusy: boolean;
  onChoose: (choice: StatementChoice) => void;
}) {
  const { t } = useText();
  const { columns, rows, fault } = preview;
  const width = Math.max(1, ...rows.map((row) => row.length));
  const place = (field: string, at: number) => {
    const others = Object.entries(columns).filter(([one, taken]) => one !== field && taken !== at);
    const all = field === '' ? others : [...others, [field, at] as const];
    onChoose({ ...choice, columns: all.map(([one, taken]) => `${one}:${taken}`).join(',') });
  };
  const fieldName = (field: string) => t(`statement.field.${field as StatementField}`);
  const asks = (what: 'dayOrder' | 'decimalMark') => choice[what] !== undefined || fault?.column === what;
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
                    value={STATEMENT_FIELDS.find((field) => columns[field] === at) ?? ''}
                    disabled={isBusy}
                    onChange={(event) => place(event.target.value, at)}
                  >
                    <option value="">{t('statement.field.none')}</option>
                    {STATEMENT_FIELDS.map((field) => (
                      <option key={field} value={field}>
                        {fieldName(field)}
                      </option>
                    ))}
                  </BarSelect>
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
      {asks('dayOrder') && (
        <SelectField
          label={t('statement.field.dayOrder')}
          value={choice.dayOrder ?? ''}
          disabled={isBusy}
          onChange={({ target }) => onChoose({ ...choice, dayOrder: (target.value || undefined) as never })}
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
            onChoose({ ...choice, decimalMark: (target.value || undefined) as never })
          }
        >
          <option value="">{t('statement.choice')}</option>
          <option value=".">1,234.56</option>
          <option value=",">1.234,56</option>
        </SelectField>
      )}
      <FormFault text={fault && t('statement.fault', { line: fault.line, field: fieldName(fault.column) })} />
    </>
  );
}

function PreviewTable({ items }: { items: readonly PreviewLine[] }) {
  const { t } = useText();
  const columns: Column<PreviewLine>[] = [
    { id: 'day', header: t('statement.day'), cell: ({ row }) => row.original.bookedOn },
    {
      id: 'amount',
      header: t('review.amount'),
      cell: ({ row }) => readable(row.original.amount),
      meta: { isNumber: true },
    },
    {
      id: 'reference',
      header: t('withdrawal.reference'),
      cell: ({ row }) => <Cut text={row.original.reference} />,
    },
    {
      id: 'who',
      header: t('statement.counterparty'),
      cell: ({ row }) => <Cut text={row.original.counterparty} />,
    },
    {
      id: 'known',
      header: t('staff.state'),
      cell: ({ row }) => (
        <Tag look={row.original.isKnown ? 'outline' : 'plain'}>
          {t(row.original.isKnown ? 'statement.known' : 'statement.fresh')}
        </Tag>
      ),
    },
  ];
  return (
    <DataTable
      caption={t('statement.preview')}
      columns={columns}
      rows={items}
      idOf={(line) => String(items.indexOf(line))}
      empty={t('statement.none')}
    />
  );
}

/** One line of text; hovering shows the rest. */
const Cut = ({ text }: { text: string }) => (
  <span className={css.cut} title={text}>
    {text}
  </span>
);

function Lines({ state }: { state: 'open' | 'all' }) {
  const { t } = useText();
  const lines = useInfiniteQuery({
    queryKey: [...LINES, state],
    queryFn: ({ pageParam, signal }) =>
      get('statement/list', { state, limit: 50, cursor: pageParam ?? undefined }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: 10_000,
  });
  const rows = useMemo(() => lines.data?.pages.flatMap(({ items }) => items) ?? [], [lines.data]);
  const columns: Column<Line>[] = [
    { id: 'day', header: t('statement.day'), cell: ({ row }) => row.original.bookedOn },
    {
      id: 'amount',
      header: t('review.amount'),
      cell: ({ row: { original } }) => <strong>{withAsset(original.amount, original.asset)}</strong>,
      meta: { isNumber: true },
    },
    {
      id: 'reference',
      header: t('withdrawal.reference'),
      cell: ({ row }) => <Cut text={row.original.reference} />,
    },
    {
      id: 'who',
      header: t('statement.counterparty'),
      cell: ({ row }) => <Cut text={row.original.counterparty} />,
    },
    { id: 'match', header: t('statement.match'), cell: ({ row }) => <Matched line={row.original} /> },
  ];
  return (
    <>
      <DataTable
        caption={t('page.statements')}
        columns={columns}
        rows={rows}
        idOf={({ id }) => id}
        empty={
          lines.isPending ? t('shell.loading') : t(lines.isError ? 'shell.networkError' : 'statement.none')
        }
      />
      <More query={lines} />
    </>
  );
}

/** The deposit that matches a line, or the candidates: each links to its case with the line filled in. */
function Matched({ line }: { line: Line }) {
  const { t } = useText();
  if (line.creditedAs !== null) {
    return (
      <Link className="opens" href={`~/deposits/${line.creditedAs}`}>
        {t('statement.creditedAs', { id: line.creditedAs })}
      </Link>
    );
  }
  if (line.suggestions.length === 0) {
    return (
      <span className={css.suggestions}>
        <span className="caption">{t('statement.noMatch')}</span>
        <Link className="opens" href="~/deposits">
          {t('statement.find')}
        </Link>
      </span>
    );
  }
  return (
    <span className={css.suggestions}>
      {line.suggestions.map((one) => (
        <Link key={one.id} className="opens" href={`~/deposits/${one.id}?line=${line.id}`}>
          {one.account}, {readable(one.amount)}
          <span className="caption">
            {' '}
            {[one.sameAmount && t('match.sameAmount'), one.namesCustomer && t('match.namesCustomer')]
              .filter((text) => text !== false)
              .join(' · ')}
          </span>
        </Link>
      ))}
    </span>
  );
}
