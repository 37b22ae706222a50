/** Saves a document as a file, for `fairtick verify` or any other verifier. */
export function saveDocument(name: string, document_: object): void {
  const text = JSON.stringify(document_, null, 2);
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `fairtick-${name}.json`;
  link.click();
  URL.revokeObjectURL(url);
}
