/**
 * What people write reaches other people as it looks, or not at all. Characters that nobody sees, and those that turn the
 * direction of what stands around them, make one text look like another ([decision 124](../../../docs/decisions/124-hidden-characters.md)).
 */

/** An emoji as keyboards make it. Joiners, selectors and tags within it are seen: they are what it looks like. */
const EMOJI = String.raw`\p{RGI_Emoji}|\p{Extended_Pictographic}[\uFE0E\uFE0F]`;
/**
 * Control and format characters, private and unpaired ones, separators of lines; whatever is shown as nothing by default (fillers,
 * selectors, tags); and the one pattern of Braille without a dot.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]`;
const HIDDEN_IN_LINES = String.raw`[${HIDDEN}--[\n\r\t]]`;

const matcher = (hidden: string) => ({
  any: new RegExp(hidden, 'v'),
  each: new RegExp(`(?:${EMOJI})|(${hidden})`, 'gv'),
});
const ONE_LINE = matcher(HIDDEN);
const LINES = matcher(HIDDEN_IN_LINES);

/** Whether all of a text in one line can be seen. */
export const isPlainLine = (text: string): boolean => isPlain(text, ONE_LINE);
/** The same of a text that may have line ends and tabs. */
export const isPlainText = (text: string): boolean => isPlain(text, LINES);

function isPlain(text: string, { any, each }: typeof LINES): boolean {
  if (!any.test(text)) return true;
  for (const [, hidden] of text.matchAll(each)) if (hidden !== undefined) return false;
  return true;
}

/** A line that somebody else wrote and nobody can be asked to write anew: what is hidden in it is named, as `[U+202E]`. */
export function showHidden(text: string): string {
  return replaceHidden(text, ONE_LINE, (sign) => {
    const hex = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `[U+${hex}]`;
  });
}

/** The same of an article, whose pages are full of places where a word may break: these are left out. */
export const withoutHidden = (text: string): string => replaceHidden(text, LINES, () => '');

function replaceHidden(text: string, { any, each }: typeof LINES, by: (sign: string) => string): string {
  if (!any.test(text)) return text;
  return text.replace(each, (found: string, hidden: string | undefined) =>
    hidden === undefined ? found : by(hidden),
  );
}
