import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
/** What browsers lack over plain HTTP, and the files that ask first. */
const MISSING: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\brandomUUID\s*\(/, []],
  [/\.subtle\b/, []],
  [/navigator\.clipboard|execCommand/, ['packages/ui/src/copy-text.ts']],
  [/navigator\.share\b/, ['apps/web/src/orders/receipt-check/share-file.ts']],
  [/navigator\.serviceWorker/, ['apps/web/src/shell/keep-offline.ts']],
  [/\bcaches\b/, ['apps/web/src/shell/keep-offline.ts']],
  [/navigator\.(storage|locks|credentials|mediaDevices)\./, []],
];

test('screens use nothing bare that only https brings', () => {
  const files = globSync('{apps/{web,office},packages/{ui,proof,protocol,money,trading}}/src/**/*.{ts,tsx}', {
    cwd: ROOT,
  }).filter((file) => !/\.test\.tsx?$/.test(file));
  expect(files.length).toBeGreaterThan(300);
  const bare = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return MISSING.flatMap(([api, asks]) =>
      api.test(text) && !asks.includes(file) ? [`${file}: ${api}`] : [],
    );
  });
  expect(bare).toEqual([]);
});
