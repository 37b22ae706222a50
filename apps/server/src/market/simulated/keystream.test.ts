import { describe, expect, it } from 'vitest';
import { Keystream, uniform, writeGaussians } from './keystream.ts';

const SECRET = new Uint8Array(32).fill(7);

describe('keystream', () => {
  it('can be read from any position', () => {
    const stream = new Keystream(SECRET, 'a test');
    const whole = stream.words(0, 4096);
    for (const [from, count] of [
      [0, 4],
      [4, 7],
      [352, 96],
      [4000, 96],
    ] as const) {
      expect([...stream.words(from, count)]).toEqual([...whole.subarray(from, from + count)]);
    }
  });

  it('differs between purposes and secrets', () => {
    const first = (secret: Uint8Array, purpose: string) => new Keystream(secret, purpose).words(0, 4).join();
    const other = Uint8Array.from(SECRET);
    other[31] = 8;
    const streams = [first(SECRET, 'one'), first(SECRET, 'two'), first(other, 'one')];
    expect(new Set(streams).size).toBe(3);
    expect(first(SECRET, 'one')).toBe(streams[0]);
  });

  it('gives normally distributed numbers', () => {
    const words = new Keystream(SECRET, 'normal').words(0, 200_000);
    const out: number[] = [];
    writeGaussians(words, 200_000, out);
    const moment = (power: number) => out.reduce((sum, each) => sum + each ** power, 0) / out.length;
    expect(moment(1)).toBeCloseTo(0, 1);
    expect(moment(2)).toBeCloseTo(1, 1);
    expect(moment(4)).toBeCloseTo(3, 0);
    expect(uniform(0)).toBeGreaterThan(0);
    expect(uniform(2 ** 32 - 1)).toBeLessThan(1);
  });
});
