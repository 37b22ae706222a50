import { defineConfig } from 'vitest/config';

/** What is looked for again and again comes when it comes: a second, as it would be, bounds a time. */
const PATIENT = { poll: { timeout: 15_000 } };

/**
 * Pure packages, the server on a real PostgreSQL, journeys in a real browser, and the house as separate processes. `long` are
 * the modes that run by hand: hundreds of kills, hours of load, seeds without end.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/**/*.test.ts',
            'apps/{web,office}/src/**/*.test.ts',
            'tests/second-verifier/**/*.test.ts',
            'scripts/**/*.test.ts',
            'apps/server/src/market-data/{catalogue,simulated}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', 'packages/ledger/**'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: [
            'apps/server/**/*.test.ts',
            'packages/ledger/**/*.test.ts',
            'tests/integration/**/*.test.ts',
            'tests/simulation/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', 'apps/server/src/market-data/{catalogue,simulated}/**'],
          globalSetup: ['apps/server/test/postgres.ts'],
          pool: 'forks',
          expect: PATIENT,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'journeys',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/e2e/server.ts'],
          pool: 'forks',
          maxWorkers: 2,
          expect: PATIENT,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/faults/**/*.test.ts', 'tests/black-box/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          expect: PATIENT,
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'long',
          include: ['tests/**/*.long.ts'],
          pool: 'forks',
          fileParallelism: false,
          expect: PATIENT,
          testTimeout: 7_200_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
