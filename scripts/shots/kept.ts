import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import type { Browser } from 'playwright-core';
import { PNG } from 'pngjs';

/** The kept pictures: one of each scene, small, in the repository. */
const FOLDER = join(import.meta.dirname, '../../tests/pictures');
/** CSS pixels that become one pixel of a kept picture, along each side. */
const SHRINK = 5;
/** Colours are kept in steps of this, so that the files are small. */
const STEP = 8;

/** The folder for pictures that differ from the kept ones. */
const DIFFERENT = 'shots/different';

/** Scales a picture down in the browser. */
export async function shrink(browser: Browser, picture: Buffer): Promise<PNG> {
  const page = await browser.newPage();
  try {
    const small = await page.evaluate(
      async ({ data, by }) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const canvas = new OffscreenCanvas(Math.round(image.width / by), Math.round(image.height / by));
        const drawing = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
        drawing.imageSmoothingQuality = 'high';
        drawing.drawImage(image, 0, 0, canvas.width, canvas.height);
        const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
        return btoa(String.fromCharCode(...bytes));
      },
      { data: picture.toString('base64'), by: SHRINK },
    );
    const decoded = PNG.sync.read(Buffer.from(small, 'base64'));
    decoded.data = decoded.data.map((value, at) => (at % 4 === 3 ? value : value - (value % STEP))) as Buffer;
    return decoded;
  } finally {
    await page.close();
  }
}

export function keep(part: string, name: string, picture: PNG, folder = FOLDER): void {
  mkdirSync(join(folder, part), { recursive: true });
  const file = PNG.sync.write(picture, { colorType: 2, deflateLevel: 9 });
  writeFileSync(join(folder, part, `${name}.png`), file);
}

/** @returns null if none is kept */
function kept(part: string, name: string): PNG | null {
  const file = join(FOLDER, part, `${name}.png`);
  return existsSync(file) ? PNG.sync.read(readFileSync(file)) : null;
}

/** A difference of colours that counts, as a share of that between black and white. */
const THRESHOLD = 0.1;
/** Small pixels along each side of the square that is looked at: 80 CSS pixels. */
const SQUARE = 16;
/**
 * Allowed differences: small pixels of the worst square, of 256, and the share of the whole picture. Two runs of one app differed by 64
 * and 3.0 % at most. A band of 150 CSS pixels that is empty is found in two of three scenes, one of 200 that is shifted by 40 in three
 * of four, and all below the first third 40 lower in nine of ten: what breaks the layout of several scenes is found.
 */
const MOST_IN_SQUARE = 90;
const MOST_SHARE = 0.04;
/** Scenes whose figures take another number of lines in each run, and two that last some seconds. */
const NEVER_ALIKE: ReadonlySet<string> = new Set([
  'order-check',
  'order-opening',
  'ledger',
  'ledger-days',
  'audit',
  'withdrawal-case',
  'ticket-armed',
  'identity-case',
  'chat',
]);

/** Leaves a picture that differs in `shots/different`. @returns what differs, where it is and how to accept it; null: figures, times and names at most */
export function difference(part: string, name: string, now: PNG): string | null {
  const difference = compare(part, name, now);
  if (difference === null) return null;
  keep(part, name, now, join(import.meta.dirname, '../..', DIFFERENT));
  return `${difference}; it is in ${DIFFERENT}/${part}/${name}.png, and \`npm run shots -- --keep ${name}\` accepts it`;
}

function compare(part: string, name: string, now: PNG): string | null {
  if (NEVER_ALIKE.has(name)) return null;
  const before = kept(part, name);
  if (before === null) return 'none is kept';
  if (now.width !== before.width || Math.abs(now.height - before.height) > SQUARE / 2)
    return `is ${now.width} × ${now.height}, was ${before.width} × ${before.height}`;
  const height = Math.min(now.height, before.height);
  const size = now.width * height * 4;
  const count = (options: { windowSize?: number }) =>
    pixelmatch(now.data.subarray(0, size), before.data.subarray(0, size), null, now.width, height, {
      threshold: THRESHOLD,
      includeAA: true,
      ...options,
    });
  const inSquare = count({ windowSize: SQUARE });
  const share = count({}) / (now.width * height);
  if (inSquare <= MOST_IN_SQUARE && share <= MOST_SHARE) return null;
  return `${inSquare} of ${SQUARE ** 2} pixels of a square and ${(share * 100).toFixed(1)} % of all differ`;
}
