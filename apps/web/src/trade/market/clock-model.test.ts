import { expect, test } from 'vitest';
import { clockWord } from './clock-model.ts';

const NOW = 1_800_000_000_000;

test('clocks that are more than a second apart are told, in whole seconds', () => {
  const word = (serverMs: number, { errorMs = 20, signedMs = serverMs - 600 } = {}) =>
    clockWord({ signedMs, serverMs, errorMs, deviceMs: NOW });
  expect(word(NOW)).toBe(null);
  expect(word(NOW + 1_000)).toBe(null);
  expect(word(NOW - 1_100)).toEqual({ kind: 'apart', seconds: 1 });
  expect(word(NOW - 300_000)).toEqual({ kind: 'apart', seconds: 300 });
  // A log ahead of a device whose clock agrees with the server's is the log's fault, and told all the same.
  expect(word(NOW, { signedMs: NOW + 30_000 })).toEqual({ kind: 'apart', seconds: 30 });
});

test('a difference that the round trip may explain is not told', () => {
  const word = (errorMs: number | null) =>
    clockWord({ signedMs: NOW + 1_500, serverMs: NOW + 2_500, errorMs, deviceMs: NOW });
  expect(word(1_400)).toEqual({ kind: 'apart', seconds: 3 });
  expect(word(1_600)).toBe(null);
  expect(word(null)).toBe(null);
});

test('a log that was not signed for a while is not taken for a wrong clock', () => {
  const word = (signedMs: number | null) =>
    clockWord({ signedMs, serverMs: NOW - 200, errorMs: 20, deviceMs: NOW });
  expect(word(NOW - 45_000)).toEqual({ kind: 'old', seconds: 45 });
  expect(word(NOW - 9_000)).toBe(null);
  expect(word(null)).toBe(null);
});
