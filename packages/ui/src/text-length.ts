/** From this share of its bound on, a text's length is shown. */
const SHOWN_FROM = 0.8;

/**
 * The length of a text against its bound. Controls have no `maxlength`, which cuts a pasted text without a word: a text that is too
 * long stays as it is, and the form hook, which knows it by `mark`, does not send it.
 */
export function lengthOf(text: string, most: number) {
  // An emoji is one character to who counts.
  const length = [...text].length;
  const isOver = length > most;
  return {
    isOver,
    /** Null while there is room enough. */
    count: length < most * SHOWN_FROM ? null : `${length} / ${most}`,
    mark: isOver ? { 'data-over': '' } : {},
  };
}
