import { randomBytes } from 'node:crypto';
import { crc32, deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { expect } from 'vitest';
import { pngOf } from '../refusals/refusals.ts';

/** A file that an attacker uploads as a picture. */
export interface HostileFile {
  readonly name: string;
  readonly bytes: Buffer;
  /** The sender's name for it. */
  readonly fileName?: string;
  readonly type?: string;
  /** Whether its pixels may be kept; everything else must be dropped. */
  readonly isPicture: boolean;
}

/** Planted in every file of the corpus, in every place that could carry data along. */
export const CANARY = 'CANARY-c3f1-DO-NOT-KEEP';
export const SCRIPT = `<script>alert('${CANARY}')</script>`;
export const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><script>alert("${CANARY}")</script></svg>`;
export const HTML = `<!doctype html><html><body>${SCRIPT}</body></html>`;

export const noisy = (side = 96) =>
  sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background: '#777',
      noise: { type: 'gaussian', mean: 120, sigma: 30 },
    },
  });

type Kind = 'jpeg' | 'png' | 'webp';
export const KINDS: readonly Kind[] = ['jpeg', 'png', 'webp'];

/** A JPEG segment: marker, length, content. */
export function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

export const afterStart = (jpeg: Buffer, ...parts: Buffer[]) =>
  Buffer.concat([jpeg.subarray(0, 2), ...parts, jpeg.subarray(2)]);

/**
 * A hundred files: polyglots, bombs, hidden data, false types, and broken files, all generated; hostile-containers.ts has more.
 */
export async function hostileFiles(): Promise<HostileFile[]> {
  return [
    ...(await polyglots()),
    ...(await hiddenData()),
    ...(await bombs()),
    ...(await broken()),
    ...(await lies()),
    ...(await oddNames()),
  ];
}

async function polyglots(): Promise<HostileFile[]> {
  const jpeg = await noisy().jpeg().toBuffer();
  const png = await noisy().png().toBuffer();
  const webp = await noisy().webp().toBuffer();
  const tails: readonly (readonly [string, Buffer])[] = [
    ['HTML', Buffer.from(HTML)],
    ['SVG', Buffer.from(SVG)],
    ['PHP', Buffer.from(`<?php system("${CANARY}"); ?>`)],
    ['PDF', Buffer.from(`%PDF-1.7\n1 0 obj<</JS(${CANARY})>>endobj`)],
    ['zip', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.from(CANARY), randomBytes(200)])],
    ['ELF', Buffer.concat([Buffer.from('\x7fELF'), Buffer.from(CANARY)])],
  ];
  return [
    ...tails.flatMap(([what, tail]) => [
      picture(`a JPEG with ${what} behind it`, Buffer.concat([jpeg, tail])),
      picture(`a PNG with ${what} behind it`, Buffer.concat([png, tail])),
      picture(`a WebP with ${what} behind it`, Buffer.concat([webp, tail])),
      picture(`a JPEG with ${what} as a comment`, afterStart(jpeg, segment(0xfe, tail))),
    ]),
    none('a GIF that is JavaScript', Buffer.from(`GIF89a=1;alert('${CANARY}')//`), 'a.gif', 'image/gif'),
    none('a BMP that is JavaScript', Buffer.from(`BM=1;alert("${CANARY}")`), 'a.bmp', 'image/bmp'),
    none('HTML before a JPEG', Buffer.concat([Buffer.from(HTML), jpeg])),
    none('a shell script before a PNG', Buffer.concat([Buffer.from(`#!/bin/sh\necho ${CANARY}\n`), png])),
  ];
}

async function hiddenData(): Promise<HostileFile[]> {
  const files: HostileFile[] = [];
  const exif = {
    IFD0: { Copyright: CANARY, ImageDescription: SCRIPT, Artist: CANARY },
    IFD3: {
      GPSLatitudeRef: 'N',
      GPSLatitude: '47/1 22/1 0/1',
      GPSLongitudeRef: 'E',
      GPSLongitude: '8/1 32/1 0/1',
    },
  };
  const xmp = `<?xpacket begin="" id="x"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="${CANARY}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
  for (const kind of KINDS) {
    files.push(picture(`${kind} with EXIF and GPS`, await noisy().withExif(exif).toFormat(kind).toBuffer()));
    files.push(picture(`${kind} with XMP`, await noisy().withXmp(xmp).toFormat(kind).toBuffer()));
    files.push(
      picture(`${kind} with a colour profile`, await noisy().withIccProfile('p3').toFormat(kind).toBuffer()),
    );
  }
  const jpeg = await noisy().jpeg().toBuffer();
  for (const marker of [0xe0, 0xe1, 0xe2, 0xe3, 0xe8, 0xec, 0xed, 0xee, 0xef]) {
    const content = Buffer.from(`ICC_PROFILE\0${CANARY}`.padEnd(200, ' '));
    files.push(picture(`a JPEG with APP${marker - 0xe0}`, afterStart(jpeg, segment(marker, content))));
  }
  const png = await noisy().png().toBuffer();
  for (const chunk of ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'prVt']) {
    files.push(picture(`a PNG with ${chunk}`, withChunk(png, chunk, Buffer.from(`key\0\0${CANARY}`))));
  }
  return files;
}

async function bombs(): Promise<HostileFile[]> {
  const header = (width: number, height: number) =>
    none(`a PNG of ${width} x ${height}`, pngOf(width, height));
  const jpegHead = await noisy().jpeg().toBuffer();
  const at = jpegHead.indexOf(Buffer.from([0xff, 0xc0])) + 5;
  const huge = Buffer.from(jpegHead);
  huge.writeUInt16BE(65_000, at);
  huge.writeUInt16BE(65_000, at + 2);
  return [
    header(50_000, 50_000),
    header(2 ** 31 - 1, 2 ** 31 - 1),
    header(2 ** 31 - 1, 1),
    header(0, 0),
    header(1, 60_000_000),
    none('a GIF of 60 000 x 60 000', Buffer.from('GIF89a\x60\xea\x60\xea\0\0\0', 'latin1')),
    none('a true PNG of 12 000 x 12 000, 100 KB', pngOfZeros(12_000, 12_000)),
    picture('a true PNG of 5 000 x 5 000, within the bound', pngOfZeros(5_000, 5_000)),
    none('a JPEG that says 65 000 x 65 000', huge),
    none('zeros, packed a thousand times', gzipSync(Buffer.alloc(4_000_000))),
    picture(
      'a PNG with a text that unpacks to 64 MB',
      withChunk(
        await noisy().png().toBuffer(),
        'zTXt',
        Buffer.concat([Buffer.from(`${CANARY}\0\0`), deflateSync(Buffer.alloc(64_000_000))]),
      ),
    ),
    none(
      'a progressive JPEG of 2 000 scans',
      manyScans(await noisy(640).jpeg({ progressive: true }).toBuffer()),
    ),
  ];
}

async function broken(): Promise<HostileFile[]> {
  const files: HostileFile[] = [];
  for (const kind of KINDS) {
    const whole = await noisy(200).toFormat(kind).toBuffer();
    for (const share of [0.02, 0.3, 0.9]) files.push(cut(kind, whole, share));
    const torn = Buffer.from(whole);
    randomBytes(64).copy(torn, Math.floor(torn.length / 2));
    files.push({ name: `${kind} with noise in it`, bytes: torn, isPicture: true });
  }
  return [
    ...files,
    none('nothing', Buffer.alloc(0)),
    none('one byte', Buffer.from([0xff])),
    none('noise', randomBytes(5_000)),
    none('zeros', Buffer.alloc(5_000)),
    none('the signature of a PNG alone', Buffer.from('89504e470d0a1a0a', 'hex')),
    none('the signature of a WebP alone', Buffer.from('52494646ffffffff57454250', 'hex')),
  ];
}

/** A picture whose end is missing. Pixels are left of a JPEG and a PNG with their first rows, none of a WebP. */
export const cut = (kind: Kind, whole: Buffer, share: number): HostileFile => ({
  ...picture(
    `${kind}, cut at ${share} of ${whole.length}`,
    whole.subarray(0, Math.floor(whole.length * share)),
  ),
  isPicture: share >= { jpeg: 0.1, png: 0.2, webp: 1 }[kind],
});

async function lies(): Promise<HostileFile[]> {
  const gif = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .gif()
    .toBuffer();
  const frames = await sharp(Buffer.alloc(64 * 64 * 3 * 4, 90), {
    raw: { width: 64, height: 256, channels: 3, pageHeight: 64 },
  })
    .webp({ loop: 0, delay: [1, 1, 1, 1] })
    .toBuffer();
  const heic = Buffer.concat([
    Buffer.from('00000018', 'hex'),
    Buffer.from('ftypheic'),
    Buffer.from(CANARY),
    randomBytes(500),
  ]);
  const ftyp = (brand: string) =>
    Buffer.concat([Buffer.from('00000018', 'hex'), Buffer.from(`ftyp${brand}`), Buffer.from(CANARY)]);
  const svg = Buffer.from(SVG);
  return [
    none('an SVG with a script', svg, 'a.svg', 'image/svg+xml'),
    none('an SVG that says it is a PNG', svg, 'a.png', 'image/png'),
    none(
      'an SVG that reads a file',
      Buffer.from(SVG.replace('<script>', '<image href="file:///etc/passwd"/><script>')),
      'a.svg',
    ),
    none('an XML that unfolds', Buffer.from(`<!DOCTYPE x [<!ENTITY a "${CANARY}">]><svg>&a;</svg>`), 'a.svg'),
    none('HTML that says it is a JPEG', Buffer.from(HTML)),
    none(
      'a zip that says it is a PNG',
      Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.from(CANARY)]),
      'a.png',
      'image/png',
    ),
    none('a PDF', Buffer.from(`%PDF-1.7 ${CANARY}`), 'a.jpg'),
    picture('a GIF', gif, 'a.gif', 'image/gif'),
    none('HEIC that is garbage', heic, 'a.heic', 'image/heic'),
    none('AVIF that is garbage', ftyp('avif'), 'a.avif', 'image/avif'),
    none('a TIFF', await noisy().tiff().toBuffer(), 'a.tiff', 'image/tiff'),
    picture('an AVIF', await noisy().avif({ effort: 0 }).toBuffer(), 'a.avif', 'image/avif'),
    none(
      'a raw picture of ImageMagick',
      Buffer.from(`push graphic-context\nimage over 0,0 0,0 'url(${CANARY})'`),
      'a.mvg',
    ),
    picture('a WebP that moves', frames),
    picture('a PNG that says it is HTML', await noisy().png().toBuffer(), 'a.html', 'text/html'),
    picture('a JPEG that says it is nothing', await noisy().jpeg().toBuffer(), '', ''),
  ];
}

async function oddNames(): Promise<HostileFile[]> {
  const names = [
    '../../x',
    '..\\..\\x.jpg',
    '/etc/passwd',
    'C:\\windows\\x.jpg',
    'x.jpg\0.php',
    `${CANARY}.jpg`,
    SCRIPT,
    "'; drop table uploads; --.jpg",
    'a'.repeat(5_000),
    '照片\u202egpj.exe',
    '.htaccess',
    'CON',
    '%2e%2e%2fx.jpg',
    'x.jpg\r\nSet-Cookie: a=b',
  ];
  return Promise.all(
    names.map(async (fileName) =>
      picture(
        `a JPEG called ${JSON.stringify(fileName.slice(0, 40))}`,
        await noisy().jpeg().toBuffer(),
        fileName,
      ),
    ),
  );
}

export const picture = (name: string, bytes: Buffer, fileName?: string, type?: string): HostileFile => ({
  name,
  bytes,
  isPicture: true,
  ...(fileName === undefined ? {} : { fileName }),
  ...(type === undefined ? {} : { type }),
});

export const none = (name: string, bytes: Buffer, fileName?: string, type?: string): HostileFile => ({
  ...picture(name, bytes, fileName, type),
  isPicture: false,
});

/** A PNG with one more chunk before its pixels. */
export function withChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const HEAD = 33;
  return Buffer.concat([png.subarray(0, HEAD), chunk(type, data), png.subarray(HEAD)]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A complete black PNG, which compresses a thousandfold. */
function pngOfZeros(width: number, height: number): Buffer {
  const head = pngOf(width, height).subarray(0, 33);
  // One byte per pixel: greyscale.
  const ihdr = Buffer.from(head.subarray(16, 29));
  ihdr[9] = 0;
  return Buffer.concat([
    head.subarray(0, 8),
    chunk('IHDR', ihdr),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Repeats its scans many times: each costs the decoder another pass over the whole picture. */
function manyScans(jpeg: Buffer): Buffer {
  const first = jpeg.indexOf(Buffer.from([0xff, 0xda]));
  const scans = jpeg.subarray(first, jpeg.length - 2);
  const copies = Math.max(1, Math.min(400, Math.floor(8_000_000 / scans.length)));
  return Buffer.concat([
    jpeg.subarray(0, first),
    ...Array.from({ length: copies }, () => scans),
    jpeg.subarray(-2),
  ]);
}

/** A run of this many bytes in both files can't be chance. */
const RUN = 16;

/** Fails if anything of the upload except pixels is in the JPEG that the server kept or served. */
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

/** A run of 16 bytes of the original that is also in the kept file outside its tables, in hex; null if there is none. */
function sharedRun(original: Buffer, kept: Buffer): string | null {
  const runs = new Set<string>();
  for (let at = 0; at + RUN <= original.length; at += 1) {
    const run = original.subarray(at, at + RUN);
    // A run of few distinct bytes proves nothing: black is black in any picture.
    if (new Set(run).size >= 6) runs.add(run.toString('latin1'));
  }
  const bytes = withoutTables(kept);
  for (let at = 0; at + RUN <= bytes.length; at += 1) {
    const run = bytes.subarray(at, at + RUN);
    if (runs.has(run.toString('latin1'))) return run.toString('hex');
  }
  return null;
}

/** A JPEG's pixels, without quantization and Huffman tables: many files share these, and no data of a sender fits there. */
function withoutTables(jpeg: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 2;
  while (jpeg[at + 1] !== 0xda) {
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    const marker = jpeg[at + 1];
    if (marker !== 0xdb && marker !== 0xc4) parts.push(jpeg.subarray(at, end));
    at = end;
  }
  // Only the frame header remains, and no segment that could carry other data.
  expect(parts.map((part) => part[1])).toEqual([0xc0]);
  // Drop the scan header too: it is the same in every JPEG, so two equal bytes of pixels would make it a shared run.
  return jpeg.subarray(at + 2 + jpeg.readUInt16BE(at + 2));
}
