import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { TILE_WIDTH } from '@fairtick/proof';

/**
 * The archive's format of a bundle: 256 entries in less than half of the size of their compressed text. Most entries are ticks. A
 * tick or gap is split into its fields, and the bundle holds all first fields, all second fields and so on, one line each, because
 * similar text compresses well together. The hash of the rules is 64 incompressible digits; the log index of the rules' entry
 * replaces it. An entry of another kind is one unsplit field.
 *
 * No field is empty or contains a line end, so an empty line means that an entry has no such field.
 */
const KINDS = ['tick', 'gap'];
/** Fields of a tick's or gap's text: kind, version, symbol, number, time, price or reason, hash of the rules, quotes. */
const HASH_PLACE = 6;
const QUOTES_PLACE = 7;
const QUOTE_FIELDS = 6;
/** The second field of a source that has sent nothing. */
const NONE = 'none';

const compress = promisify(zstdCompress);

/** @param rulesIds for each entry that is a tick or gap, the log index of the rules that it names */
export async function packBundle(
  texts: readonly string[],
  rulesIds: readonly (number | null)[],
): Promise<Buffer> {
  if (texts.length !== TILE_WIDTH) throw new Error(`a bundle has ${TILE_WIDTH} entries, not ${texts.length}`);
  const rows = texts.map((text, place) => fieldsOf(text, rulesIds[place] ?? null));
  const width = Math.max(...rows.map((row) => row.length));
  const lines: string[] = [];
  for (let column = 0; column < width; column += 1) for (const row of rows) lines.push(row[column] ?? '');
  return compress(lines.join('\n'), { params: { [constants.ZSTD_c_compressionLevel]: 15 } });
}

/**
 * The texts that were packed, byte for byte.
 * @param readHashes the hashes of the rules at some log indexes, as 64 hex digits
 */
export async function unpackBundle(
  body: Uint8Array,
  readHashes: (rulesIds: ReadonlySet<number>) => Promise<ReadonlyMap<number, string>>,
): Promise<string[]> {
  const lines = zstdDecompressSync(body, { maxOutputLength: 64 * 1024 * 1024 })
    .toString('utf8')
    .split('\n');
  const width = lines.length / TILE_WIDTH;
  if (!Number.isInteger(width)) throw new Error('a bundle of the archive is malformed');
  const rows = Array.from({ length: TILE_WIDTH }, (_, place) => {
    const row: string[] = [];
    for (let column = 0; column < width; column += 1) row.push(lines[column * TILE_WIDTH + place] as string);
    return row.slice(0, row.indexOf('') < 0 ? width : row.indexOf(''));
  });
  const split = rows.filter((row) => row.length > 1);
  const hashes = await readHashes(new Set(split.map((row) => Number(row[HASH_PLACE]))));
  return rows.map((row) => (row.length === 1 ? (row[0] as string) : textOf(row, hashes)));
}

function fieldsOf(text: string, rulesId: number | null): string[] {
  const fields = text.split('|');
  if (!KINDS.includes(fields[0] as string)) return [text];
  if (fields.length !== QUOTES_PLACE + 1 || rulesId === null) throw new Error('an entry without rules');
  const list = fields[QUOTES_PLACE] as string;
  const quotes = list === '' ? [] : list.split(';').flatMap(quoteFields);
  return [...fields.slice(0, HASH_PLACE), String(rulesId), ...quotes];
}

/** A quote's fields. One without a price is filled up, so that all quotes have as many. */
function quoteFields(quote: string): string[] {
  const fields = quote.split(',');
  return [...fields, ...Array<string>(QUOTE_FIELDS - fields.length).fill(NONE)];
}

function textOf(row: readonly string[], hashes: ReadonlyMap<number, string>): string {
  const hash = hashes.get(Number(row[HASH_PLACE]));
  if (hash === undefined) throw new Error(`the archive names no rules: ${row[HASH_PLACE]}`);
  const quotes: string[] = [];
  for (let at = QUOTES_PLACE; at < row.length; at += QUOTE_FIELDS) {
    const fields = row.slice(at, at + QUOTE_FIELDS);
    quotes.push((fields[1] === NONE ? fields.slice(0, 2) : fields).join(','));
  }
  return [...row.slice(0, HASH_PLACE), hash, quotes.join(';')].join('|');
}
