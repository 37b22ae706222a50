import { randomInt } from 'node:crypto';
import sharp from 'sharp';
import { MAX_PICTURE_BYTES, MAX_PIXELS, packPicture, RESIDENT_BYTES, type Refused } from './image-format.ts';

/**
 * Runs as a process for one picture: reads it from stdin, makes a new picture of its pixels, writes that to stdout and
 * ends. Of the sender's bytes only pixels leave this process. Exits with 3 and the refusal's name on stderr for a
 * picture that is not accepted.
 */
const WATCH_MS = 10;
const THUMB_SIDE = 320;
/** Smaller pictures have no border to spare. */
const LEAST_SHIFTED = 64;
/** Longest side in pixels and JPEG quality, tried until the picture is small enough. */
const STEPS = [
  [2400, 82],
  [2000, 74],
  [1600, 62],
  [1200, 50],
] as const;

const LOADERS: readonly (readonly [RegExp, string])[] = [
  [/^ffd8ff/, 'VipsForeignLoadJpegBuffer'],
  [/^89504e470d0a1a0a/, 'VipsForeignLoadPngBuffer'],
  [/^52494646.{8}57454250/, 'VipsForeignLoadWebpBuffer'],
];

// The kernel's limit also counts reserved memory; this one counts resident memory.
setInterval(() => {
  if (process.memoryUsage.rss() > RESIDENT_BYTES) refuse('unreadable');
}, WATCH_MS).unref();

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });

const picture = await readAll();
const loader = LOADERS.find(([sign]) => sign.test(picture.subarray(0, 12).toString('hex')))?.[1];
if (loader === undefined) refuse('type');
sharp.unblock({ operation: [loader] });
try {
  process.stdout.write(await remade(picture));
} catch (error) {
  refuse(/pixel limit/i.test(String(error)) ? 'pixels' : 'unreadable');
}

async function remade(bytes: Buffer): Promise<Buffer> {
  const source = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'warning', pages: 1, animated: false });
  const { width, height } = await source.metadata();
  if (!width || !height || width < 16 || height < 16) refuse('unreadable');
  const pixels = await source
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .resize(STEPS[0][0], STEPS[0][0], { fit: 'inside', withoutEnlargement: true })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = {
    raw: { width: pixels.info.width, height: pixels.info.height, channels: pixels.info.channels },
  };
  const part = shifted(pixels.info.width, pixels.info.height);
  for (const [side, quality] of STEPS) {
    const full = await sharp(pixels.data, raw)
      .extract(part)
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality })
      .toBuffer({ resolveWithObject: true });
    if (full.data.length > MAX_PICTURE_BYTES) continue;
    const thumb = await sharp(pixels.data, raw)
      .extract(part)
      .resize(THUMB_SIDE, THUMB_SIDE, { fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: 70 })
      .toBuffer();
    return packPicture({ width: full.info.width, height: full.info.height, full: full.data, thumb });
  }
  return refuse('unreadable');
}

/**
 * Cuts off a random few columns and rows. A JPEG consists of blocks of 8 by 8 pixels; with shifted blocks all its bytes
 * differ, even where the pixels were chosen so that re-encoding them yields the sender's bytes.
 */
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
