import { strFromU8, unzipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import { currenciesOf } from './currencies.ts';

/** The message names what the file is instead. */
export class WorkbookError extends Error {}

const MAX_UNPACKED = 24_000_000;
const MAX_COLUMNS = 200;

/** The first sheet of an XLSX workbook: days as 2026-01-31, currencies before numbers, stored results. @throws WorkbookError */
export function readWorkbook(bytes: Uint8Array, maxRows: number): { line: number; cells: string[] }[] {
  const part = unpacker(bytes);
  const workbook = part('xl/workbook.xml');
  if (workbook === null) throw new WorkbookError(part('content.xml') === null ? 'ZIP' : 'ODS');
  const { sheetId, is1904 } = firstSheet(workbook);
  const path = pathOf(part('xl/_rels/workbook.xml.rels') ?? '', sheetId) ?? 'xl/worksheets/sheet1.xml';
  const formats = formatsOf(part('xl/styles.xml') ?? '');
  const shared = sharedTexts(part('xl/sharedStrings.xml') ?? '');
  const sheet = part(path) ?? '';
  // A sheet that was cut would be read as a shorter one.
  if (!/<\/(\w+:)?worksheet>\s*$|<(\w+:)?worksheet[^<>]*\/>\s*$/.test(sheet.slice(-200)))
    throw new WorkbookError('ZIP');
  return rowsOf(sheet, { shared, formats, is1904, maxRows });
}

/** The sizes that the archive states bound what is unpacked. */
function unpacker(bytes: Uint8Array): (name: string) => string | null {
  let unpacked = 0;
  return (name) => {
    const filter = (file: { name: string; originalSize: number }) => {
      if (file.name !== name) return false;
      unpacked += file.originalSize;
      if (unpacked > MAX_UNPACKED) throw new WorkbookError('ZIP');
      return true;
    };
    try {
      const found = unzipSync(bytes, { filter })[name];
      return found ? strFromU8(found) : null;
    } catch (error) {
      throw error instanceof WorkbookError ? error : new WorkbookError('ZIP');
    }
  };
}

interface Reader {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/** Reads XML in passing, so that no tree of it is held; prefixes of names are left out. */
function scan(xml: string, { open, text, close }: Reader): void {
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open?.(local(name), attributes),
      ontext: (data) => text?.(data),
      onclosetag: (name) => close?.(local(name)),
    },
    { xmlMode: true },
  );
  parser.end(xml);
}

/** The attributes of all elements of a name. */
function tagsOf(xml: string, name: string): Readonly<Record<string, string>>[] {
  const found: Readonly<Record<string, string>>[] = [];
  scan(xml, {
    open: (tag, attributes) => {
      if (tag === name) found.push(attributes);
    },
  });
  return found;
}

function firstSheet(xml: string): { sheetId: string; is1904: boolean } {
  const sheet = tagsOf(xml, 'sheet').find((tag) => tag['r:id']);
  const { date1904 = '' } = tagsOf(xml, 'workbookPr').at(-1) ?? {};
  return { sheetId: sheet?.['r:id'] ?? '', is1904: /^(1|true)$/.test(date1904) };
}

function pathOf(xml: string, id: string): string | null {
  const target = tagsOf(xml, 'Relationship').find(({ Id }) => Id === id)?.Target;
  if (target === undefined) return null;
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

function sharedTexts(xml: string): string[] {
  const texts: string[] = [];
  let text: string | null = null;
  let isRead = false;
  scan(xml, {
    open: (name) => {
      if (name === 'si') text = '';
      if (name === 't') isRead = true;
      // Pronunciations follow the text.
      if (name === 'rPh' && text !== null) text += '\0';
    },
    text: (data) => {
      if (isRead && text !== null) text += data;
    },
    close: (name) => {
      if (name === 't') isRead = false;
      if (name === 'si') texts.push(text?.split('\0', 1)[0] ?? '');
    },
  });
  return texts;
}

interface Format {
  readonly isDay: boolean;
  readonly unit: string | null;
}

const isBuiltInDay = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

/** By the number of a cell's style. */
function formatsOf(xml: string): Format[] {
  const [before = '', cells = ''] = xml.split('cellXfs');
  const codes = new Map(
    tagsOf(before, 'numFmt').map(({ numFmtId, formatCode = '' }) => [Number(numFmtId), formatCode]),
  );
  return tagsOf(cells, 'xf').map(({ numFmtId = 0 }) =>
    formatOf(Number(numFmtId), codes.get(Number(numFmtId)) ?? ''),
  );
}

function formatOf(id: number, code: string): Format {
  const bare = code.slice(0, 200).replace(/"[^"]{0,200}"|\[[^\]]{0,200}\]|\\.|_./g, '');
  const words = [
    ...code.slice(0, 200).matchAll(/\[\$([^\]-]{1,20})[^\]]{0,20}\]|"([^"]{1,20})"|([$€£¥])/g),
  ].map(([, stated, quoted, sign]) => (stated ?? quoted ?? sign ?? '').trim());
  return {
    isDay: isBuiltInDay(id) || /[dy]/i.test(bare),
    unit: words.find((word) => currenciesOf(word)) ?? null,
  };
}

interface Sheet {
  readonly shared: readonly string[];
  readonly formats: readonly Format[];
  readonly is1904: boolean;
  readonly maxRows: number;
}

function rowsOf(xml: string, sheet: Sheet): { line: number; cells: string[] }[] {
  const rows: { line: number; cells: string[] }[] = [];
  let cell: { at: number; type: string; format: Format | undefined; text: string } | null = null;
  let isRead = false;
  scan(xml, {
    open: (name, attributes) => {
      if (name === 'row' && rows.length <= sheet.maxRows)
        rows.push({ line: Number(attributes.r) || (rows.at(-1)?.line ?? 0) + 1, cells: [] });
      if (name === 'c') {
        const next = rows.at(-1)?.cells.length ?? 0;
        const format = sheet.formats[Number(attributes.s ?? -1)];
        cell = { at: placeOf(attributes.r) ?? next, type: attributes.t ?? 'n', format, text: '' };
      }
      if (name === 'v' || name === 't') isRead = true;
    },
    text: (data) => {
      if (isRead && cell !== null) cell.text += data;
    },
    close: (name) => {
      if (name === 'v' || name === 't') isRead = false;
      if (name !== 'c' || cell === null) return;
      const cells = rows.at(-1)?.cells ?? [];
      while (cells.length < Math.min(cell.at, MAX_COLUMNS)) cells.push('');
      if (cell.at < MAX_COLUMNS) cells[cell.at] = cellText(cell, sheet).trim();
      cell = null;
    },
  });
  return rows.filter(({ cells }) => cells.some((text) => text !== ''));
}

/** `C7` is at 2. */
function placeOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  return letters === undefined
    ? null
    : [...letters].reduce((at, letter) => at * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellText(
  { type, text, format }: { type: string; text: string; format: Format | undefined },
  { shared, is1904 }: Sheet,
): string {
  if (type === 's') return shared[Number(text)] ?? '';
  if (type !== 'n' || text === '' || !Number.isFinite(Number(text))) return text;
  if (format?.isDay === true) return dayText(Number(text) + (is1904 ? 1_462 : 0));
  // Workbooks store 1234.56 as 1234.5599999999999: fifteen digits are what people typed.
  const plain = /^-?\d{1,15}$/.test(text) ? text : String(Number(Number(text).toPrecision(15)));
  return format?.unit ? `${format.unit} ${plain}` : plain;
}

/** A day by its number; the 60th is a day that the calendar does not have. */
function dayText(number: number): string {
  const ms = Math.round((number - 25_569 + (number < 60 ? 1 : 0)) * 86_400) * 1_000;
  const date = new Date(ms);
  if (Number.isNaN(date.getTime()) || number < 0) return String(number);
  return date.toISOString().slice(0, 19).replace('T00:00:00', '').replace('T', ' ');
}
