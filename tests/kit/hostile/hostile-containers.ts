import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import {
  afterStart,
  CANARY,
  cut,
  type HostileFile,
  HTML,
  KINDS,
  noisy,
  none,
  picture,
  SCRIPT,
  SVG,
  segment,
  withChunk,
} from './hostile-pictures.ts';

const MAGIC: readonly (readonly [string, Buffer])[] = [
  ['JPEG', Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex')],
  ['PNG', Buffer.from('89504e470d0a1a0a', 'hex')],
  ['WebP', Buffer.from('524946460010000057454250', 'hex')],
];
const BODIES: readonly (readonly [string, Buffer])[] = [
  ['a zip', Buffer.concat([Buffer.from(`PK\x03\x04${CANARY}`), randomBytes(300)])],
  ['a PDF', Buffer.from(`%PDF-1.7\n1 0 obj<</S/JavaScript/JS(app.alert("${CANARY}"))>>endobj\n%%EOF`)],
  ['HTML', Buffer.from(HTML)],
  ['a script of PHP', Buffer.from(`<?php system("${CANARY}"); __HALT_COMPILER(); ?>`)],
];

/** Payloads in a picture's metadata, truncated pictures, and other files disguised as pictures. */
export async function hostileContainers(): Promise<HostileFile[]> {
  return [
    ...MAGIC.flatMap(([kind, magic]) =>
      BODIES.map(([what, body]) =>
        none(`${what} that begins as a ${kind} does`, Buffer.concat([magic, body])),
      ),
    ),
    ...(await cutOff()),
    ...(await carried()),
    ...otherKinds(),
    ...(await strangePixels()),
  ];
}

async function cutOff(): Promise<HostileFile[]> {
  const files: HostileFile[] = [];
  for (const kind of KINDS) {
    const whole = await noisy(160).toFormat(kind).toBuffer();
    for (const share of [0.1, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8]) files.push(cut(kind, whole, share));
    files.push(none(`${kind}, its beginning cut`, whole.subarray(7)));
  }
  return files;
}

async function carried(): Promise<HostileFile[]> {
  const jpeg = await noisy().jpeg().toBuffer();
  const other = await noisy(32).jpeg().toBuffer();
  const png = await noisy().png().toBuffer();
  const webp = await noisy().webp().toBuffer();
  const thumbnail = Buffer.concat([Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\0'), other, Buffer.from(CANARY)]);
  const icc = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01'), Buffer.from(SCRIPT.padEnd(400))]);
  const frame = Buffer.concat([Buffer.alloc(4), Buffer.from(CANARY.padEnd(200))]);
  return [
    picture('a JPEG with a picture in its EXIF', afterStart(jpeg, segment(0xe1, thumbnail))),
    picture('a JPEG with a script as its colour profile', afterStart(jpeg, segment(0xe2, icc))),
    picture('a JPEG with another behind it', Buffer.concat([jpeg, other, Buffer.from(CANARY)])),
    picture('a JPEG with a film behind it', Buffer.concat([jpeg, Buffer.from(`\0\0\0 ftypmp42${CANARY}`)])),
    picture(
      'a JPEG with fifty comments',
      afterStart(jpeg, ...Array(50).fill(segment(0xfe, Buffer.from(SCRIPT)))),
    ),
    picture(
      'a PNG with frames that move',
      withChunk(withChunk(png, 'fdAT', frame), 'acTL', Buffer.from('0000000200000000', 'hex')),
    ),
    picture('a PNG with a chunk of its own', withChunk(png, 'scRp', Buffer.from(SCRIPT))),
    picture(
      'a WebP with a chunk behind its end',
      Buffer.concat([webp, Buffer.from('XMP '), Buffer.from(SCRIPT)]),
    ),
  ];
}

/** Files that are not supported pictures, under any name. */
function otherKinds(): HostileFile[] {
  const gif = `GIF89a\x10\0\x10\0\x80\0\0${CANARY}!\xfe${SCRIPT}\0;`;
  return [
    none('a GIF with a comment', Buffer.from(gif, 'latin1'), 'a.gif', 'image/gif'),
    none('a GIF that is PHP', Buffer.from(`GIF89a<?php system("${CANARY}"); ?>`), 'a.php.gif', 'image/gif'),
    none('a packed SVG', gzipSync(Buffer.from(SVG)), 'a.svgz', 'image/svg+xml'),
    none('an SVG behind a mark of its bytes’ order', Buffer.from(`\ufeff\n ${SVG}`), 'a.jpg'),
    none('an SVG in UTF-16', Buffer.from(`\ufeff${SVG}`, 'utf16le'), 'a.png'),
    none('an icon', Buffer.from(`\0\0\x01\0\x01\0\x10\x10${CANARY}`), 'favicon.ico', 'image/x-icon'),
    none('a Photoshop file', Buffer.from(`8BPS\0\x01${CANARY}`), 'a.psd'),
    none('a JPEG XL', Buffer.from('ff0a1f1f', 'hex'), 'a.jxl', 'image/jxl'),
    none('a JPEG 2000', Buffer.from('0000000c6a5020200d0a870a', 'hex'), 'a.jp2'),
    none('an EPS', Buffer.from(`%!PS-Adobe-3.0 EPSF-3.0\n(${CANARY}) run`), 'a.jpg'),
    none('a page of MHTML', Buffer.from(`MIME-Version: 1.0\n\n${HTML}`), 'a.jpg'),
    none('a program of Windows', Buffer.from(`MZ\x90\0${CANARY}`), 'a.jpg.exe'),
  ];
}

async function strangePixels(): Promise<HostileFile[]> {
  const raw = (channels: 1 | 2 | 3 | 4) =>
    sharp(randomBytes(64 * 64 * channels), { raw: { width: 64, height: 64, channels } });
  const wide = Buffer.from(await noisy().jpeg().toBuffer());
  wide.writeUInt16BE(0, wide.indexOf(Buffer.from([0xff, 0xc0])) + 5);
  return [
    picture('a JPEG in CMYK', await raw(3).toColourspace('cmyk').jpeg().toBuffer()),
    picture('a PNG that can be seen through', await raw(4).png().toBuffer()),
    picture('a grey PNG that can be seen through', await raw(2).png().toBuffer()),
    picture('a PNG of 16 bits', await raw(3).toColourspace('rgb16').png().toBuffer()),
    picture('a PNG with a palette', await raw(3).png({ palette: true }).toBuffer()),
    picture('a PNG in seven passes', await raw(3).png({ progressive: true }).toBuffer()),
    picture('a progressive JPEG', await raw(3).jpeg({ progressive: true }).toBuffer()),
    picture('a WebP without loss', await raw(4).webp({ lossless: true }).toBuffer()),
    none('a JPEG without height', wide),
    none('a PNG of 15 x 15', await raw(3).resize(15, 15).png().toBuffer()),
  ];
}
