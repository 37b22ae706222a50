import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PERMISSIVE, productionPackages, readLock, THIRD_PARTY_PATH, thirdPartyPage } from './third-party.ts';

const page = readFileSync(join(import.meta.dirname, '..', THIRD_PARTY_PATH), 'utf8');

test('the page of third parties has the packages, versions and licences of the lock file (npm run third-party)', () => {
  expect(page).toBe(thirdPartyPage(readLock()));
});

test('each licence that asks for more than its own text has a notice, and each package has a licence', () => {
  const [notices = ''] = page.split('## Packages');
  const missing = productionPackages(readLock()).filter(({ name, licence }) => {
    if (PERMISSIVE.includes(licence)) return false;
    const family = /LGPL-3\.0|MPL-2\.0|OFL-1\.1/.exec(licence)?.[0];
    // A package for each platform has the name of the main one before its own.
    const [main = name] = name.split('-');
    return family === undefined || !notices.includes(`[${family}`) || !notices.includes(main);
  });
  expect(missing).toEqual([]);
});
