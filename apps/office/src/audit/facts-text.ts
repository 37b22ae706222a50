import { readable } from '../state/amounts.ts';

/** Texts and formats of the reader's language, for {@link factsText}. */
interface Words {
  word(prefix: string, name: string): string;
  time(ms: number): string;
  /** A fact's name before its value. */
  named(name: string, value: string): string;
  yes: string;
  no: string;
}

const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'min', 'max', 'fee', 'found', 'claimed', 'presets']);
const TIMES: ReadonlySet<string> = new Set(['at', 'effectiveMs']);
/** Facts whose values are words of ours, and the family of texts for each. */
const FAMILIES: Readonly<Record<string, string>> = { reason: 'reason', role: 'role', change: 'change' };
/** The texts that name a `kind`, by the area of the action, or by what was approved. */
const KINDS: Readonly<Record<string, string>> = {
  staff: 'change',
  rules: 'rule',
  factor: 'factor',
  statement: 'lineKind',
  statement_line: 'lineKind',
};
/** Letters shown of a hash: enough to tell two apart; the chain has the whole. */
const HASH_LETTERS = 12;

/** The facts of an entry of the audit log in words: `Found: 500.00 · Asset: USDT`. */
export function factsText(
  entry: { action: string; subject: string; facts: Readonly<Record<string, unknown>> },
  words: Words,
): string {
  const area = (entry.action === 'approve' ? entry.subject.split(':') : entry.action.split('.'))[0] ?? '';
  return Object.entries(entry.facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => words.named(words.word('fact', name), valueText(area, name, value, words)))
    .join(' · ');
}

function valueText(area: string, name: string, value: unknown, words: Words): string {
  if (Array.isArray(value)) return value.map((one) => valueText(area, name, one, words)).join(', ');
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number' && TIMES.has(name)) return words.time(value);
  const text = String(value);
  if (AMOUNTS.has(name)) return readable(text);
  if (name === 'content') return `${text.slice(0, HASH_LETTERS)}…`;
  const family = name === 'kind' ? KINDS[area] : FAMILIES[name];
  return family === undefined ? text : words.word(family, text);
}

/** `withdrawal:1000` is "Withdrawal 1000". */
export function subjectText(subject: string, word: Words['word']): string {
  const [kind = '', id = ''] = subject.split(/:(.*)/s);
  const own = word('subject', kind);
  return `${own === kind ? word('rule', kind) : own} ${id}`;
}
