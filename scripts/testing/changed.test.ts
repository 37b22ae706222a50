import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFECTS } from '@fairtick/kit/defects/planted-defects.ts';
import { describe, expect, test } from 'vitest';
import { TestFinder } from './affected.ts';
import { choose } from './changed.ts';

const ROOT = join(import.meta.dirname, '../..');
const finder = new TestFinder(ROOT);
const changeOf = (path: string, search: string, replace: string) => {
  const before = readFileSync(join(ROOT, path), 'utf8');
  return { path, before, now: before.replace(search, () => replace) };
};
const testsOf = (path: string) => finder.testsOf(changeOf(path, '', ' '));

describe('a change in the schema', () => {
  const found = DEFECTS.filter(({ file }) => file.endsWith('.sql')).map((defect) => ({
    ...defect,
    tests: finder.testsOf(changeOf(defect.file, defect.search, defect.replace)),
  }));

  test('leads to a test that catches it, for each planted defect but one', () => {
    const missed = found.filter(({ tests, caughtBy }) => !caughtBy.some((path) => tests.includes(path)));
    expect(found.length).toBeGreaterThan(20);
    // A limit of a customer, which lets a settled order's stake be used again: the test asks the API and names no function.
    expect(missed.map(({ name }) => name)).toEqual(['what an order pays back frees no limit']);
  });

  test('leads to few tests, unless most money goes through the function', () => {
    const counts = found.map(({ tests }) => tests.length).sort((a, b) => a - b);
    expect(counts[Math.floor(counts.length / 2)]).toBeLessThan(40);
    expect(counts.at(-1)).toBeLessThan(130);
  });

  test('leads to the callers of a changed function by all steps', () => {
    const { tests } = found.find(({ name }) => name.startsWith('a transfer’s key')) ?? { tests: [] };
    expect(tests).toContain('apps/server/src/money/withdrawals/withdrawals.test.ts');
    expect(tests).not.toContain('apps/server/src/news/news.full.test.ts');
  });
});

describe('the tests of a file', () => {
  test.each([
    ['a source file, by imports', 'packages/money/src/index.ts', 'packages/money/src/payout.test.ts'],
    ['a catalogue of messages', 'apps/web/src/messages/wallet/tw.json', 'scripts/terms.test.ts'],
    ['its screens', 'apps/web/src/messages/wallet/tw.json', 'tests/journeys/wallet.test.ts'],
    ['a stylesheet', 'apps/web/src/orders/history.module.css', 'scripts/stylesheets.test.ts'],
    ['its journeys', 'apps/web/src/orders/history.module.css', 'tests/journeys/settlement.full.test.ts'],
    ['a component', 'apps/web/src/destinations/bank-page.tsx', 'tests/journeys/destinations.full.test.ts'],
    ['shared colours', 'packages/ui/src/tokens.css', 'tests/journeys/appearance.full.test.ts'],
    [
      'a page of the office',
      'apps/office/src/catalogue/catalogue-page.tsx',
      'tests/journeys/catalogue.full.test.ts',
    ],
    ['a document, by its name', 'docs/OPERATIONS.md', 'tests/integration/operations-guide.test.ts'],
    ['a list', 'tests/kit/levers/lists/operations.txt', 'tests/security/levers.test.ts'],
    ['settings of a program', 'ops/alerts.yml', 'tests/integration/alerts.full.test.ts'],
    ['a launcher without an extension', 'scripts/node', 'scripts/node.test.ts'],
  ])('%s', (_, path, expected) => {
    expect(testsOf(path)).toContain(expected);
  });

  test('are of the screens that it is on', () => {
    expect(testsOf('apps/web/src/destinations/bank-page.tsx')).not.toContain(
      'tests/journeys/chart.full.test.ts',
    );
  });
});

describe('what runs', () => {
  const change = (path: string, now: string | null = '') => ({ path, before: '', now });
  const chosen = (path: string, tests: readonly string[], now: string | null = '', isFull = false) =>
    choose([change(path, now)], () => tests, isFull);

  test('are the tests of the size', () => {
    expect(chosen('a.ts', ['b.test.ts', 'c.full.test.ts', 'd.long.test.ts'])).toEqual({
      tests: ['b.test.ts'],
      unjudged: [],
    });
    expect(chosen('a.ts', ['b.test.ts', 'c.full.test.ts'], '', true).tests).toHaveLength(2);
  });

  test.each([
    ['ops/a.service', [], 'no test is known to reach it, run `npm test`'],
    [
      'a.ts',
      ['tests/b.full.test.ts'],
      'only tests of full size reach it, run `npm run test:changed -- --full`',
    ],
    ['a.ts', ['tests/long/kill.long.test.ts'], 'only long modes reach it, run `npm run test:long -- kill`'],
    ['package.json', ['b.test.ts'], 'all tests depend on it, run `npm test`'],
  ])('is never said to be all for %s', (path, tests, says) => {
    expect(chosen(path, tests)).toEqual({ tests: [], unjudged: [`${path}: ${says}`] });
  });

  test('is nothing beside the checks for a source file that is gone', () => {
    expect(chosen('a.ts', [], null).unjudged).toEqual([]);
    expect(chosen('docs/a.md', [], null).unjudged).toHaveLength(1);
  });
});
