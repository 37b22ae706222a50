/**
 * The archive's form of a bundle: its entries as they were hashed, one line each. In a tick or gap `#ID#` stands for the hash of its
 * rules, which compresses badly; ID is the log index of these rules. bundle_texts (SQL) reads the same form.
 */
const SHORTENED = /^((?:tick|gap)\|[^#]*)#([0-9]+)#/;
/** Fields of a tick's or gap's text before the hash of the rules: kind, version, symbol, number, time, price or reason. */
const HASHED = /^((?:[^|]*\|){6})[0-9a-f]{64}/;

/** @param rulesIds for each entry that is a tick or gap, the log index of the rules that it names; else null */
export const packBundle = (texts: readonly string[], rulesIds: readonly (number | null)[]): string =>
  texts
    .map((text, place) => (rulesIds[place] == null ? text : text.replace(HASHED, `$1#${rulesIds[place]}#`)))
    .join('\n');

/**
 * The texts that were packed, byte for byte.
 * @param readHashes the hashes of the rules at some log indexes, as 64 hex digits
 */
export async function unpackBundle(
  body: string,
  readHashes: (rulesIds: ReadonlySet<number>) => Promise<ReadonlyMap<number, string>>,
): Promise<string[]> {
  const lines = body.split('\n');
  const named = lines.flatMap((line) => SHORTENED.exec(line)?.[2] ?? []);
  const hashes = await readHashes(new Set(named.map(Number)));
  return lines.map((line) => line.replace(SHORTENED, (_, head, id) => `${head}${hashes.get(Number(id))}`));
}
