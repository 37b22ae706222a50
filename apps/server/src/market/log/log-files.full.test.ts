import { signingKeyFile } from '@fairtick/kit/folder.ts';
import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import {
  decodeEntryBundle,
  formatTilePath,
  fromHex,
  leafHash,
  nobleVerifier,
  openNote,
  parseCheckpoint,
  rootOf,
  tileWidthAt,
  verifyConsistency,
  verifyInclusion,
} from '@fairtick/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../config/config.ts';
import { type RunningServer, startServer } from '../../main.ts';

/**
 * The log as an outsider sees it: over HTTP, with only the verifying half of the proof package. A server's statement counts only
 * if its bytes prove it.
 */
describe('the log over HTTP', () => {
  let house: House;
  let server: RunningServer;
  let address: string;

  beforeAll(async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    await fillLog(house, feed, 1_300);
    const port = await freePort();
    address = `http://127.0.0.1:${port}/api/transparency`;
    const env = {
      ROLE: 'api',
      PORT: String(port),
      SIGNING_KEY_FILE: signingKeyFile(house.db),
      LOG_LEVEL: 'silent',
    };
    const database = {
      admin: house.db.ownerAddress,
      server: house.db.serverAddress,
      chain: null,
      standby: null,
      embedded: null,
    };
    server = await startServer(readConfig(env), database, { appDist: null });
  });
  afterAll(async () => {
    await server?.stop();
    await house?.close();
  });

  const get = async (path: string): Promise<Response> => fetch(`${address}/${path}`);
  const bytesOf = async (path: string): Promise<Uint8Array> => {
    const answer = await get(path);
    expect(answer.status, path).toBe(200);
    return new Uint8Array(await answer.arrayBuffer());
  };
  const tile = (level: number | 'entries', index: number, width: number) =>
    bytesOf(formatTilePath({ level, index, width }));

  /** The signed head, opened with the key that the server publishes. */
  async function checkpoint(): Promise<{ size: number; root: Uint8Array; origin: string }> {
    const key = ((await (await get('key?lang=en')).json()) as { data: { checkpoints: string } }).data;
    const verifier = nobleVerifier(key.checkpoints);
    const note = await (await get('checkpoint')).text();
    const opened = verifier && openNote(note, [verifier]);
    const head = opened && parseCheckpoint(opened.text);
    if (!head) throw new Error('the checkpoint is not signed with the published key');
    return head;
  }

  async function proof(query: string): Promise<Proof> {
    const answer = await get(`proof?lang=en&${query}`);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { data: Proof }).data;
  }

  test('the entries of all bundles have the root of the signed checkpoint', async () => {
    const { size, root, origin } = await checkpoint();
    expect(origin).toBe('test.invalid/api/transparency');
    const texts: string[] = [];
    for (let index = 0; texts.length < size; index += 1) {
      const width = tileWidthAt('entries', index, size);
      const entries = decodeEntryBundle(await tile('entries', index, width), width);
      texts.push(...(entries ?? []).map((entry) => Buffer.from(entry).toString('utf8')));
    }
    expect(texts).toEqual((await readTexts(house)).slice(0, size));
    expect(rootOf(texts.map((text) => leafHash(text)))).toEqual(root);
  });

  test('tiles of both levels lead from the leaves to the signed root', async () => {
    const { size, root } = await checkpoint();
    const leaves: Uint8Array[] = [];
    for (let index = 0; leaves.length < size; index += 1) {
      leaves.push(...splitHashes(await tile(0, index, tileWidthAt(0, index, size))));
    }
    const width = tileWidthAt(1, 0, size);
    const above = splitHashes(await tile(1, 0, width));
    expect(width).toBe(Math.floor(size / 256));
    expect(above).toEqual(above.map((_, place) => rootOf(leaves.slice(place * 256, (place + 1) * 256))));
    expect(rootOf(leaves)).toEqual(root);
  });

  test('a partial tile is the beginning of the full one, and every tile may be cached for good', async () => {
    const full = await tile(0, 0, 256);
    expect(full).toHaveLength(256 * 32);
    for (const width of [1, 8, 255]) {
      expect(await tile(0, 0, width)).toEqual(full.subarray(0, width * 32));
      expect(decodeEntryBundle(await tile('entries', 1, width), width)).toHaveLength(width);
    }
    for (const path of ['tile/0/000', 'tile/entries/000.p/7', 'tile/1/000.p/2']) {
      const { headers } = await get(path);
      expect(headers.get('cache-control')).toContain('immutable');
      expect(headers.get('content-type')).toBe('application/octet-stream');
    }
    expect((await get('checkpoint')).headers.get('cache-control')).not.toContain('immutable');
  });

  test.each([
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/0',
    'tile/0/x000/000',
    'tile/1/000',
    'tile/2/000.p/1',
    'tile/0/999',
    'tile/entries/x001/000',
    'tile/entries/000.p/07',
    'tile/63/000',
    'tile/../checkpoint/0',
    'tile/data/000',
    `tile/0/${'x001/'.repeat(5)}000`,
  ])('%s is not found', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test('a tile that reaches beyond the end of the log is not found', async () => {
    const { size } = await checkpoint();
    const last = Math.floor(size / 256);
    expect((await get(formatTilePath({ level: 0, index: last, width: (size % 256) + 1 }))).status).toBe(404);
    expect((await get(formatTilePath({ level: 0, index: last, width: 256 }))).status).toBe(404);
    expect((await get(formatTilePath({ level: 'entries', index: last + 1, width: 1 }))).status).toBe(404);
  });

  test('any entry can be proven to be in the log at its current and every earlier size', async () => {
    const { size } = await checkpoint();
    const texts = await readTexts(house);
    for (const [index, at] of [
      [0, 1],
      [0, size],
      [255, 256],
      [256, 257],
      [700, 1_111],
      [size - 1, size],
    ] as const) {
      const { root, proof: path, entry } = await proof(`index=${index}&size=${at}`);
      expect(entry).toBe(texts[index]);
      const claim = {
        index,
        size: at,
        leaf: leafHash(entry as string),
        proof: bytes(path),
        root: hash(root),
      };
      expect(verifyInclusion(claim)).toBe(true);
      expect(verifyInclusion({ ...claim, leaf: leafHash(`${entry} `) })).toBe(false);
      expect(root).toBe(
        Buffer.from(rootOf(texts.slice(0, at).map((text) => leafHash(text)))).toString('hex'),
      );
    }
  });

  test('the log at every size can be proven to be the beginning of every later log', async () => {
    const { size, root } = await checkpoint();
    const sizes = [0, 1, 2, 148, 255, 256, 257, 512, 1_000, size - 1, size];
    for (const oldSize of sizes) {
      const { root: oldRoot } = await proof(`size=${oldSize}`);
      for (const newSize of sizes.filter((each) => each >= oldSize)) {
        const { root: newRoot, consistency } = await proof(`size=${newSize}&fromSize=${oldSize}`);
        const claim = { oldSize, oldRoot: hash(oldRoot), newSize, newRoot: hash(newRoot) };
        expect(verifyConsistency({ ...claim, proof: bytes(consistency) })).toBe(true);
        if (newSize === size) expect(hash(newRoot)).toEqual(root);
      }
    }
  });

  test('proofs for indexes and sizes outside the log are refused', async () => {
    const { size } = await checkpoint();
    for (const query of [
      `size=${size + 1_000}`,
      `index=5&size=5`,
      'size=5&fromSize=6',
      'index=-1',
      'size=1e3',
    ]) {
      const answer = (await (await get(`proof?lang=en&${query}`)).json()) as { code: number; data: unknown };
      expect(answer.code, query).toBe(0);
      expect(answer.data ?? null).toBeNull();
    }
  });
});

interface Proof {
  readonly root: string;
  readonly entry: string | null;
  readonly proof: readonly string[];
  readonly consistency: readonly string[];
}

const hash = (hex: string): Uint8Array => fromHex(hex) as Uint8Array;
const bytes = (hexes: readonly string[]): Uint8Array[] => hexes.map(hash);
const splitHashes = (joined: Uint8Array): Uint8Array[] =>
  Array.from({ length: joined.length / 32 }, (_, place) => joined.slice(place * 32, place * 32 + 32));

async function fillLog(house: House, feed: ManualFeed, entries: number): Promise<void> {
  for (let round = 0; house.session.size < entries; round += 1) {
    for (const product of house.products.all) {
      feed.price(product, String(100 + (round % 7)), house.clock.targetMs + 250);
    }
    await house.stepBy(250);
  }
  // A checkpoint must cover the last entries too.
  await house.stepBy(1_000);
}
