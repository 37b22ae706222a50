import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { submitDeposit } from '@fairtick/kit/clients/money-api.ts';
import { ownApi, ownDatabase, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { noisy } from '@fairtick/kit/hostile/hostile-pictures.ts';
import { ask, newPayee, newProof, usdt } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { pino } from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { RequestLapse } from '../../money/requests/request-lapse.ts';
import { failureOf } from '../db/database.ts';
import { KeyRing } from '../sealing/key-ring.ts';
import { DiskStore } from './disk-store.ts';
import { PictureWorkshop } from './picture-workshop.ts';
import { Uploads } from './uploads.ts';

const BUDGET = 20 * 1024 * 1024;
const TWO_HOURS_MS = 7_200_000;
const dataDir = temporaryFolder('budget');
const folder = join(dataDir, 'uploads');
let cashier: string;
let uploads: Uploads;
const db = ownDatabase();
const api = ownApi(db, { dataDir });
beforeAll(async () => {
  cashier = await installStaff(db.owner, 'cashier');
  const keys = new KeyRing(encryptionKeyFile(db));
  uploads = new Uploads({ store: new DiskStore(folder), keys, workshop: new PictureWorkshop() });
});

const filesLeft = async (): Promise<string[]> => {
  await uploads.sweep(db.server, Date.now() + TWO_HOURS_MS);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap(
    (path) => path.split('/')[1] ?? [],
  );
};
const pictureOf = async (id: string) => {
  const { rows } = await db.owner.query(
    'select u.file, u.sha256 from uploads u join deposit_requests d on d.proof_id = u.id where d.id = $1',
    [id],
  );
  return rows[0] as { file: string | null; sha256: Buffer };
};
const submitted = async ({ token }: Registered) =>
  (await submitDeposit(api.origin, token, '50')).body.data.id;
const cancel = async (id: string, { token }: Registered) =>
  expect((await post(api.origin, 'recharge/cancel', { id }, { token })).body.error).toBeUndefined();

test('a new customer stores 20 MB of pictures at most, cancelled ones included, until a deposit is credited', async () => {
  const ann = await register(api.origin);
  const kept = await submitted(ann);
  const proof = await noisy(2_000).jpeg({ quality: 60 }).toBuffer();
  let last = await submitDeposit(api.origin, ann.token, '50', { proof });
  for (let count = 0; last.body.code === 1 && count < 40; count += 1) {
    await cancel(last.body.data.id, ann);
    last = await submitDeposit(api.origin, ann.token, '50', { proof });
  }
  expect([last.status, last.body.error]).toEqual([200, 'PICTURES_FULL']);
  expect(last.body.msg).toMatch(/up to 20 MB of images.*write to support/);
  const { rows } = await db.owner.query('select sum(bytes)::int as sum from uploads where customer_id = $1', [
    ann.id,
  ]);
  expect(rows[0].sum).toBeLessThan(BUDGET);
  expect(rows[0].sum).toBeGreaterThan(BUDGET * 0.8);
  expect(await ask(db, 'deposit_find', [cashier, kept, usdt(50), 'budget-1'])).toBe('success');
  expect((await submitDeposit(api.origin, ann.token, '50', { proof })).body.error).toBeUndefined();
}, 120_000);

test('pictures of one customer that arrive at once share the budget', async () => {
  const { id } = await newPayee(db);
  const made = await Promise.all(
    Array.from({ length: 12 }, () => newProof(db, id, 5_000_000).catch(failureOf)),
  );
  expect(made.filter((one) => one === 'PICTURES_FULL')).toHaveLength(8);
});

test('the picture of a deposit that is cancelled or lapses is removed and its hash stays', async () => {
  const ann = await register(api.origin);
  const [cancelled, lapsed, found, open] = [
    await submitted(ann),
    await submitted(ann),
    await submitted(ann),
    await submitted(ann),
  ] as const;
  const before = new Map<string, { file: string | null; sha256: Buffer }>();
  for (const id of [cancelled, lapsed, found, open]) before.set(id, await pictureOf(id));
  await cancel(cancelled, ann);
  await db.owner.query(`alter table deposit_requests disable trigger user`);
  await db.owner.query(
    `update deposit_requests set submitted_at = now() - interval '15 days' where id = $1`,
    [lapsed],
  );
  await db.owner.query(`alter table deposit_requests enable trigger user`);
  expect(await new RequestLapse(db.server, pino({ level: 'silent' })).run()).toEqual([`deposit:${lapsed}`]);
  // Staff have recorded a payment of another amount, so its picture is kept.
  expect(await ask(db, 'deposit_find', [cashier, found, usdt(49), 'budget-2'])).toBe('review');
  await cancel(found, ann);
  const files = await filesLeft();
  for (const [id, { file, sha256 }] of before) {
    const isGone = id === cancelled || id === lapsed;
    expect([id, files.includes(file ?? '')]).toEqual([id, !isGone]);
    expect(await pictureOf(id)).toEqual({ file: isGone ? null : file, sha256 });
    const answer = await fetch(`${api.origin}/api/recharge/proof?id=${id}`, {
      headers: { token: ann.token },
    });
    expect([id, answer.status, answer.headers.get('content-type')]).toEqual([
      id,
      200,
      isGone ? expect.stringContaining('json') : 'image/jpeg',
    ]);
    if (isGone) expect((await answer.json()).error).toBe('DOCUMENT_NOT_FOUND');
  }
});
