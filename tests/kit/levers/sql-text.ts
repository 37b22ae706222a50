/**
 * What a function's text does to tables, as far as words can tell: comments and literals are taken out first, so that nothing
 * in them counts. SQL that is put together at run time is not seen; functions with `execute` are therefore on a list of their own.
 */
export interface SqlEffects {
  /** Every name that stands in the text, whatever it names. */
  readonly words: ReadonlySet<string>;
  /** What is inserted into, updated, merged into, deleted from or truncated. */
  readonly written: ReadonlySet<string>;
  /** Columns of a row on its way into a table that a trigger sets. */
  readonly setOnNew: ReadonlySet<string>;
  readonly isDynamic: boolean;
}

const NAME = `(?:"(?:[^"]|"")*"|[a-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)`;
const TOKEN = new RegExp(`${NAME}(?:\\s*\\.\\s*${NAME})*|:=|[=;(),*]`, 'giu');

export function effectsOf(text: string): SqlEffects {
  const tokens = [...bare(text).matchAll(TOKEN)].map(([token]) => plain(token));
  const written = new Set<string>();
  const setOnNew = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const next = (by: number) => tokens[at + by] ?? '';
    const isTarget =
      (token === 'into' && ['insert', 'merge'].includes(next(-1))) ||
      (token === 'from' && next(-1) === 'delete') ||
      // Not `for update`, `for no key update`, `on conflict do update set`.
      (token === 'update' && !['for', 'key', 'do'].includes(next(-1))) ||
      token === 'truncate';
    if (isTarget) written.add(next(next(1) === 'only' || next(1) === 'table' ? 2 : 1));
    if (token.startsWith('new.') && (next(1) === ':=' || next(1) === '=')) setOnNew.add(token.slice(4));
    if (token === 'into' && /^new(\.|$)/.test(next(1))) setOnNew.add(next(1).slice(4) || '*');
    if (token === 'new' && (next(1) === ':=' || next(1) === '=')) setOnNew.add('*');
  }
  return { words: new Set(tokens), written, setOnNew, isDynamic: tokens.includes('execute') };
}

/** Lower case and unquoted, as the catalogue has names. */
function plain(token: string): string {
  return token
    .split('.')
    .map((part) => {
      const name = part.trim();
      return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
    })
    .join('.');
}

/** Without comments and literals. */
function bare(text: string): string {
  const literal = /--[^\n]*|\/\*[\s\S]*?\*\/|[eu]?&?'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/giu;
  return text.replace(literal, ' ');
}
