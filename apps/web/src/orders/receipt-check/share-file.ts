import { saveFile } from '@fairtick/ui/save-file';

export const canShareFiles = (): boolean => typeof navigator.canShare === 'function';

/** Passes a file on by the device's own sheet; where it has none for this kind, saves it. */
export async function shareFile(file: File): Promise<void> {
  const data = { files: [file] };
  if (!canShareFiles() || !navigator.canShare(data)) return saveFile(file);
  try {
    await navigator.share(data);
  } catch (error) {
    // The reader has closed the sheet: that is an answer.
    if (!(error instanceof DOMException && error.name === 'AbortError')) saveFile(file);
  }
}

/** A document as a file, for `fairtick verify` or any other verifier. */
export const documentFile = (name: string, content: object): File =>
  new File([JSON.stringify(content, null, 2)], `fairtick-${name}.json`, { type: 'application/json' });
