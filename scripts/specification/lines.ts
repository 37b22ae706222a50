/**
 * How many numbered lines each section of the specification has: `S1-01` to `S1-37` and so on. Ids never change and are never
 * used again. The lines' own texts are not part of this project; the tests that name them show what they require.
 */
const SECTIONS = { S1: 37, S2: 77, S3: 54, S4: 36, S5: 18, S6: 7, S7: 33, S8: 8, S9: 9 } as const;

export const LINES: readonly string[] = Object.entries(SECTIONS).flatMap(([section, count]) =>
  Array.from({ length: count }, (_, at) => `${section}-${String(at + 1).padStart(2, '0')}`),
);

/** Lines on which the specification is silent: this product decides them. */
export const DECIDED: readonly string[] = [
  ...['S1-32', 'S2-22', 'S2-77', 'S3-06', 'S4-35', 'S4-36', 'S5-10', 'S5-18', 'S7-01', 'S7-10', 'S7-13'],
  ...['S7-22', 'S7-23', 'S7-24', 'S7-25', 'S7-26', 'S7-27', 'S7-28', 'S7-29', 'S8-08', 'S9-07', 'S9-08'],
];

/** Lines whose proofs need many screens or minutes: `npm run test:full` has them, `npm test` does not. */
export const FULL_ONLY: readonly string[] = [
  ...['S1-01', 'S1-11', 'S1-30', 'S1-34', 'S2-35', 'S2-43', 'S2-47', 'S2-54', 'S2-70', 'S2-71', 'S2-72'],
  ...[
    'S2-75',
    'S2-77',
    'S3-50',
    'S3-51',
    'S3-52',
    'S3-53',
    'S3-54',
    'S6-07',
    'S7-03',
    'S7-27',
    'S7-28',
    'S7-29',
  ],
  ...['S8-06', 'S8-07', 'S9-01', 'S9-04'],
];
