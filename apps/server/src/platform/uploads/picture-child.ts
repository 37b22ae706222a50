import { randomInt } from 'node:crypto';
import { beginningOf, keptSize, type PictureKind, pictureKind, type Size } from '@fairtick/protocol/picture';
import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { MAX_PICTURE_BYTES, packPicture, RESIDENT_BYTES, type Refused } from './picture-format.ts';

/**
 * Runs as a process for one picture: makes a new one of its pixels, so that no other bytes of the sender leave it. Exits with 3 and the
 * refusal's name on stderr for a picture that is not accepted.
 */
const WATCH_MS = 10;
const THUMB_SIDE = 320;
/** Smaller pictures have no border to spare. */
const LEAST_SHIFTED = 64;
const LEAST_SIDE = 16;
/** Long side, short side that is kept, and JPEG quality, tried until the picture is small enough. */
const STEPS = [
  [2400, 1080, 82],
  [2400, 1080, 62],
  [1600, 720, 62],
  [1200, 540, 50],
] as const;

/** The one decoder of each kind, and the most pixels that it takes. JPEG is shrunk while it is decoded; that of HEIC holds all pixels. */
const DECODERS = {
  jpeg: { loader: 'VipsForeignLoadJpegBuffer', pixels: 210_000_000 },
  png: { loader: 'VipsForeignLoadPngBuffer', pixels: 120_000_000 },
  webp: { loader: 'VipsForeignLoadWebpBuffer', pixels: 120_000_000 },
  gif: { loader: 'VipsForeignLoadNsgifBuffer', pixels: 50_000_000 },
  avif: { loader: 'VipsForeignLoadHeifBuffer', pixels: 50_000_000 },
  heic: { loader: null, pixels: 50_000_000 },
} as const satisfies Record<PictureKind, { loader: string | null; pixels: number }>;

// The kernel's limit also counts reserved memory; this one counts resident memory.
setInterval(() => {
  if (process.memoryUsage.rss() > RESIDENT_BYTES) refuse('unreadable');
}, WATCH_MS).unref();

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });

const picture = await readAll();
const kind = pictureKind(picture);
if (kind === null) refuse('type');
const { loader, pixels: limitInputPixels } = DECODERS[kind];
if (loader !== null) sharp.unblock({ operation: [loader] });
try {
  process.stdout.write(await remade(loader === null ? await decodedHeic(picture) : opened(picture)));
} catch (error) {
  refuse(/pixel limit/i.test(String(error)) ? 'pixels' : 'unreadable');
}

/** Cameras write files with faults, and downloads end early: all pixels that a decoder yields are taken. */
function opened(bytes: Buffer, failOn: SharpOptions['failOn'] = 'none'): Sharp {
  return sharp(bytes, { limitInputPixels, failOn, pages: 1, animated: false });
}

async function remade(source: Sharp): Promise<Buffer> {
  const { autoOrient: size } = await source.metadata();
  if (Math.min(size.width, size.height) < LEAST_SIDE) refuse('unreadable');
  const { data, info } = await source
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .resize({ ...keptSize(size), fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const raw = { raw: { width, height, channels } };
  if (data.subarray(channels).equals(data.subarray(0, -channels))) await demandWhole();
  const part = shifted(width, height);
  const jpeg = (to: Size, quality: number, of = part) =>
    sharp(data, raw)
      .extract(of)
      .resize({ ...to, fit: 'fill' })
      .jpeg({ quality })
      .toBuffer({ resolveWithObject: true });
  for (const [long, short, quality] of STEPS) {
    const full = await jpeg(keptSize(part, long, short), quality);
    if (full.data.length > MAX_PICTURE_BYTES) continue;
    const beginning = { ...part, ...beginningOf(part) };
    const thumb = await jpeg(keptSize(beginning, THUMB_SIDE, 0), 70, beginning);
    return packPicture({
      width: full.info.width,
      height: full.info.height,
      full: full.data,
      thumb: thumb.data,
    });
  }
  return refuse('unreadable');
}

/** A file that ends before its first pixel has one colour, as may a whole one. */
async function demandWhole(): Promise<void> {
  if (loader !== null) await opened(picture, 'error').resize(1).raw().toBuffer();
}

/** Decodes HEIC, which sharp's build does not, and turns it upright. */
async function decodedHeic(bytes: Buffer): Promise<Sharp> {
  const { default: libheif } = await import('libheif-js/wasm-bundle.js');
  await libheif.ready;
  const [image] = new libheif.HeifDecoder().decode(bytes);
  if (!image) refuse('unreadable');
  const size = { width: image.get_width(), height: image.get_height() };
  const bytesNeeded = size.width * size.height * 4;
  if (size.width * size.height > limitInputPixels) refuse('pixels');
  const shown = await new Promise<{ data: Uint8ClampedArray } | null>((resolve) =>
    image.display({ data: new Uint8ClampedArray(bytesNeeded), ...size }, resolve),
  );
  if (shown === null) refuse('unreadable');
  return sharp(shown.data, { raw: { ...size, channels: 4 } });
}

/** Shifts the blocks of a JPEG, so that no chosen pixels are re-encoded to the sender's bytes. */
function shifted(width: number, height: number) {
  const isSmall = width < LEAST_SHIFTED || height < LEAST_SHIFTED;
  const [left, top] = isSmall ? [0, 0] : [randomInt(1, 8), randomInt(1, 8)];
  return { left, top, width: width - left, height: height - top };
}

async function readAll(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function refuse(why: Refused): never {
  process.stderr.write(why);
  process.exit(3);
}
