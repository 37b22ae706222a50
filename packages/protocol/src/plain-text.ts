/**
 * Text that people write for others must look like what it is; otherwise it is refused. Invisible characters, and those that
 * change the text direction around them, make one text look like another ([decision
 * 124](docs/decisions/124-hidden-characters.md)).
 */

/** An emoji as keyboards produce it. Joiners, selectors and tags inside it are allowed, because they define its visible form. */
const EMOJI = String.raw`\p{RGI_Emoji}|\p{Extended_Pictographic}[\uFE0E\uFE0F]`;
/**
 * Control and format characters, private-use and unpaired ones, line separators; characters without a default glyph (fillers,
 * selectors, tags); and the blank Braille pattern.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]`;
const HIDDEN_IN_LINES = String.raw`[${HIDDEN}--[\n\r\t]]`;

const matcher = (hidden: string) => ({
  any: new RegExp(hidden, 'v'),
  each: new RegExp(`(?:${EMOJI})|(${hidden})`, 'gv'),
});
const ONE_LINE = matcher(HIDDEN);
const LINES = matcher(HIDDEN_IN_LINES);

/** Whether a single-line text has no hidden characters. */
export const isPlainLine = (text: string): boolean => isPlain(text, ONE_LINE);
/** The same for a text that may have line ends and tabs. */
export const isPlainText = (text: string): boolean => isPlain(text, LINES);

function isPlain(text: string, { any, each }: typeof LINES): boolean {
  if (!any.test(text)) return true;
  for (const [, hidden] of text.matchAll(each)) if (hidden !== undefined) return false;
  return true;
}

/** Shows hidden characters as `[U+202E]`, for a line that its author can't be asked to rewrite. */
export function showHidden(text: string): string {
  return replaceHidden(text, ONE_LINE, (sign) => {
    const hex = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `[U+${hex}]`;
  });
}

/** Removes hidden characters from articles, because web pages often contain optional word breaks. */
export const withoutHidden = (text: string): string => replaceHidden(text, LINES, () => '');

function replaceHidden(text: string, { any, each }: typeof LINES, by: (sign: string) => string): string {
  if (!any.test(text)) return text;
  return text.replace(each, (found: string, hidden: string | undefined) =>
    hidden === undefined ? found : by(hidden),
  );
}
