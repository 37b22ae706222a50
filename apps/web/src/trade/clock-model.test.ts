import { expect, test } from 'vitest';
import { clockWord } from './clock-model.ts';

const NOW = 1_800_000_000_000;

test('clocks that are more than 10 s apart are told, in whole seconds', () => {
  const word = (signedMs: number | null, streamMs = NOW) => clockWord({ signedMs, streamMs, deviceMs: NOW });
  expect(word(NOW - 1_000)).toBe(null);
  expect(word(NOW - 10_000)).toBe(null);
  expect(word(null)).toBe(null);
  // The device is five minutes ahead of log and stream.
  expect(word(NOW - 301_000, NOW - 300_000)).toEqual({ kind: 'apart', seconds: 301 });
  expect(word(NOW + 20_400, NOW + 21_000)).toEqual({ kind: 'apart', seconds: 20 });
  // A log ahead of a device whose clock agrees with the server's is the log's fault, and told all the same.
  expect(word(NOW + 30_000)).toEqual({ kind: 'apart', seconds: 30 });
});

test('a log that was not signed for a while is not taken for a wrong clock', () => {
  expect(clockWord({ signedMs: NOW - 45_000, streamMs: NOW - 200, deviceMs: NOW })).toEqual({
    kind: 'old',
    seconds: 45,
  });
});
