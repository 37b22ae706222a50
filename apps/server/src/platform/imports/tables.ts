/** The signs between cells, the least ambiguous first. */
const DELIMITERS = ['\t', '|', ';', ','] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** A generator, so that a long recording is not held twice. */
export function* linesOf(text: string): Generator<string> {
  const end = /\r\n|\r|\n/g;
  let start = 0;
  for (let match = end.exec(text); match; match = end.exec(text)) {
    yield text.slice(start, match.index);
    start = end.lastIndex;
  }
  if (start < text.length) yield text.slice(start);
}

/**
 * The first delimiter that cuts at least half of the lines into the same number of cells, else the one that cuts the most: commas come
 * last, because they are in numbers too. Some exports end each cell with a tab, which is no delimiter.
 */
export function delimiterOf(lines: readonly string[]): Delimiter {
  let best: { delimiter: Delimiter; lines: number } = { delimiter: ',', lines: 0 };
  for (const delimiter of DELIMITERS) {
    const counts = new Map<number, number>();
    for (const line of lines) {
      const cells = cellsOf(line.replace(/\t(?=[,;"]|$)/g, ''), delimiter).length;
      if (cells > 1) counts.set(cells, (counts.get(cells) ?? 0) + 1);
    }
    const most = Math.max(0, ...counts.values());
    if (most * 2 >= lines.length && most > 0) return delimiter;
    if (most > best.lines) best = { delimiter, lines: most };
  }
  return best.delimiter;
}

/** The cells of a line, without quotes and spaces around them. A doubled quote in a quoted cell is a quote. */
export function cellsOf(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter).map((cell) => cell.trim());
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const sign of line) {
    if (sign === '"') isQuoted = !isQuoted;
    if (sign === delimiter && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += sign;
  }
  return [...cells, cell].map(unquoted);
}

/** Takes the quotes off a cell, also those of `="00123"`, the form in which spreadsheets keep leading zeros. */
export const unquoted = (cell: string): string => {
  const [, inner] = /^=?"([\s\S]*)"$/.exec(cell.trim()) ?? [];
  return inner === undefined ? cell.trim() : inner.replaceAll('""', '"').trim();
};

const MAX_NAME = 100;

/** A column's name for comparison: without case, spaces, punctuation and units in parentheses. */
export const columnName = (text: string): string =>
  text
    .slice(0, MAX_NAME)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\([^()]*\)|\[[^[\]]*\]/g, '')
    .replace(/[^\p{L}\p{N}]/gu, '');
