import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  compactPythUpdate,
  fromHex,
  MAX_PYTH_COMPACT_BYTES,
  PYTH_KEYS,
  type PythKeys,
  type PythPrice,
  type PythUpdate,
  pythPoints,
  pythTimeMs,
  verifyPythUpdate,
} from '../../src/index.ts';
import { signPythUpdate, TEST_PYTH_KEYS } from './pyth-signing.ts';

const read = (name: string) =>
  fromHex(readFileSync(new URL(name, import.meta.url), 'utf8').trim()) as Uint8Array;

/** Two updates that Pyth signed: one as its own tests have it, one as it was posted to a chain. */
const AUGUST = read('hermes-2026-08-21.hex');
const SEPTEMBER = read('hermes-2026-09-12.hex');
const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const SOL = 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d';

const verified = (bytes: Uint8Array, keys = PYTH_KEYS) => verifyPythUpdate(bytes, keys) as PythUpdate;
const faultOf = (bytes: Uint8Array, keys: readonly PythKeys[] = PYTH_KEYS) => {
  const answer = verifyPythUpdate(bytes, keys);
  return 'fault' in answer ? answer.fault : null;
};

describe('an update that Pyth signed', () => {
  test('gives the price of each feed, its times and its slot', () => {
    const update = verified(SEPTEMBER);
    expect([...update.prices.keys()].map((feed) => feed.slice(0, 4))).toEqual([
      'e62d',
      'ff61',
      'ef0d',
      '2f95',
    ]);
    expect(update.prices.get(BTC)).toEqual({
      feed: BTC,
      mantissa: 7_717_360_161_297n,
      conf: 1_575_338_703n,
      exponent: -8,
      publishTime: 1_789_248_348,
      previousPublishTime: 1_789_248_347,
    });
    expect(update).toMatchObject({ slot: 35_784_966_960n, time: 1_789_248_348, signers: 3 });
    expect(pythTimeMs(update, update.prices.get(BTC) as PythPrice)).toBe(1_789_248_348_000);
  });

  test('counts only at a time for which its keys are pinned', () => {
    expect(faultOf(AUGUST)).toBe('keys');
    const earlier = { ...(PYTH_KEYS[0] as PythKeys), fromMs: 0 };
    expect(verified(AUGUST, [earlier]).prices.get(BTC)?.mantissa).toBe(7_661_250_530_278n);
    const timeMs = 1_789_248_348_000;
    expect(faultOf(SEPTEMBER, [{ ...earlier, untilMs: timeMs }])).toBe('keys');
    expect(faultOf(SEPTEMBER, [{ ...earlier, untilMs: timeMs + 1 }])).toBe(null);
    expect(faultOf(SEPTEMBER, [earlier, earlier])).toBe('keys');
    expect(faultOf(SEPTEMBER, [])).toBe('keys');
  });

  test('is verified by one feed alone, in about 630 bytes', () => {
    const compact = compactPythUpdate(SEPTEMBER, SOL) as Uint8Array;
    expect(compact).toHaveLength(631);
    expect(compact.length).toBeLessThan(MAX_PYTH_COMPACT_BYTES);
    const alone = verified(compact);
    expect([...alone.prices]).toEqual([[SOL, verified(SEPTEMBER).prices.get(SOL)]]);
    expect(compactPythUpdate(compact, SOL)).toEqual(compact);
    expect(compactPythUpdate(compact, BTC)).toBe(null);
    expect(compactPythUpdate(SEPTEMBER.subarray(1), SOL)).toBe(null);
  });

  test('is refused with any byte changed but those that say nothing', () => {
    const compact = compactPythUpdate(SEPTEMBER, SOL) as Uint8Array;
    // The minor version and the number of the set of signers are not signed, and nothing depends on them.
    const silent = new Set([5, 11, 12, 13, 14]);
    const survived: number[] = [];
    for (let at = 0; at < compact.length; at += 1) {
      const changed = Uint8Array.from(compact);
      changed[at] = (changed[at] as number) ^ 1;
      if (faultOf(changed) === null) survived.push(at);
    }
    expect(survived).toEqual([...silent]);
  });

  test('is refused when it is cut off anywhere, or goes on', () => {
    for (let length = 0; length < AUGUST.length; length += 1)
      expect(faultOf(AUGUST.subarray(0, length))).toBe('form');
    expect(faultOf(Uint8Array.of(...SEPTEMBER, 0))).toBe('form');
    expect(faultOf(new Uint8Array(200_000))).toBe('form');
  });
});

describe('an update of other signers', () => {
  const price: PythPrice = {
    feed: BTC,
    mantissa: 123_456_789n,
    conf: 5n,
    exponent: -4,
    publishTime: 1_800_000_000,
    previousPublishTime: 1_799_999_999,
  };
  const said = { slot: 36_000_000_007n, prices: [price, { ...price, feed: SOL, mantissa: -1n }] };
  const keys = [TEST_PYTH_KEYS];

  test('counts under their keys alone', () => {
    const update = verified(signPythUpdate(said), keys);
    expect(update.prices.get(BTC)).toEqual(price);
    expect(pythTimeMs(update, price)).toBe(1_800_000_000_350);
    expect(pythTimeMs(update, { ...price, publishTime: 1_799_999_990 })).toBe(1_799_999_990_000);
    expect(faultOf(signPythUpdate(said))).toBe('signature');
  });

  test.each([[[0, 1, 4]], [[2, 3, 4]], [[0, 1, 2, 3]], [[0, 1, 2, 3, 4]]])(
    'counts with signers %j',
    (signers) => {
      expect(verified(signPythUpdate({ ...said, signers }), keys).signers).toBe(signers.length);
    },
  );

  test.each([
    [[], 'quorum'],
    [[0, 1], 'quorum'],
    [[0, 1, 1], 'signature'],
    [[1, 0, 2], 'signature'],
  ] as const)('is refused with signers %j', (signers, fault) => {
    expect(faultOf(signPythUpdate({ ...said, signers }), keys)).toBe(fault);
  });

  test('is refused from another place', () => {
    expect(faultOf(signPythUpdate({ ...said, chain: 1 }), keys)).toBe('emitter');
    expect(faultOf(signPythUpdate({ ...said, emitter: '00'.repeat(32) }), keys)).toBe('emitter');
  });

  test('is refused when one of three signatures is another router’s', () => {
    const routers = [...TEST_PYTH_KEYS.routers].reverse();
    expect(faultOf(signPythUpdate(said), [{ ...TEST_PYTH_KEYS, routers }])).toBe('signature');
    expect(faultOf(signPythUpdate(said), [{ ...TEST_PYTH_KEYS, routers: routers.slice(3) }])).toBe(
      'signature',
    );
  });

  test('is refused with a path that is too long, with a price twice and with none', () => {
    const update = signPythUpdate({ ...said, prices: [price] });
    const long = Uint8Array.of(...update.subarray(0, -1), 17, ...new Uint8Array(17 * 20));
    expect(faultOf(long, keys)).toBe('form');
    const wide = Uint8Array.of(...update.subarray(0, -1), 16, ...new Uint8Array(16 * 20));
    expect(faultOf(wide, keys)).toBe('path');
    expect(faultOf(signPythUpdate({ ...said, prices: [price, price] }), keys)).toBe('form');
    const none = Uint8Array.from(update.subarray(0, update.length - 88));
    none[none.length - 1] = 0;
    expect(faultOf(none, keys)).toBe('form');
  });

  test('is cut off after the last decimal of the product', () => {
    expect(pythPoints(price, 2)).toBe(1_234_567n);
    expect(pythPoints(price, 6)).toBe(12_345_678_900n);
    expect(pythPoints({ ...price, mantissa: 99n }, 2)).toBe(null);
    expect(pythPoints({ ...price, mantissa: -1n }, 4)).toBe(null);
    expect(pythPoints({ ...price, exponent: 40 }, 4)).toBe(null);
  });
});
