import { keptSize, MAX_SENT_BYTES, pictureKind, type Size } from '@fairtick/protocol/picture';
import { type ChangeEvent, type ClipboardEvent, type DragEvent, useRef, useState } from 'react';

/** Why a chosen file can't be sent: it has no bytes, can't be read any more, is no picture, or is too large. */
export type PictureFault = 'empty' | 'gone' | 'kind' | 'size';

/** A smaller file is sent as it is, if its pixels need no shrinking either. */
const SMALL_BYTES = 2 * 1024 * 1024;
/** The largest canvas of phones. */
const MAX_CANVAS_PIXELS = 16_000_000;
const QUALITY = 0.9;

/**
 * A file input that takes a picture and prepares it for sending, and the handlers of an element that takes one pasted or dropped.
 * Media types and extensions are often missing or wrong, so that only the content counts.
 * @param onTaken what is attached from now on: null as soon as another file is chosen, so that no earlier one is sent in its place
 */
export function usePicture(onTaken: (picture: File | null) => void) {
  const [fault, setFault] = useState<PictureFault | null>(null);
  const [isPreparing, setPreparing] = useState(false);
  const turn = useRef(0);
  const take = async (file: File) => {
    turn.current += 1;
    const own = turn.current;
    setFault(null);
    setPreparing(true);
    onTaken(null);
    const prepared = await prepare(file);
    // Another file was chosen meanwhile.
    if (own !== turn.current) return;
    setPreparing(false);
    if (prepared instanceof File) onTaken(prepared);
    else setFault(prepared);
  };
  const takeFirst = (event: ClipboardEvent | DragEvent, [file]: Iterable<File>) => {
    if (!file) return;
    event.preventDefault();
    void take(file);
  };
  return {
    input: {
      type: 'file',
      accept: 'image/*,.heic,.heif',
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        const [file] = event.target.files ?? [];
        // A closed dialog must not remove the picture. Resetting lets the same file be chosen again.
        event.target.value = '';
        if (file) void take(file);
      },
    },
    zone: {
      onPaste: (event: ClipboardEvent) => {
        const { clipboardData } = event;
        // Office programs put a picture of a text beside the text.
        if (clipboardData.types.includes('text/plain')) return;
        takeFirst(event, clipboardData.files);
      },
      onDragOver: (event: DragEvent) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      },
      onDrop: (event: DragEvent) => takeFirst(event, event.dataTransfer.files),
    },
    fault,
    isPreparing,
    forget: () => setFault(null),
  };
}

/**
 * The picture in memory, so that a file that vanishes later does no harm: upright and shrunk where this browser can do that, else as
 * it is. The server decodes what this browser does not.
 */
async function prepare(file: File): Promise<File | PictureFault> {
  const bytes = await file.arrayBuffer().catch(() => null);
  if (bytes === null) return 'gone';
  if (bytes.byteLength === 0) return 'empty';
  const kind = pictureKind(new Uint8Array(bytes));
  const original = kind !== null && bytes.byteLength <= MAX_SENT_BYTES ? new Blob([bytes]) : null;
  const shrunk = await redrawn(new Blob([bytes]), original !== null).catch(() => null);
  const sent = shrunk ?? original;
  if (sent === null) return kind === null ? 'kind' : 'size';
  if (sent.size > MAX_SENT_BYTES) return 'size';
  return new File([sent], file.name, { lastModified: file.lastModified });
}

/**
 * The picture as a JPEG of the size at which it is kept. An image element applies the orientation of a camera in every browser;
 * `createImageBitmap` does not. Null if the canvas fails, or if the original does as well.
 */
async function redrawn(bytes: Blob, isFit: boolean): Promise<Blob | null> {
  const image = new Image();
  const url = URL.createObjectURL(bytes);
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = reject;
      image.src = url;
    });
    const size = { width: image.naturalWidth, height: image.naturalHeight };
    const kept = keptSize(size);
    const drawn = keptSize(size, undefined, undefined, MAX_CANVAS_PIXELS);
    const isSmall = bytes.size <= SMALL_BYTES && kept.width === size.width && kept.height === size.height;
    if (isFit && (isSmall || drawn.width < kept.width)) return null;
    return await drawnOn(image, drawn);
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function drawnOn(image: HTMLImageElement, { width, height }: Size): Promise<Blob | null> {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  if (!context) return null;
  const paint = (colour: string) => {
    context.fillStyle = colour;
    context.fillRect(0, 0, width, height);
  };
  // A canvas without memory stays empty, and a browser that hides its device reads noise from it.
  paint('#406080');
  const read = context.getImageData(width - 1, height - 1, 1, 1).data;
  if ([0x40, 0x60, 0x80, 0xff].some((value, at) => Math.abs(value - (read[at] ?? 0)) > 4)) return null;
  paint('#fff');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, width, height);
  const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  // Safari keeps a canvas's memory until its size changes.
  canvas.width = 0;
  return jpeg;
}
