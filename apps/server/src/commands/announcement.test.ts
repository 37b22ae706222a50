import { expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { announcementOf } from './announcement.ts';

test('a live start announces neither the demo account nor practice money', () => {
  const text = announcementOf({ ...readConfig({}), mode: 'live' }, 'https://office.example');
  expect(text).not.toMatch(/Demo|demo_user|practice/);
  expect(text).toContain('npm run admin -- first-administrators');
  expect(text).toContain('npm run admin -- new-house');
});

test.each([
  ['the office’s address', {}, 'http://localhost:3001', /Office: +http:\/\/localhost:3001\n +Demo staff: /],
  [
    'that another program has the office’s port',
    {},
    null,
    /Office: +none, because another program has the port 3001: set OFFICE_PORT to a free one/,
  ],
  [
    'that the app has the office’s port',
    { PORT: '3001' },
    null,
    /Office: +none, because PORT has the port 3001: set OFFICE_PORT to a free one/,
  ],
  ['that the office is off', { OFFICE_PORT: 'off' }, null, /Office: +off\n/],
])('the text at a terminal says %s', (_what, env, office, words) => {
  expect(announcementOf(readConfig(env), office)).toMatch(words);
});
