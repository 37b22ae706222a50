/** How long a browser may take to read what it saves, ms. */
const READ_MS = 60_000;

/** Saves a file on the reader's device. */
export function saveFile(file: File): void {
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: url, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), READ_MS);
}
