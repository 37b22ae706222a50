import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { PATIENCE_MS } from './tests/kit/waiting/until.ts';

if (!process.features.typescript || Number.parseInt(process.versions.node, 10) < 24)
  throw new Error(
    `The tests need Node.js 24, and this is ${process.version}. Run \`npm test -- PATTERN\`, which takes the Node.js of \`npm ci\`.`,
  );

/** `npm run test:full` runs files named `*.full.test.ts` as well, and tests take their samples whole (`tests/kit/size.ts`). */
const LARGER = process.env.TEST_SIZE === 'full' ? ['**/*.long.test.ts'] : ['**/*.{full,long}.test.ts'];
const NOT_OURS = '**/node_modules/**';
const POLL = { poll: { timeout: PATIENCE_MS } };
/** A failed comparison prints all of both sides, such as a whole list of faults. */
const WHOLE = { truncateThreshold: 0 };
/** Node runs TypeScript by itself; files of one worker share what they import, because no module keeps state of a test. */
const NATIVE = { isolate: false, experimental: { viteModuleRunner: false, nodeLoader: false } } as const;

/** Tests of servers have dates of the real clock. */
const ON_REAL_CLOCK = { ...NATIVE, setupFiles: ['tests/kit/waiting/day.ts'] };

type Options = NonNullable<TestProjectInlineConfiguration['test']>;

const project = (name: string, include: readonly string[], options: Options) => ({
  test: {
    name,
    include: include.map((glob) => `${glob}.test.ts`),
    pool: 'forks' as const,
    expect: POLL,
    chaiConfig: WHOLE,
    // A group may have tests of `test:full` alone; `scripts/verify.ts` counts that there were tests.
    passWithNoTests: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    ...options,
    exclude: [NOT_OURS, ...LARGER, ...(options.exclude ?? [])],
  },
});

/** Starts first what waits for longest: processes, and the journey that watches an order for its minute. The last file has no other beside it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLate = ({ project: { name }, moduleId }: TestSpecification) =>
      Number(name !== 'processes' && !moduleId.endsWith('/journeys/trade.test.ts'));
    return (await super.sort(files)).toSorted((a, b) => isLate(a) - isLate(b));
  }
}

/** Pure packages, pure parts of the apps, the server on a real PostgreSQL, processes, journeys in a real browser. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      project(
        'packages',
        [
          'packages/**/*',
          'tests/second-verifier/**/*',
          'scripts/**/*',
          'bench/**/*',
          'apps/server/src/market/{catalogue,simulated}/**/*',
        ],
        NATIVE,
      ),
      project('apps', ['apps/{web,office}/src/**/*'], { isolate: false }),
      project('server', ['apps/server/**/*', 'tests/{integration,security}/**/*'], {
        ...ON_REAL_CLOCK,
        exclude: ['apps/server/src/market/{catalogue,simulated}/**'],
        globalSetup: ['tests/kit/database/postgres.ts'],
      }),
      project('processes', ['tests/processes/**/*'], {
        ...ON_REAL_CLOCK,
        testTimeout: 180_000,
        hookTimeout: 120_000,
      }),
      project('journeys', ['tests/journeys/**/*'], {
        ...ON_REAL_CLOCK,
        globalSetup: ['tests/kit/browser/server.ts'],
        testTimeout: 120_000,
      }),
      {
        test: {
          ...NATIVE,
          isolate: true,
          name: 'long',
          include: ['tests/long/*.long.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          expect: POLL,
          chaiConfig: WHOLE,
          testTimeout: 7_200_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
