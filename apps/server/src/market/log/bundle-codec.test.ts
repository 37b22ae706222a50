import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { packBundle, unpackBundle } from './bundle-codec.ts';

const HASHES = new Map([
  [3, 'ab'.repeat(32)],
  [1_234_567, '0f'.repeat(32)],
]);
const readHashes = async (ids: ReadonlySet<number>) => new Map([...HASHES].filter(([id]) => ids.has(id)));

/** One entry of each shape in the log, in turn. */
function entryAt(place: number): { text: string; rulesId: number | null } {
  const quote = (source: string) =>
    `${source},1.0845${place % 10},17804952${place},${place},17804953${place},use`;
  const tick = (rulesId: number, word: string, quotes: string[]) => ({
    text: `tick|1|EUR/USD|${place + 1}|1780495300${place}|1.0845${place % 10}|${word}|${HASHES.get(rulesId)}|${quotes.join(';')}`,
    rulesId,
  });
  switch (place % 7) {
    case 0:
      return tick(3, 'new', [quote('sim-a'), quote('sim-b'), quote('sim-c')]);
    case 1:
      return tick(1_234_567, 'same', [quote('only')]);
    case 2:
      return { text: `gap|1|BTC/USDT|${place}|1780495300${place}|quorum`, rulesId: null };
    case 3:
      return { text: `orders|1|${place}|1|2|3|0|${'cd'.repeat(32)}`, rulesId: null };
    case 4:
      return { text: `rules|1|simulated/EUR/USD|${place}|{"a":"|,;","b":"é 世界"}`, rulesId: null };
    case 5:
      return { text: `seed|1|2026-06-01|reveal|${'ef'.repeat(32)}`, rulesId: null };
    default:
      return tick(
        3,
        'new',
        Array.from({ length: 64 }, (_, source) => quote(`s${100 + source}`)),
      );
  }
}

async function roundTrip(entries: readonly { text: string; rulesId: number | null }[]): Promise<string[]> {
  const body = await packBundle(
    entries.map(({ text }) => text),
    entries.map(({ rulesId }) => rulesId),
  );
  return unpackBundle(body, readHashes);
}

describe('a bundle of the archive', () => {
  test('unpacks to the packed entries, of whatever kinds', async () => {
    const entries = Array.from({ length: 256 }, (_, place) => entryAt(place));
    expect(await roundTrip(entries)).toEqual(entries.map(({ text }) => text));
  });

  test.each([0, 1, 2, 4, 6])('of entries of one kind only (%i) unpacks to the same entries', async (kind) => {
    const entries = Array.from({ length: 256 }, (_, place) => entryAt(place * 7 + kind));
    expect(await roundTrip(entries)).toEqual(entries.map(({ text }) => text));
  });

  test('is refused unless it has 256 entries and every tick has rules', async () => {
    const entries = Array.from({ length: 256 }, (_, place) => entryAt(place));
    await expect(roundTrip(entries.slice(1))).rejects.toThrow('256');
    await expect(roundTrip(entries.map((entry) => ({ ...entry, rulesId: null })))).rejects.toThrow(
      'without rules',
    );
  });

  test('is refused if it is damaged or its rules are unknown', async () => {
    const entries = Array.from({ length: 256 }, (_, place) => entryAt(place));
    const body = await packBundle(
      entries.map(({ text }) => text),
      entries.map(({ rulesId }) => rulesId),
    );
    await expect(unpackBundle(body.subarray(0, body.length - 9), readHashes)).rejects.toThrow();
    await expect(unpackBundle(zstdCompressSync('a\nb'), readHashes)).rejects.toThrow('malformed');
    await expect(unpackBundle(body, async () => new Map())).rejects.toThrow('names no rules');
  });
});
