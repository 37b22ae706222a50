import { formatDecimal, parseAmount, withoutTrailingZeros } from '@fairtick/money';
import type { OfficeData, StatementChoice, StatementField } from '@fairtick/protocol/office';
import type { LeftOut } from '@fairtick/protocol/office/statement-fields';
import { showHidden } from '@fairtick/protocol/plain-text';
import type { Asset } from '../../platform/assets.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { currencyIn, statedCurrencies } from '../../platform/imports/currencies.ts';
import { type DayOrder, dayOrderOf, readMoment } from '../../platform/imports/moments.ts';
import { type DecimalMark, decimalMarkOf, signedNumber } from '../../platform/imports/numbers.ts';
import { balanceSigns, isSteady } from './bank-statement-balances.ts';
import type { StatementRow } from './bank-statement-camt.ts';
import { meaningOf } from './bank-statement-columns.ts';
import { type StatementFile, unreadable } from './bank-statement-file.ts';
import { wordOf } from './bank-statement-words.ts';

const MAX_TEXT = 200;

export interface StatementLine {
  /** In the file. */
  readonly line: number;
  readonly date: string;
  /** Milliseconds from midnight, 0 where the file has no time. */
  readonly ofDayMs: number;
  readonly amount: bigint;
  readonly reference: string;
  readonly counterparty: string;
  /** What makes the line the only one of its kind: the bank's own number or the balance after it. Null: the file has neither. */
  readonly mark: string | null;
  /** The end-to-end id. Null: the file has none. */
  readonly paymentId: string | null;
  /** What the file says of its direction or state has no clear meaning, so that staff decide. */
  readonly isUnclear: boolean;
}

type Preview = OfficeData<'statement/preview'>;

export interface StatementReading extends Pick<Preview, 'fault' | 'unused'> {
  readonly fields: readonly (StatementField | undefined)[];
  readonly lines: readonly StatementLine[];
  readonly left: readonly { readonly row: StatementRow; readonly reason: LeftOut }[];
}

/** What a file's rows are: lines, and rows that are left out with their reason. A row or column that can't be read is named in it. */
export function readLines(file: StatementFile, choice: StatementChoice, asset: Asset): StatementReading {
  const table = new Table(file, choice, asset);
  const { unused, fields } = table;
  try {
    return { fields, unused, fault: null, ...table.read() };
  } catch (error) {
    const { line, column } = (error instanceof RefusalError && error.parameters) || {};
    if (line === undefined || column === undefined) throw error;
    return { fields, unused, fault: { line: String(line), column: String(column) }, lines: [], left: [] };
  }
}

interface Rules {
  readonly order: DayOrder | null;
  readonly mark: DecimalMark;
  /** Of each row, by its place: above zero when its balance says that money came in, 0 when it says nothing. */
  readonly signs: readonly number[];
  /** Of each row, or none. */
  readonly numbers: readonly string[];
}

const PLACES = { amounts: ['amount', 'paidIn', 'paidOut'], words: ['direction', 'state'] } as const;
const DIRECTED: readonly StatementField[] = ['direction', 'paidIn', 'paidOut'];
type Direction = 'in' | 'out' | 'unclear';
const OUT_SIGN = /[-−–(]|\d\s*(dr?|db)$|借/i;
const IN_SIGN = /\+|\d\s*cr?$|贷|貸/i;
const SHOWN_VALUES = 8;
const SHOWN_TEXT = 60;

class Table {
  readonly fields: readonly (StatementField | undefined)[];
  readonly unused: Preview['unused'];
  readonly #file: StatementFile;
  readonly #choice: StatementChoice;
  readonly #asset: Asset;
  readonly #payments: readonly StatementRow[];
  /** Whether an amount of the file has a sign, so that one without came in. */
  readonly #hasSigns: boolean;
  /** Whether only what came in has a sign, so that one without may have gone out. */
  readonly #hasPlus: boolean;

  constructor(file: StatementFile, choice: StatementChoice, asset: Asset) {
    this.#file = file;
    this.#choice = choice;
    this.#asset = asset;
    this.fields = file.fields;
    this.#payments = file.body.filter((row) => !this.#isNote(row));
    const width = Math.max(0, ...this.#payments.map(({ cells }) => cells.length));
    const texts = this.#amountTexts().filter((text) => /\d/.test(text));
    this.#hasSigns = texts.some((text) => OUT_SIGN.test(text));
    this.#hasPlus = !this.#hasSigns && texts.some((text) => IN_SIGN.test(text));
    const isUnsigned = !this.#hasSigns && !DIRECTED.some((field) => file.fields.includes(field));
    const meanings = Array.from({ length: width }, (_, at) =>
      file.fields[at] === undefined && !this.#isOfDays(at)
        ? meaningOf(file.header[at] ?? '', this.#textsAt(at), isUnsigned)
        : undefined,
    );
    this.fields = Array.from({ length: width }, (_, at) => {
      const found = file.fields[at] ?? meanings[at];
      return found === 'unclear' ? undefined : found;
    });
    this.unused = [...this.fields.keys()]
      .filter((at) => this.fields[at] === undefined || this.fields[at] === 'ignore')
      .map((at) => ({ column: at, isAsked: meanings[at] === 'unclear', values: this.#samplesOf(at) }))
      .filter(({ values }) => values.length > 0);
  }

  /** @throws RefusalError for the first row or column that can't be read with one meaning */
  read(): Pick<StatementReading, 'lines' | 'left'> {
    this.#demandColumns();
    const mark = this.#choice.decimalMark ?? this.#file.mark ?? decimalMarkOf(this.#amountTexts());
    if (mark === null) throw unreadable(this.#payments[0]?.line ?? 1, 'decimalMark');
    const order = this.#choice.dayOrder ?? dayOrderOf(this.#textsAt(this.#placeOf('date')));
    const payments = new Set(this.#payments);
    const sorted = this.#file.body.map((row) => ({
      row,
      reason: payments.has(row) ? this.#reasonOf(row, mark) : ('note' as const),
    }));
    const kept = sorted.flatMap(({ row, reason }) => (reason === null ? [row] : []));
    const signs = balanceSigns(kept.map((row) => this.#movement(row, mark)));
    const numbers = kept.map((row) => this.#cell(row, 'number'));
    const rules = { order, mark, signs, numbers: isSteady(numbers) ? numbers : [] };
    return {
      lines: kept.map((row, place) => this.#readLine(row, place, rules)),
      left: sorted.flatMap(({ row, reason }) => (reason === null ? [] : [{ row, reason }])),
    };
  }

  #demandColumns(): void {
    const { rows, body } = this.#file;
    const headLine = rows.length > body.length ? (rows[rows.length - body.length - 1]?.line ?? 1) : 1;
    const has = (field: StatementField) => this.fields.includes(field);
    if (!has('date')) throw unreadable(headLine, 'date');
    if (!has('reference') && !has('number')) throw unreadable(headLine, 'reference');
    if (!PLACES.amounts.some(has)) throw unreadable(headLine, 'amount');
    if (this.unused.some(({ isAsked }) => isAsked)) throw unreadable(headLine, 'meaning');
  }

  #placeOf = (field: StatementField): number => this.fields.indexOf(field);
  #cell = ({ cells }: StatementRow, field: StatementField): string => cells[this.#placeOf(field)] ?? '';
  #textsAt = (at: number): string[] => this.#payments.map(({ cells }) => cells[at] ?? '');
  #cellsOf = ({ cells }: StatementRow, fields: readonly StatementField[]): string[] =>
    cells.filter((_, at) => fields.includes(this.fields[at] as StatementField));
  #amountTexts = (): string[] => this.#payments.flatMap((row) => this.#cellsOf(row, PLACES.amounts));
  #isOfDays = (at: number): boolean =>
    this.#textsAt(at).every((text) => text === '' || readMoment(text, 'dayFirst') !== null);
  #samplesOf = (at: number): string[] =>
    [...new Set(this.#textsAt(at).filter(Boolean))]
      .slice(0, SHOWN_VALUES)
      .map((text) => showHidden(text.slice(0, SHOWN_TEXT).toWellFormed()));

  /** Sums and notes around the payments: a row with a sum’s name and no day or no amount, or one with neither. */
  #isNote(row: StatementRow): boolean {
    const filled = row.cells.filter((cell) => cell !== '');
    const hasAmount = this.#cellsOf(row, PLACES.amounts).some((cell) => cell !== '');
    const isSum = filled.some((cell) => SUM.test(cell));
    if (readMoment(this.#cell(row, 'date'), 'dayFirst') !== null) return isSum && !hasAmount;
    return isSum || (!hasAmount && filled.length <= 2);
  }

  /** Null: the row is a line. */
  #reasonOf(row: StatementRow, mark: DecimalMark): LeftOut | null {
    if (this.#isOtherCurrency(row, mark)) return 'currency';
    const words = this.#cellsOf(row, PLACES.words).map(wordOf);
    return (['undone', 'failed', 'pending', 'neutral'] as const).find((word) => words.includes(word)) ?? null;
  }

  /** A unit beside the amount counts, then the row's own currency, then what the column's title or the file states. */
  #isOtherCurrency(row: StatementRow, mark: DecimalMark): boolean {
    const isOther = (text: string) => statedCurrencies(text)?.includes(this.#asset.code) !== true;
    if (this.#cellsOf(row, PLACES.amounts).some((text) => signedNumber(text, mark)?.units.some(isOther)))
      return true;
    const stated = this.#cellsOf(row, ['currency']).filter((cell) => cell !== '');
    if (stated.length > 0) return stated.some(isOther);
    const titles = PLACES.amounts
      .filter((field) => this.#cell(row, field) !== '')
      .flatMap((field) => currencyIn(this.#file.header[this.#placeOf(field)] ?? '').unit ?? []);
    return titles.length > 0
      ? titles.some(isOther)
      : this.#file.currency !== null && isOther(this.#file.currency);
  }

  /** What the balances are compared with: the size of the movement and the balance after it, as far as they can be read. */
  #movement(row: StatementRow, mark: DecimalMark): { size: bigint | null; balance: bigint | null } {
    const written = this.#cellsOf(row, PLACES.amounts).map((text) => this.#units(text, mark) ?? 0n);
    const size = written.find((amount) => amount !== 0n) ?? null;
    return {
      size: size !== null && size < 0n ? -size : size,
      balance: this.#units(this.#cell(row, 'balance'), mark),
    };
  }

  #units(text: string, mark: DecimalMark): bigint | null {
    const read = signedNumber(text, mark);
    if (read === null) return null;
    const { scale } = this.#asset;
    const fraction = read.text.split('.')[1] ?? '';
    // Banks write more decimals than the asset has; zeros among them lose nothing.
    const exact = fraction.length > scale ? withoutTrailingZeros(read.text) : read.text;
    const value = /^0(\.0+)?$/.test(exact) ? 0n : parseAmount(exact, scale);
    return value === null ? null : read.isNegative ? -value : value;
  }

  #readLine(row: StatementRow, place: number, rules: Rules): StatementLine {
    const { line } = row;
    const moment = readMoment(this.#cell(row, 'date'), rules.order);
    if (moment === 'ambiguous') throw unreadable(line, 'dayOrder');
    if (moment === null) throw unreadable(line, 'date');
    const { amount, isUnclear } = this.#amountOf(row, place, rules);
    if (amount === null || amount === 0n) throw unreadable(line, 'amount');
    const reference = this.#cell(row, 'reference') || this.#cell(row, 'number');
    const counterparty = this.#cell(row, 'counterparty');
    if (reference === '' || showHidden(reference).length > MAX_TEXT) throw unreadable(line, 'reference');
    if (showHidden(counterparty).length > MAX_TEXT) throw unreadable(line, 'counterparty');
    const { day: date, ofDayMs } = moment;
    const mark = rules.numbers[place] || this.#balanceOf(row, rules);
    const { paymentId = null } = row;
    return { line, date, ofDayMs, amount, reference, counterparty, mark, paymentId, isUnclear };
  }

  /** A balance that runs from row to row names its row; one that stands beside each row does not. */
  #balanceOf(row: StatementRow, { signs, mark }: Rules): string | null {
    const balance = signs.some((sign) => sign !== 0) ? this.#units(this.#cell(row, 'balance'), mark) : null;
    return balance === null ? null : `= ${formatDecimal(balance, this.#asset.scale)}`;
  }

  /** Above zero: money that came in. Null for what is no amount. */
  #amountOf(
    row: StatementRow,
    place: number,
    { mark, signs }: Rules,
  ): Pick<StatementLine, 'isUnclear'> & { amount: bigint | null } {
    const parts = PLACES.amounts.map((field) => {
      const text = this.#cell(row, field);
      return /^[-–—]?$/.test(text) ? 0n : this.#units(text, mark);
    });
    const [whole, paidIn, paidOut] = parts as [bigint, bigint, bigint];
    if (parts.includes(null) || parts.filter((part) => part !== 0n).length !== 1)
      return { amount: null, isUnclear: false };
    // Banks write what went out with a sign or without.
    const written = whole !== 0n ? whole : paidIn !== 0n ? paidIn : paidOut < 0n ? paidOut : -paidOut;
    const isSigned = whole === 0n || this.#hasSigns;
    const said = this.#wordsOf(row, isSigned);
    if (isSigned) said.add(written > 0n ? 'in' : 'out');
    const sign = signs[place] ?? 0;
    if (sign !== 0) said.add(sign > 0 ? 'in' : 'out');
    if (said.size === 0) said.add(this.#unsaid(row, signs));
    const size = written < 0n ? -written : written;
    const isOut = said.has('out') && !said.has('in');
    const isUnclear = said.has('unclear') || (said.has('in') && said.has('out'));
    return { amount: isSigned ? written : isOut ? -size : size, isUnclear };
  }

  /** What a row without a sign and a word is: `in`, unless others of the file went out by their balances or have a sign for in. */
  #unsaid(row: StatementRow, signs: readonly number[]): Direction {
    // The balance before the first row is not in the file.
    if (signs.some((other) => other < 0)) return 'unclear';
    return this.#hasPlus && !IN_SIGN.test(this.#cell(row, 'amount')) ? 'unclear' : 'in';
  }

  /** What the row's words say of its direction. */
  #wordsOf(row: StatementRow, isSigned: boolean): Set<Direction> {
    const said = new Set<Direction>();
    for (const [at, field] of this.fields.entries()) {
      if (field !== 'direction' && field !== 'state') continue;
      const word = wordOf(row.cells[at] ?? '');
      if (word === 'in' || word === 'out') said.add(word);
      else if (word === null && (field === 'state' || !isSigned)) said.add('unclear');
    }
    return said;
  }
}

const SUM =
  /^(合计|总计|小计|合計|總計|小計|期初|期末|承前|上期|结转|結轉|total|subtotal|sum|summe|saldo|opening|closing|balance|(brought|carried) forward)/i;
