import { formatDecimal, parseAmount } from '@fairtick/money';
import { isDay } from '@fairtick/protocol/day';
import type { OfficeData } from '@fairtick/protocol/office';
import { showHidden } from '@fairtick/protocol/plain-text';
import { parse } from 'csv-parse/sync';
import type { Asset } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { hashInput } from '../../platform/idempotency.ts';

const COLUMNS = ['date', 'amount', 'reference', 'counterparty'] as const;
const MAX_LINES = 10_000;
const MAX_TEXT = 200;

interface Line {
  readonly date: string;
  readonly amount: bigint;
  readonly reference: string;
  readonly counterparty: string;
}

/**
 * Imports a bank's statement. Two identical lines are two payments: each gets its position among the identical lines of the file,
 * so that importing the same file, or one that overlaps it, adds nothing twice.
 * @throws RefusalError that names the line and column that can't be read
 */
export async function importStatement(
  pool: Pool,
  { csv, asset, staffId }: { csv: string; asset: Asset; staffId: string },
): Promise<{ lines: number; new: number }> {
  const lines = readStatement(csv, asset);
  const hashes = hashLines(lines, asset);
  const { rows } = await pool.query<{ new: number }>(
    'select statement_import($1, $2::smallint, $3, $4, $5, $6, $7) as new',
    [
      staffId,
      asset.id,
      hashes,
      lines.map(({ date }) => date),
      lines.map(({ amount }) => amount),
      lines.map(({ reference }) => showHidden(reference)),
      lines.map(({ counterparty }) => showHidden(counterparty)),
    ],
  );
  return { lines: lines.length, new: (rows[0] as { new: number }).new };
}

function hashLines(lines: readonly Line[], asset: Asset): Buffer[] {
  const alike = new Map<string, number>();
  return lines.map(({ date, amount, reference, counterparty }) => {
    const fields = { asset: asset.code, date, amount: String(amount), reference, counterparty };
    const text = JSON.stringify(fields);
    const place = alike.get(text) ?? 0;
    alike.set(text, place + 1);
    return hashInput('statement', { ...fields, place });
  });
}

const PREVIEWED = 500;

/** The lines that an import would add. @throws RefusalError as the import does */
export async function previewStatement(
  pool: Pool,
  { csv, asset }: { csv: string; asset: Asset },
): Promise<OfficeData<'statement/preview'>> {
  const lines = readStatement(csv, asset);
  const hashes = hashLines(lines, asset);
  const { rows } = await pool.query<{ hash: string }>(
    `select encode(line_hash, 'hex') as hash from statement_lines where line_hash = any ($1)`,
    [hashes],
  );
  const known = new Set(rows.map(({ hash }) => hash));
  const isKnown = (place: number) => known.has((hashes[place] as Buffer).toString('hex'));
  return {
    lines: lines.length,
    new: lines.filter((_line, place) => !isKnown(place)).length,
    items: lines.slice(0, PREVIEWED).map((line, place) => ({
      bookedOn: line.date,
      amount: formatDecimal(line.amount, asset.scale),
      reference: showHidden(line.reference),
      counterparty: showHidden(line.counterparty),
      isKnown: isKnown(place),
    })),
  };
}

export function readStatement(csv: string, asset: Asset): Line[] {
  let rows: Record<string, string>[];
  try {
    rows = parse(csv, { bom: true, columns: true, trim: true, skip_empty_lines: true, to: MAX_LINES + 1 });
  } catch (error) {
    const { lines = 1 } = error as { lines?: number };
    throw unreadable(lines, '…');
  }
  if (rows.length > MAX_LINES) throw unreadable(MAX_LINES + 2, '…');
  return rows.map((row, place) => {
    for (const column of COLUMNS) if (row[column] === undefined) throw unreadable(1, column);
    return readLine(row as Record<(typeof COLUMNS)[number], string>, place + 2, asset);
  });
}

function readLine(
  { date, amount, reference, counterparty }: Record<(typeof COLUMNS)[number], string>,
  line: number,
  asset: Asset,
): Line {
  const isOut = amount.startsWith('-');
  const value = parseAmount(isOut ? amount.slice(1) : amount, asset.scale);
  if (!isDay(date)) throw unreadable(line, 'date');
  if (value === null) throw unreadable(line, 'amount');
  if (reference === '' || showHidden(reference).length > MAX_TEXT) throw unreadable(line, 'reference');
  if (showHidden(counterparty).length > MAX_TEXT) throw unreadable(line, 'counterparty');
  return { date, amount: isOut ? -value : value, reference, counterparty };
}

const unreadable = (line: number, column: string) =>
  new RefusalError('STATEMENT_UNREADABLE', {
    parameters: { line: String(line), column },
    fields: { csv: 'STATEMENT_UNREADABLE' },
  });
