import { formatDecimal } from '@fairtick/money';
import type { ReportFormat } from '@fairtick/protocol/office';
import { stringify } from 'csv-stringify/sync';
import type { Assets } from '../../platform/assets.ts';
import { allDigits } from '../../platform/csv.ts';
import type { ReportColumn, ReportSource } from './report-sources.ts';

/** A column of the file: its name, how its texts are written, and its expression of SQL. */
interface FileColumn {
  readonly name: string;
  readonly column: ReportColumn;
  readonly sql: string;
}

type Cells = readonly (string | null)[];

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
/** A time that spreadsheets read. */
const LOCAL = `'YYYY-MM-DD HH24:MI:SS.MS'`;
/** A text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/**
 * Writes the rows of a report in a format, and adds up its totals. A time of a CSV is in the report's zone, with a second column in UTC
 * where the two differ. All numbers keep all of their digits: amounts are texts in JSON, and a number that is too long for a spreadsheet
 * gets an apostrophe, as a text that looks like a formula does.
 */
export class ReportFile {
  readonly #columns: readonly FileColumn[];
  readonly #format: ReportFormat;
  readonly #assets: Assets;
  readonly #assetAt: number;
  /** By asset, then by column. */
  readonly totals = new Map<number, Map<string, bigint>>();
  rows = 0;

  constructor(
    source: ReportSource,
    { format, zone, assets }: { format: ReportFormat; zone: string; assets: Assets },
  ) {
    this.#format = format;
    this.#assets = assets;
    this.#columns = source.columns.flatMap((column) => fileColumns(column, format, zone));
    this.#assetAt = this.#columns.findIndex(({ column }) => column[1] === 'asset');
  }

  /** The columns for a query of a report's rows, all of them texts. */
  get sql(): string {
    return this.#columns.map(({ sql }) => sql).join(', ');
  }

  begin(): string {
    if (this.#format === 'csv') return `\ufeff${csvLine(this.#columns.map(({ name }) => name))}`;
    return this.#format === 'json' ? '[\n' : '';
  }

  /** @param rows as read with {@link sql} */
  next(rows: readonly Cells[]): string {
    const isFirst = this.rows === 0;
    this.rows += rows.length;
    const written = rows.map((cells) => this.#written(cells));
    if (this.#format === 'csv') return stringify(written, { record_delimiter: 'windows' });
    const lines = written.map((cells) => JSON.stringify(this.#asObject(cells)));
    if (this.#format === 'jsonl') return lines.map((line) => `${line}\n`).join('');
    return lines.length === 0 ? '' : `${isFirst ? '' : ',\n'}${lines.join(',\n')}`;
  }

  end(): string {
    return this.#format === 'json' ? '\n]\n' : '';
  }

  #written(cells: Cells): (string | null)[] {
    const id = cells[this.#assetAt];
    const asset = id == null ? null : this.#assets.byId(Number(id));
    return this.#columns.map(({ name, column: [, kind, total] }, at) => {
      const cell = cells[at] ?? null;
      if (cell === null) return null;
      if (kind === 'asset') return asset?.code ?? cell;
      if (kind !== 'amount' || asset === null) return this.#safe(cell, kind);
      const amount = BigInt(cell);
      if (total) this.#add(asset.id, name, amount);
      return this.#safe(formatDecimal(amount, asset.scale), kind);
    });
  }

  #add(assetId: number, name: string, amount: bigint): void {
    const sums = this.totals.get(assetId) ?? new Map<string, bigint>();
    this.totals.set(assetId, sums.set(name, (sums.get(name) ?? 0n) + amount));
  }

  #safe(text: string, kind: ReportColumn[1]): string {
    if (this.#format !== 'csv') return text;
    if (kind === 'text') return FORMULA.test(text) ? `'${text}` : text;
    return kind === 'time' ? text : allDigits(text);
  }

  #asObject(cells: Cells): Record<string, string | null> {
    return Object.fromEntries(this.#columns.map(({ name }, at) => [name, cells[at] ?? null]));
  }
}

function fileColumns(column: ReportColumn, format: ReportFormat, zone: string): FileColumn[] {
  const [name, kind] = column;
  const time = (as: string, inZone: string, form: string) => ({
    name: as,
    column,
    sql: `to_char(r."${name}" at time zone ${inZone}, ${form})`,
  });
  if (kind !== 'time') return [{ name, column, sql: `r."${name}"::text` }];
  if (format !== 'csv') return [time(name, `'UTC'`, ISO)];
  return [time(name, '$3', LOCAL), ...(zone === 'UTC' ? [] : [time(`${name}Utc`, `'UTC'`, ISO)])];
}

const csvLine = (cells: readonly string[]) => stringify([[...cells]], { record_delimiter: 'windows' });
