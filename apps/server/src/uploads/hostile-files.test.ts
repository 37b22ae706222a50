import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Registered, register } from '../../test/api-client.ts';
import { createTestDatabase, type TestDatabase } from '../../test/database.ts';
import { CANARY, type HostileFile, hostileFiles } from '../../test/hostile-pictures.ts';
import { photo, submitReal } from '../../test/pictures.ts';
import { type RunningApi, startApi } from '../../test/running-api.ts';
import { KeyRing } from '../personal-data/key-ring.ts';
import { DiskStore } from './disk-store.ts';
import { ImageWorkshop } from './image-workshop.ts';
import { Uploads } from './uploads.ts';

/** Promise 17: of whatever is sent as a picture, nothing is kept but pixels, and nothing breaks. */
const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-uploads-'));
const MEGABYTE = 1024 * 1024;
/** What this process may grow by: it holds the corpus, some forms under way, and what the answers are made of. */
const GROWTH = 350 * MEGABYTE;

let db: TestDatabase;
let api: RunningApi;
let customer: Registered;
let corpus: HostileFile[];
let uploads: Uploads;
let good: Buffer;

beforeAll(async () => {
  db = await createTestDatabase();
  api = await startApi(db, { dataDir });
  customer = await register(api.origin);
  corpus = await hostileFiles();
  good = await photo({ width: 20, height: 20 });
  const keys = KeyRing.open(join(tmpdir(), `${db.name}.keys`));
  uploads = new Uploads({
    store: new DiskStore(join(dataDir, 'uploads')),
    keys,
    workshop: new ImageWorkshop(),
  });
}, 60_000);
afterAll(async () => {
  await api?.stop();
  await db?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** As if nothing had been submitted, so that the next may be. */
const forget = () =>
  db.owner.query(`with a as (delete from verification_events), b as (delete from verifications), c as (delete from uploads)
    update customers set real_status = 'none'`);

/** Sixteen bytes at a time: a run of the original that stands in what was kept, its tables aside. */
function sharedRun(original: Buffer, kept: Buffer): string | null {
  const RUN = 16;
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

/** A JPEG without its tables for quantising and Huffman codes, which are the same in many; nothing of a sender's fits there. */
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
  return jpeg.subarray(at);
}

describe('a hundred hostile files', () => {
  test('each is refused at its field or remade; none is a fault of ours', async () => {
    expect(corpus.length).toBeGreaterThanOrEqual(100);
    const before = process.memoryUsage.rss();
    let highest = before;
    const outcomes = { taken: 0, refused: 0 };
    for (const file of corpus) {
      const { fileName = 'photo.jpg', type = 'image/jpeg', bytes } = file;
      const { status, body } = await submitReal(
        api.origin,
        customer.token,
        {},
        {
          idFront: { bytes, name: fileName, type },
          idBack: good,
        },
      );
      highest = Math.max(highest, process.memoryUsage.rss());
      expect([file.name, status]).toEqual([file.name, 200]);
      if (body.code === 1) {
        outcomes.taken += 1;
        expect([file.name, file.isPicture]).toEqual([file.name, true]);
        await expectOnlyPixels(file);
        await forget();
      } else {
        outcomes.refused += 1;
        expect([file.name, Object.keys(body.fields ?? {})]).toEqual([file.name, ['idFront']]);
        expect(['IMAGE_TYPE', 'IMAGE_UNREADABLE', 'IMAGE_TOO_LARGE', 'FORM_INCOMPLETE']).toContain(
          body.error,
        );
        // What claims nothing and is whole is taken, or the corpus would prove nothing.
        expect([file.name, file.isPicture && !file.name.includes('noise')]).toEqual([file.name, false]);
      }
    }
    expect(outcomes.taken).toBeGreaterThan(50);
    expect(outcomes.refused).toBeGreaterThan(30);
    expect(highest - before).toBeLessThan(GROWTH);
  }, 180_000);

  async function expectOnlyPixels(file: HostileFile): Promise<void> {
    const { rows } = await db.owner.query<{ id: string }>(
      `select id from uploads where purpose = 'id_front'`,
    );
    expect(rows.length).toBe(1);
    const kept = await uploads.read(db.owner, customer.id, (rows[0] as { id: string }).id);
    if (!kept) throw new Error('nothing was kept');
    for (const bytes of [kept.full, kept.thumb]) {
      const meta = await sharp(bytes).metadata();
      expect([file.name, meta.format, meta.exif, meta.xmp, meta.icc, meta.iptc]).toEqual([
        file.name,
        'jpeg',
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      expect(bytes.includes(CANARY)).toBe(false);
      expect([file.name, sharedRun(file.bytes, bytes)]).toEqual([file.name, null]);
    }
  }

  test('leaves nothing behind on the disk: no canary, no name of the sender’s', async () => {
    const names = readdirSync(dataDir, { recursive: true, withFileTypes: true });
    expect(names.length).toBeGreaterThan(0);
    for (const entry of names) {
      expect(entry.name).toMatch(
        entry.isDirectory() ? /^(uploads|[A-Za-z0-9_-]{2})$/ : /^[A-Za-z0-9_-]{32}$/,
      );
      if (entry.isFile()) {
        const bytes = readFileSync(join(entry.parentPath, entry.name));
        expect(bytes.includes(CANARY)).toBe(false);
        // Sealed: on the disk it is no picture either.
        expect(bytes.includes(Buffer.from([0xff, 0xd8, 0xff, 0xdb]))).toBe(false);
      }
    }
  });
});
