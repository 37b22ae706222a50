import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, withDefect } from '@fairtick/kit/defects/defect-checkout.ts';
import { DEFECTS } from '@fairtick/kit/defects/planted-defects.ts';
import { describe, expect, test } from 'vitest';

/** The long mode checks that each defect is caught (`npm run test:long -- planted-defects`). */
describe('the planted defects', () => {
  test('are at least 20, each with its own name and place', () => {
    expect(DEFECTS.length).toBeGreaterThanOrEqual(20);
    expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
    expect(new Set(DEFECTS.map(({ file, search }) => `${file}\0${search}`)).size).toBe(DEFECTS.length);
  });

  test('are caught by `npm test`, at least 40 of them', () => {
    const inTime = DEFECTS.filter(({ caughtBy }) =>
      caughtBy.some((file) => !/\.(full|long)\.test\.ts$/.test(file)),
    );
    expect(inTime.length).toBeGreaterThanOrEqual(40);
  });

  test.each(DEFECTS)('$name: its source text and its tests exist', (defect) => {
    const source = readFileSync(join(ROOT, defect.file), 'utf8');
    expect(withDefect(source, defect)).not.toBe(source);
    expect(defect.caughtBy.length).toBeGreaterThan(0);
    for (const file of defect.caughtBy) expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
  });
});
