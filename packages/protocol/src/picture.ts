/** Pictures that people send. The devices that shrink them and the server that re-encodes them keep the same rules. */

/** The most bytes of a picture as sent. */
export const MAX_SENT_BYTES = 10 * 1024 * 1024;

export type PictureKind = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'heic';

const SIGNATURES: readonly (readonly [RegExp, PictureKind])[] = [
  [/^\xff\xd8\xff/, 'jpeg'],
  [/^\x89PNG\r\n.\n/, 'png'],
  [/^RIFF.{4}WEBP/s, 'webp'],
  [/^GIF8[79]a/, 'gif'],
  // The brands of the container: the main one, its version, and the compatible ones. A film has none of these.
  [/^.{4}ftyp(?:.{4})*?avi[fs]/s, 'avif'],
  [/^.{4}ftyp(?:.{4})*?(?:hei[cmsx]|hev[cmsx]|mif1)/s, 'heic'],
];
const HEAD_BYTES = 64;

/** The kind of a picture by its first bytes, whatever its name and media type say; null if it is none that is accepted. */
export function pictureKind(bytes: Uint8Array): PictureKind | null {
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES));
  return SIGNATURES.find(([signature]) => signature.test(head))?.[1] ?? null;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The most pixels of a kept picture, and its longest side, which a JPEG bounds by 65 535. */
const MAX_KEPT_PIXELS = 32_000_000;
const MAX_KEPT_SIDE = 65_000;

/**
 * The size at which a picture is kept: its long side is at most `long`, unless that made the short side less than `short`. So
 * a long screenshot keeps a width at which its text can be read. A picture is never enlarged.
 */
export function keptSize({ width, height }: Size, long = 2400, short = 1080, pixels = MAX_KEPT_PIXELS): Size {
  const [least, most] = [Math.min(width, height), Math.max(width, height)];
  const scale = Math.min(
    1,
    Math.max(long / most, short / least),
    MAX_KEPT_SIDE / most,
    Math.sqrt(pixels / (width * height)),
  );
  const scaled = (side: number) => Math.max(1, Math.round(side * scale));
  return { width: scaled(width), height: scaled(height) };
}

/** A longer picture is shown small by its beginning, because the whole would be a thread. */
const LONG_RATIO = 3;

export const beginningOf = ({ width, height }: Size): Size => ({
  width: Math.min(width, height * LONG_RATIO),
  height: Math.min(height, width * LONG_RATIO),
});
