import sharp from 'sharp';
import { expect } from 'vitest';
import { CANARY, type HostileFile } from './hostile-pictures.ts';

/** So many bytes in a row that stand in both can't be chance. */
const RUN = 16;

/** Fails if anything of what was sent but pixels stands in the JPEG that was kept or served of it. */
export async function expectOnlyPixels(file: HostileFile, kept: Buffer): Promise<void> {
  const meta = await sharp(kept).metadata();
  expect([file.name, meta.format, meta.exif, meta.xmp, meta.icc, meta.iptc]).toEqual([
    file.name,
    'jpeg',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect([file.name, kept.includes(CANARY)]).toEqual([file.name, false]);
  expect([file.name, sharedRun(file.bytes, kept)]).toEqual([file.name, null]);
}

/** Sixteen bytes at a time: a run of the original that stands in what was kept, its tables aside. */
function sharedRun(original: Buffer, kept: Buffer): string | null {
  const runs = new Set<string>();
  for (let at = 0; at + RUN <= original.length; at += 1) {
    const run = original.subarray(at, at + RUN);
    // What is a few bytes over and over tells nothing: black is black in any picture.
    if (new Set(run).size >= 6) runs.add(run.toString('latin1'));
  }
  const bytes = withoutTables(kept);
  for (let at = 0; at + RUN <= bytes.length; at += 1) {
    const run = bytes.subarray(at, at + RUN);
    if (runs.has(run.toString('latin1'))) return run.toString('hex');
  }
  return null;
}

/** A JPEG's pixels, without its tables for quantising and Huffman codes, which are the same in many; nothing of a sender's fits there. */
function withoutTables(jpeg: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 2;
  while (jpeg[at + 1] !== 0xda) {
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    const marker = jpeg[at + 1];
    if (marker !== 0xdb && marker !== 0xc4) parts.push(jpeg.subarray(at, end));
    at = end;
  }
  // The frame's head, and no segment in which anything else could stand.
  expect(parts.map((part) => part[1])).toEqual([0xc0]);
  // The scan's own head is the same in every JPEG: with two bytes of pixels that happen to be the same it would be a run.
  return jpeg.subarray(at + 2 + jpeg.readUInt16BE(at + 2));
}
