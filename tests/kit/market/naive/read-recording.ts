/**
 * A second reader of recordings, written from the description of their formats with none of the product's code: the product's
 * reading of a recording is judged by this one.
 */

/** One row: its time, and its prices as written in the file. */
export interface NaiveRow {
  readonly timeMs: number;
  /** Bid and ask, or open, high, low and close. */
  readonly prices: readonly string[];
}

export interface NaiveRecording {
  readonly form: 'ticks' | 'candles';
  readonly rows: readonly NaiveRow[];
}

/** A quote as the feed must plan it: the row's own time, and whole units of the product's last decimal. */
export interface NaiveQuote {
  readonly timeMs: number;
  readonly price: bigint;
}

/** HistData uses Eastern standard time, in summer too. */
const HISTDATA_BEHIND_UTC_MS = 5 * 60 * 60 * 1000;

/** Reads a file as a recording, or returns a short reason why it is none. */
export function readNaively(text: string): NaiveRecording | string {
  const lines = text.split('\n').map((line) => line.trim());
  while (lines.at(-1) === '') lines.pop();
  const header = lines[0] !== undefined && !/\d/.test(lines[0]) ? (lines.shift() as string) : null;
  const first = lines[0] === undefined ? null : fieldsOf(lines[0]);
  if (first === null) return 'its first row has no time and prices';
  const isCandles = header === null ? first.prices.length >= 4 : /\bopen\b/i.test(header);
  const wanted = isCandles ? 4 : 2;
  const rows: NaiveRow[] = [];
  for (const [place, line] of lines.entries()) {
    const fields = fieldsOf(line);
    if (fields === null || fields.prices.length < wanted) return `row ${place + 1} is no row of a recording`;
    const apartMs = fields.timeMs - (rows.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY);
    if (apartMs < 0 || (isCandles && apartMs === 0))
      return `row ${place + 1} is not later than the one before`;
    rows.push({ timeMs: fields.timeMs, prices: fields.prices.slice(0, wanted) });
  }
  return { form: isCandles ? 'candles' : 'ticks', rows };
}

function fieldsOf(line: string): { timeMs: number; prices: string[] } | null {
  const fields = line.split(line.includes(';') ? ';' : ',').map((field) => field.trim());
  // A symbol may stand before the time.
  const timed = fields.findIndex((field) => timeOf(field) !== null);
  if (timed !== 0 && timed !== 1) return null;
  const prices = fields.slice(timed + 1);
  const end = prices.findIndex((field) => !/^\d+(\.\d+)?$/.test(field));
  const timeMs = timeOf(fields[timed] as string) as number;
  return { timeMs, prices: end < 0 ? prices : prices.slice(0, end) };
}

function timeOf(field: string): number | null {
  if (/^\d{13}$/.test(field)) return Number(field);
  const parts = field.match(
    /^(\d{4})-?(\d\d)-?(\d\d)[ T](\d\d):?(\d\d):?(\d\d)?\.?(\d*)(Z|[+-]\d\d:?\d\d)?$/,
  );
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second, fraction, zone] = parts;
  const ms = Number(`${fraction ?? ''}000`.slice(0, 3));
  const wall = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second ?? 0),
    ms,
  );
  const isHistData = !field.includes(':');
  return isHistData ? wall + HISTDATA_BEHIND_UTC_MS : wall - zoneMs(zone);
}

function zoneMs(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** Ticks become the middle of bid and ask; a candle becomes four quotes. All are rounded down to `decimals`. */
export function quotesOf(recording: NaiveRecording, decimals: number): NaiveQuote[] {
  if (recording.form === 'ticks') {
    return recording.rows.map(({ timeMs, prices: [bid, ask] }) => ({
      timeMs,
      price: (unitsOf(bid as string) + unitsOf(ask as string)) / (2n * unitsPerPoint(decimals)),
    }));
  }
  const lengthMs = stepOf(recording.rows);
  const quotes: NaiveQuote[] = [];
  for (const { timeMs, prices } of recording.rows) {
    const [open, high, low, close] = prices.map((text) => unitsOf(text) / unitsPerPoint(decimals)) as [
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    const isFalling = close < open;
    quotes.push({ timeMs, price: open });
    quotes.push({ timeMs: timeMs + lengthMs / 4, price: isFalling ? high : low });
    quotes.push({ timeMs: timeMs + lengthMs / 2, price: isFalling ? low : high });
    quotes.push({ timeMs: timeMs + lengthMs - 1, price: close });
  }
  return quotes;
}

/** A candle's length: the smallest distance between two of them. */
export function stepOf(rows: readonly NaiveRow[]): number {
  const steps = rows.slice(1).map((row, place) => row.timeMs - (rows[place] as NaiveRow).timeMs);
  return steps.length === 0 ? 60_000 : steps.reduce((least, step) => (step < least ? step : least));
}

/** Ten decimals are more than any recording has. */
const UNITS = 10n ** 10n;
const unitsPerPoint = (decimals: number): bigint => UNITS / 10n ** BigInt(decimals);

function unitsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole) * UNITS + BigInt(`${fraction}0000000000`.slice(0, 10));
}

/** Parses a price or amount into whole units of its last decimal. */
export function pointsOf(text: string, decimals: number): bigint {
  return unitsOf(text) / unitsPerPoint(decimals);
}
