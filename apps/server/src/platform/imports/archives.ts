import { gunzipSync } from 'node:zlib';
import { type UnzipFileInfo, unzipSync } from 'fflate';

const MAX_BYTES = 500_000_000;
const SIGNS: readonly (readonly [format: string, at: number, bytes: string])[] = [
  ['7z', 0, '377abcaf271c'],
  ['RAR', 0, '526172211a07'],
  ['bzip2', 0, '425a68'],
  ['xz', 0, 'fd377a585a00'],
  ['Zstandard', 0, '28b52ffd'],
  ['tar', 257, '7573746172'],
];
const PACKED = { gzip: /^1f8b/, zip: /^504b0(304|506)/ };
const TABLES = [/\.csv$/i, /\.(txt|tsv|prn|asc)$/i];

/** The one table in a ZIP or gzip file, or the file itself. @throws Error with the reason for any other archive */
export function unpacked(file: Uint8Array, maxBytes = MAX_BYTES): Uint8Array {
  const table = PACKED.zip.test(signOf(file))
    ? tableOfZip(file, maxBytes)
    : PACKED.gzip.test(signOf(file))
      ? gunzipped(file, maxBytes)
      : file;
  const [format] = SIGNS.find(([, at, sign]) => signOf(table.subarray(at)).startsWith(sign)) ?? [];
  if (format) throw new Error(`is an archive (${format}): unpack it, and name the table in it`);
  if (table !== file && Object.values(PACKED).some((sign) => sign.test(signOf(table))))
    throw new Error('is an archive with an archive in it: unpack it, and name the table in it');
  return table;
}

const signOf = (file: Uint8Array): string => Buffer.from(file.subarray(0, 6)).toString('hex');

function gunzipped(file: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return gunzipSync(file, { maxOutputLength: maxBytes });
  } catch (error) {
    throw damaged((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE', maxBytes);
  }
}

const damaged = (isTooLarge: boolean, maxBytes: number): Error =>
  new Error(
    isTooLarge
      ? `is an archive whose table is larger than ${maxBytes} bytes`
      : 'is an archive that is damaged or has a password',
  );

/** A source may pack a report beside the table: HistData has a `.txt` of gaps. */
function tableOfZip(file: Uint8Array, maxBytes: number): Uint8Array {
  const entries = new Map<string, UnzipFileInfo>();
  const unzip = (takes: (entry: UnzipFileInfo) => boolean) => {
    try {
      return unzipSync(file, { filter: takes });
    } catch {
      throw damaged(false, maxBytes);
    }
  };
  unzip((entry) => {
    if (!/\/$|(^|\/)[._]/.test(entry.name)) entries.set(entry.name, entry);
    return false;
  });
  const names = [...entries.keys()];
  const tables =
    TABLES.map((form) => names.filter((name) => form.test(name))).find((found) => found[0]) ?? [];
  const [name, another] = tables;
  if (name === undefined || another !== undefined) {
    const listed = `${names.slice(0, 5).join(', ')}${names.length > 5 ? ' and more' : ''}`;
    throw new Error(
      `is an archive with ${tables.length} tables (.csv, .txt) of ${names.length} files: ${listed}`,
    );
  }
  if ((entries.get(name)?.originalSize ?? 0) > maxBytes) throw damaged(true, maxBytes);
  const table = unzip((entry) => entry.name === name)[name];
  // fflate writes no more than the size that the archive states.
  if (table?.length !== entries.get(name)?.originalSize) throw damaged(false, maxBytes);
  return table as Uint8Array;
}
