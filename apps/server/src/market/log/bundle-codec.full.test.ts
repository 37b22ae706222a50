import { describe, expect, test } from 'vitest';
import { packBundle, unpackBundle } from './bundle-codec.ts';

const HASHES = new Map([
  [3, 'ab'.repeat(32)],
  [1_234_567, '0f'.repeat(32)],
]);
const readHashes = async (ids: ReadonlySet<number>) => new Map([...HASHES].filter(([id]) => ids.has(id)));

const SHAPES = 8;

/** One entry of each shape in the log, in turn. */
function entryAt(place: number): { text: string; rulesId: number | null } {
  const quote = (source: string) =>
    `${source},1.0845${place % 10},17804952${place},${place},17804953${place},use`;
  const tick = (rulesId: number, quotes: string[]) => ({
    text: `tick|4|EUR/USD|${place + 1}|1780495300${place}|1.0845${place % 10}|${HASHES.get(rulesId)}|${quotes.join(';')}`,
    rulesId,
  });
  const gap = (reason: string, quotes: string[]) => ({
    text: `gap|4|BTC/USDT|${place}|1780495300${place}|${reason}|${HASHES.get(3)}|${quotes.join(';')}`,
    rulesId: 3,
  });
  switch (place % SHAPES) {
    case 0:
      return tick(3, [quote('sim-a'), 'sim-b,none', quote('sim-c')]);
    case 1:
      return tick(1_234_567, [quote('only')]);
    case 2:
      return gap('quorum', ['a,none', quote('b'), 'c,none']);
    case 3:
      return { text: `orders|4|${place}|1|2|${'cd'.repeat(32)}`, rulesId: null };
    case 4:
      return {
        text: `rules|4|EUR/USD|1|${place}|${'00'.repeat(32)}|{"a":"|,;","b":"é 世界"}`,
        rulesId: null,
      };
    case 5:
      return { text: `seed|4|2026-06-01|reveal|${'ef'.repeat(32)}`, rulesId: null };
    case 6:
      return gap('restart', []);
    default:
      return tick(
        3,
        Array.from({ length: 64 }, (_, source) => quote(`s${100 + source}`)),
      );
  }
}

async function roundTrip(entries: readonly { text: string; rulesId: number | null }[]): Promise<string[]> {
  const body = packBundle(
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

  test.each([0, 1, 2, 4, 6, 7])(
    'of entries of one kind only (%i) unpacks to the same entries',
    async (kind) => {
      const entries = Array.from({ length: 256 }, (_, place) => entryAt(place * SHAPES + kind));
      expect(await roundTrip(entries)).toEqual(entries.map(({ text }) => text));
    },
  );

  test('names its rules by their places in the log', async () => {
    const entries = Array.from({ length: 256 }, (_, place) => entryAt(place));
    const body = packBundle(
      entries.map(({ text }) => text),
      entries.map(({ rulesId }) => rulesId),
    );
    expect(body).toContain('|#1234567#|');
    expect(body).not.toContain(HASHES.get(3));
  });
});
