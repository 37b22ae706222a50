import { readFileSync } from 'node:fs';
import { afterStart, noisy, segment, withChunk } from '@fairtick/kit/hostile/hostile-pictures.ts';
import { photo } from '@fairtick/kit/people/pictures.ts';
import { childrenOf } from '@fairtick/kit/processes/processes.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { OverloadError } from '../fairness/overload-error.ts';
import { RESIDENT_BYTES } from './picture-format.ts';
import { isRefused, PictureWorkshop } from './picture-workshop.ts';

const workshops: PictureWorkshop[] = [];
const open = (options?: ConstructorParameters<typeof PictureWorkshop>[0]) => {
  const workshop = new PictureWorkshop(options);
  workshops.push(workshop);
  return workshop;
};
afterAll(() => {
  for (const workshop of workshops) workshop.stop();
});

/** The process's status in /proc; empty when it has ended. */
function fileOf(pid: number, name: 'cmdline' | 'limits'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

describe('the workshop of pictures', () => {
  test('has room for a few waiting pictures, and refuses more with NOT_READY', async () => {
    const workshop = open();
    const picture = await photo();
    const answers = await Promise.allSettled(Array.from({ length: 40 }, () => workshop.remake(picture)));
    const made = answers.filter(({ status }) => status === 'fulfilled');
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(made.length).toBeGreaterThanOrEqual(13);
    expect(refused.length).toBeGreaterThan(10);
    expect(refused.every(({ reason }) => reason instanceof OverloadError)).toBe(true);
    expect(isRefused(await workshop.remake(picture))).toBe(false);
  });

  test('ends a child process that takes too much time or memory, and serves the next picture', async () => {
    const picture = await photo({ width: 3000, height: 3000 });
    // A busy processor says nothing of the picture: its sender is asked to try again.
    await expect(open({ timeMs: 20 }).remake(picture)).rejects.toBeInstanceOf(OverloadError);
    const small = open({ dataKibibytes: 1_000 });
    expect(await small.remake(picture)).toBe('unreadable');
    expect(isRefused(await open().remake(picture))).toBe(false);
    expect(RESIDENT_BYTES).toBeLessThan(1024 ** 3);
  });

  test('gives a child process eight seconds of processor time, however long it waits for the processor', async () => {
    const workshop = open();
    const picture = await photo({ width: 4000, height: 4000 });
    let isSeen = false;
    // One picture after the other: a child process may end before this one has looked.
    const running = (async () => {
      for (let made = 0; made < 100 && !isSeen; made += 1)
        expect(isRefused(await workshop.remake(picture))).toBe(false);
    })();
    const limits = await seen(() =>
      childrenOf(process.pid)
        .filter((pid) => fileOf(pid, 'cmdline').includes('picture-child'))
        .map((pid) => fileOf(pid, 'limits'))
        .find((text) => /Max cpu time +\d/.test(text)),
    );
    isSeen = true;
    expect(limits).toMatch(/Max cpu time +8 +8 +seconds/);
    await running;
  });

  test('ends its running child process when it stops', async () => {
    const workshop = open();
    const picture = await photo({ width: 4000, height: 4000 });
    // Stopped in the same turn, so that the child process has no time to end by itself.
    const running = workshop.remake(picture);
    workshop.stop();
    expect(await running).toBe('unreadable');
  });
});

const fileOfPhone = (name: string) =>
  readFileSync(new URL(`../../../../../tests/kit/people/phones/${name}`, import.meta.url));

/** The largest difference between a pixel's channels and a colour. */
async function differenceAt(jpeg: Buffer, place: { left: number; top: number }, colour: number[]) {
  const region = { ...place, width: 1, height: 1 };
  const { data } = await sharp(jpeg).extract(region).raw().toBuffer({ resolveWithObject: true });
  return Math.max(...colour.map((value, at) => Math.abs(value - (data[at] ?? 0))));
}

async function made(bytes: Buffer, workshop = open()) {
  const picture = await workshop.remake(bytes);
  if (isRefused(picture)) throw new Error(`refused: ${picture}`);
  return picture;
}

describe('a picture of a phone', () => {
  test('is refused unread as HEIC where that is switched off; AVIF, in the same container, is not', async () => {
    const workshop = open({ takesHeic: false });
    expect(await workshop.remake(fileOfPhone('gradient.heic'))).toBe('heic');
    expect(isRefused(await workshop.remake(await noisy(200).avif().toBuffer()))).toBe(false);
  });

  const jpeg = async () => noisy(200).jpeg().toBuffer();
  const png = async () => noisy(200).png().toBuffer();
  const wrongCheck = (bytes: Buffer) => {
    bytes.writeUInt32BE(1, bytes.indexOf('tIME') + 11);
    return bytes;
  };
  const kinds: readonly (readonly [string, () => Promise<Buffer>])[] = [
    ['a JPEG with a faulty scan header', async () => fileOfPhone('samsung.jpg')],
    ['HEIC', async () => fileOfPhone('gradient.heic')],
    ['a JPEG without its end', async () => (await jpeg()).subarray(0, -2)],
    ['a JPEG that ends midway', async () => (await jpeg()).subarray(0, 5_000)],
    [
      'a JPEG with a trailer of its maker',
      async () => Buffer.concat([await jpeg(), Buffer.from('\0\0\x01\x0a\x0e\0\0\0Image_UTC_DataSEFHSEFT')]),
    ],
    [
      'a JPEG with a gain map behind it',
      async () =>
        Buffer.concat([
          afterStart(
            await jpeg(),
            segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x hdrgm:Version="1.0"/>')),
            segment(0xe2, Buffer.from('MPF\0MM\0*\0\0\0\x08\0\0')),
          ),
          await jpeg(),
        ]),
    ],
    ['a JPEG in CMYK', async () => noisy(200).toColourspace('cmyk').jpeg().toBuffer()],
    ['a PNG of 16 bits', async () => noisy(200).toColourspace('rgb16').png().toBuffer()],
    ['a PNG with a palette', async () => noisy(200).ensureAlpha(0.5).png({ palette: true }).toBuffer()],
    [
      'a PNG with a wrong check sum',
      async () => wrongCheck(withChunk(await png(), 'tIME', Buffer.from('07e60101000000', 'hex'))),
    ],
    ['a PNG with a broken profile', async () => withChunk(await png(), 'iCCP', Buffer.from('x\0\0broken'))],
    ['a GIF', async () => noisy(200).gif().toBuffer()],
  ];
  test.each(kinds)('is taken although it is %s', async (_, bytesOf) => {
    const { width, height } = await made(await bytesOf());
    expect(Math.min(width, height)).toBeGreaterThan(180);
  });

  test('is kept upright, whichever way the camera was held', async () => {
    const [red, blue] = [
      [200, 30, 30],
      [30, 30, 200],
    ] as const;
    for (let orientation = 1; orientation <= 8; orientation += 1) {
      // A camera stores the scene, red over blue, turned or mirrored, and the orientation that undoes it.
      const upright = await sharp({
        create: { width: 80, height: 60, channels: 3, background: 'rgb(30,30,200)' },
      })
        .composite([
          {
            input: { create: { width: 80, height: 30, channels: 3, background: 'rgb(200,30,30)' } },
            top: 0,
            left: 0,
          },
        ])
        .png()
        .toBuffer();
      const stored = sharp(upright);
      if ([3, 4].includes(orientation)) stored.rotate(180);
      if ([5, 6].includes(orientation)) stored.rotate(270);
      if ([7, 8].includes(orientation)) stored.rotate(90);
      const bytes = await stored.withMetadata({ orientation }).jpeg().toBuffer();
      const { full, width, height } = await made(bytes);
      expect([orientation, width > height]).toEqual([orientation, true]);
      expect(await differenceAt(full, { left: 30, top: 5 }, [...red])).toBeLessThan(20);
      expect(await differenceAt(full, { left: 30, top: height - 5 }, [...blue])).toBeLessThan(20);
    }
  });

  test('may have 50 or 108 megapixels, at bounded memory and less than three seconds of the processor', async () => {
    const workshop = open({ cpuSeconds: 3, dataKibibytes: 1_000_000 });
    for (const [width, height] of [
      [8192, 6144],
      [12_000, 9_000],
    ] as const) {
      const kept = await made(await photo({ width, height }), workshop);
      // Up to seven rows and columns are cut off.
      expect(kept.width).toBeGreaterThan(2392);
      expect(kept.height).toBeGreaterThan(1792);
    }
  });

  test('keeps the width of a long screenshot, at which its text can be read', async () => {
    const { width, height, thumb } = await made(await photo({ width: 1080, height: 24_000, kind: 'png' }));
    expect(width).toBeGreaterThan(1072);
    expect(height).toBeGreaterThan(23_992);
    // The small picture shows its beginning.
    expect((await sharp(thumb).metadata()).width).toBe(107);
    const wide = await made(await photo({ width: 20_000, height: 2_000 }));
    expect(wide.height).toBeGreaterThan(1072);
  });
});
