import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { staffOf } from '@fairtick/kit/clients/office-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownDatabase, ownOffice, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { hostileContainers } from '@fairtick/kit/hostile/hostile-containers.ts';
import {
  CANARY,
  expectOnlyPixels,
  type HostileFile,
  hostileFiles,
} from '@fairtick/kit/hostile/hostile-pictures.ts';
import { inTurn } from '@fairtick/kit/installation/running-api.ts';
import { submitReal, upload } from '@fairtick/kit/people/pictures.ts';
import { sample, sized } from '@fairtick/kit/size.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { KeyRing } from '../sealing/key-ring.ts';
import { DiskStore } from './disk-store.ts';
import { PictureWorkshop } from './picture-workshop.ts';
import { Uploads } from './uploads.ts';

/** Promise 17: of a file sent as a picture only pixels are kept, and no file causes a fault. */
const dataDir = temporaryFolder('uploads');
const MEGABYTE = 1024 * 1024;
/** The most bytes that this process may grow by: the corpus, some forms in progress, and the answers. */
const GROWTH = 350 * MEGABYTE;
let corpus: HostileFile[];
let uploads: Uploads;

const db = ownDatabase();
/** Two API processes of one installation; each request goes to the next one. */
const apis = [ownOffice(db, { dataDir }), ownOffice(db, { dataDir })] as const;
const origin = inTurn(...apis);
const customer = forFile(() => register(apis[0].origin));
beforeAll(async () => {
  corpus = [...(await hostileFiles()), ...(await hostileContainers())];
  const keys = new KeyRing(encryptionKeyFile(db));
  uploads = new Uploads({
    store: new DiskStore(join(dataDir, 'uploads')),
    keys,
    workshop: new PictureWorkshop(),
  });
});

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Sends the file as the proof of a deposit, under its own name and type. */
function sendProof({ bytes, fileName = 'photo.jpg', type = 'image/jpeg' }: HostileFile, token: string) {
  const form = {
    fields: { channelId: '1', amount: '20' },
    files: { proof: { bytes, name: fileName, type } },
  };
  return upload(origin(), 'recharge/submit', form, { token });
}

describe('a hundred hostile files', () => {
  test('are each refused with an error at their field or re-encoded, without a server error', async () => {
    // Counts different contents; different names alone do not count.
    expect(new Set(corpus.map(({ bytes }) => digestOf(bytes))).size).toBeGreaterThanOrEqual(150);
    const before = process.memoryUsage.rss();
    let highest = before;
    const outcomes = { taken: 0, refused: 0 };
    for (const file of sample(corpus, 20)) {
      const { status, body } = await sendProof(file, customer.token);
      highest = Math.max(highest, process.memoryUsage.rss());
      expect([file.name, status]).toEqual([file.name, 200]);
      if (body.code === 1) {
        outcomes.taken += 1;
        expect([file.name, file.isPicture]).toEqual([file.name, true]);
        await expectKeptPixels(file);
        const { id } = body.data;
        await expectServed(file, `recharge/proof?id=${id}`, customer);
        // Frees the slot for the next deposit.
        await post(origin(), 'recharge/cancel', { id }, customer);
      } else {
        outcomes.refused += 1;
        expect([file.name, Object.keys(body.fields ?? {})]).toEqual([file.name, ['proof']]);
        expect(['IMAGE_TYPE', 'IMAGE_UNREADABLE', 'IMAGE_TOO_LARGE', 'PROOF_REQUIRED']).toContain(body.error);
        // A whole, harmless picture must be accepted, or the corpus would prove nothing.
        expect([file.name, file.isPicture && !file.name.includes('noise')]).toEqual([file.name, false]);
      }
    }
    expect(outcomes.taken).toBeGreaterThan(sized(5, 50));
    expect(outcomes.refused).toBeGreaterThan(sized(3, 30));
    expect(highest - before).toBeLessThan(GROWTH);
  }, 600_000);

  async function expectKeptPixels(file: HostileFile): Promise<void> {
    const { rows } = await db.owner.query<{ id: string }>(
      `select id from uploads where purpose = 'proof' order by id desc limit 1`,
    );
    const kept = await uploads.read(db.owner, customer.id, (rows[0] as { id: string }).id);
    if (!kept) throw new Error('nothing was kept');
    for (const bytes of [kept.full, kept.thumb]) await expectOnlyPixels(file, bytes);
  }

  test.each(sample([0, 1, 2], 1))(
    'get the same answer in every other upload, and are served as pixels only: real names, chats, covers of news, part %i',
    async (part) => {
      const writer = await staffOf(db, (apis[1] as { officeOrigin: string }).officeOrigin, 'content');
      for (const file of corpus.filter((_, place) => place % 36 === part * 12)) {
        const ann = await register(origin());
        const { bytes, fileName = 'photo.jpg', type = 'image/jpeg' } = file;
        const named = await submitReal(origin(), ann.token, {}, { idFront: { bytes, name: fileName, type } });
        const files = { image: { bytes, name: fileName, type } };
        const said = await upload(origin(), 'chat/send', { files }, ann);
        const cover = await writer.post('news/cover', { picture: bytes.toString('base64url') });
        for (const { status } of [named, said, cover]) expect([file.name, status]).toEqual([file.name, 200]);
        const codes = [named, said, cover].map(({ body }) => body.code);
        // All operations use one decoder, so they accept the same files.
        expect([file.name, codes]).toEqual([file.name, Array(3).fill(codes[0])]);
        if (codes[0] !== 1) continue;
        const { documents } = (await get(origin(), 'user/realInfo', {}, ann)).body.data;
        await expectServed(file, `user/document?id=${documents[0].id}`, ann);
        await expectServed(file, `chat/image?id=${said.body.data.id}`, ann);
        const shown = await writer.get('news/picture', { name: cover.body.data.name });
        expect([file.name, shown.headers.get('content-type')]).toEqual([file.name, 'image/jpeg']);
      }
    },
    180_000,
  );

  /** Expects the file as served to a browser: only pixels, with headers that keep a page from running it. */
  async function expectServed(file: HostileFile, path: string, { token }: { token: string }): Promise<void> {
    const response = await fetch(`${origin()}/api/${path}`, { headers: { token } });
    const { headers } = response;
    expect([file.name, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      file.name,
      'image/jpeg',
      'nosniff',
    ]);
    expect(headers.get('content-security-policy')).toContain('sandbox');
    await expectOnlyPixels(file, Buffer.from(await response.arrayBuffer()));
  }

  test('leave no readable content and no name of the sender’s on the disk', async () => {
    const file = corpus.find(({ name }) => name === 'jpeg with EXIF and GPS') as HostileFile;
    const sent = { bytes: file.bytes, name: `${CANARY}.jpg` };
    await upload(origin(), 'chat/send', { files: { image: sent } }, await register(origin()));
    const names = readdirSync(dataDir, { recursive: true, withFileTypes: true });
    expect(names.length).toBeGreaterThan(0);
    for (const entry of names) {
      expect(entry.name).toMatch(
        entry.isDirectory() ? /^(uploads|[A-Za-z0-9_-]{2})$/ : /^[A-Za-z0-9_-]{32}$/,
      );
      if (entry.isFile()) {
        const bytes = readFileSync(join(entry.parentPath, entry.name));
        expect(bytes.includes(CANARY)).toBe(false);
        // Sealed, so the file on disk is not a JPEG either.
        expect(bytes.includes(Buffer.from([0xff, 0xd8, 0xff, 0xdb]))).toBe(false);
      }
    }
  });
});
