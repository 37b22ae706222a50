export const MAX_PICTURE_BYTES = 2 * 1024 * 1024;
/** Memory of the decoding child: resident bytes, and the kernel's limit of its data, reserved or used. */
export const RESIDENT_BYTES = 800 * 1024 * 1024;
export const DATA_KIBIBYTES = 1_700_000;

export const REFUSALS = ['type', 'heic', 'unreadable', 'pixels'] as const;
export type Refused = (typeof REFUSALS)[number];

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly full: Buffer;
  /** Too small for any number on it to be read. */
  readonly thumb: Buffer;
}

const HEAD_BYTES = 12;
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

export function packPicture({ width, height, full, thumb }: Picture): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.writeUInt32BE(full.length, 8);
  return Buffer.concat([head, full, thumb]);
}

export function unpackPicture(bytes: Buffer): Picture {
  if (bytes.length < HEAD_BYTES) throw new Error('not a packed picture');
  const end = HEAD_BYTES + bytes.readUInt32BE(8);
  const picture = {
    width: bytes.readUInt32BE(0),
    height: bytes.readUInt32BE(4),
    full: bytes.subarray(HEAD_BYTES, end),
    thumb: bytes.subarray(end),
  };
  for (const part of [picture.full, picture.thumb]) {
    if (!part.subarray(0, JPEG.length).equals(JPEG)) throw new Error('not a packed picture');
  }
  return picture;
}
