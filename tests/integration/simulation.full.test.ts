import { simulate } from '@fairtick/kit/simulation/simulation.ts';
import { sized } from '@fairtick/kit/size.ts';
import { describe, expect, test } from 'vitest';

/** A few fixed seeds; the long mode takes any number (`npm run test:long -- simulation`). */
const SEEDS = [1, 2, 3];
const ORDERS = sized(80, 150);
/** A few seconds each; longer on a busy machine. */
const WITHIN_MS = 120_000;

describe('a history generated from a seed', () => {
  const met = new Set<string>();

  test.each(SEEDS)(
    'ends settled exactly as the log says, whatever failed on the way (seed %i)',
    async (seed) => {
      const tally = await simulate(seed, ORDERS);
      for (const kind of tally.keys()) met.add(kind);
    },
    WITHIN_MS,
  );

  test('includes every outcome and every kind of failure', () => {
    for (const kind of OUTCOMES) expect([kind, met.has(kind)]).toEqual([kind, true]);
    for (const kind of MISHAPS) expect([kind, met.has(kind)]).toEqual([kind, true]);
  });
});

/** The writer makes up for what it missed, so the other reasons of voids need a log written by hand (generated-logs.test.ts). */
const OUTCOMES = ['profit', 'loss', 'none', 'no_price'];
const MISHAPS = [
  'clock set',
  'clock set within a placement',
  'writer killed between steps',
  'writer overtaken',
  'writer cut',
  'placement cut',
  'engine cut',
  'two at work',
];
