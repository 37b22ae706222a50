import { describe, expect, test } from 'vitest';
import { firstHole, formatSegment, newestOf, parseSegment, segmentOfBranch } from './wal-name.ts';

describe('the name of a WAL segment', () => {
  test('counts 256 segments to a high part', () => {
    expect(parseSegment('000000010000000000000000')).toEqual({ timeline: 1, number: 0 });
    expect(parseSegment('0000000A00000002000000FF')).toEqual({ timeline: 10, number: 3 * 256 - 1 });
    for (const number of [0, 1, 255, 256, 257, 65_535, 65_536, 16_777_216]) {
      expect(parseSegment(formatSegment({ timeline: 3, number }))).toEqual({ timeline: 3, number });
    }
    expect(formatSegment({ timeline: 1, number: 256 })).toBe('000000010000000100000000');
  });

  test.each([
    '00000002.history',
    '000000010000000000000002.00000028.backup',
    '000000010000000000000002.part',
    '000000010000000000000100',
    '',
  ])('is not %j', (name) => {
    expect(parseSegment(name)).toBeNull();
  });
});

describe('an archive', () => {
  const archive = (...numbers: number[]) => numbers.map((number) => formatSegment({ timeline: 1, number }));

  test('has a hole where a segment before its newest is missing on every timeline', () => {
    expect(firstHole(archive(3, 4, 5), 3)).toBeNull();
    expect(firstHole(archive(3, 5), 3)).toBe(4);
    expect(firstHole(archive(4, 5), 3)).toBe(3);
    expect(firstHole([...archive(3, 5), formatSegment({ timeline: 2, number: 4 })], 3)).toBeNull();
    // Segments before the backup do not matter.
    expect(firstHole(archive(1, 3, 4), 3)).toBeNull();
    expect(firstHole(['00000002.history'], 3)).toBeNull();
  });

  test('ends with its newest segment', () => {
    expect(newestOf([...archive(7, 9, 8), '00000002.history'])).toBe(9);
    expect(newestOf(['00000002.history'])).toBeNull();
  });

  test('is left by a timeline at the segment in the last line of its history', () => {
    const history =
      '1\t0/9000000\tno recovery target specified\n\n2\t1/2000028\tbefore 2026-11-21 15:59:05+00\n';
    expect(segmentOfBranch(history)).toBe(256 + 2);
    expect(segmentOfBranch('1\t0/9FFFFFF\tx')).toBe(9);
    expect(segmentOfBranch('')).toBeNull();
  });
});
