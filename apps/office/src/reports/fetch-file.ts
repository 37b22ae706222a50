/**
 * Lets the browser download an export to its disk: a file of a million rows is too large for a page's memory. The server answers this
 * to pages of its own origin alone, and once.
 */
export function fetchFile(id: string): void {
  Object.assign(document.createElement('a'), { href: urlOf('file', id), download: '' }).click();
}

export const urlOf = (what: 'file' | 'note', id: string): string =>
  `/api/report/${what}?${new URLSearchParams({ id })}`;
