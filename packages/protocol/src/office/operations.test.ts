import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../languages.ts';
import { STAFF_ROLES } from '../staff-roles.ts';
import { OFFICE_ERRORS } from './errors.ts';
import { officeErrorsOf } from './openapi.ts';
import type { OfficeOperation } from './operation.ts';
import { officeOperations } from './operations.ts';

const operations = Object.entries<OfficeOperation>(officeOperations);

describe('every operation of the office', () => {
  test.each(operations)('%s declares known roles, and a step-up if it moves money', (path, operation) => {
    expect(path).toMatch(/^[a-z][A-Za-z]*\/[a-z][A-Za-z]*$/);
    if (Array.isArray(operation.roles)) {
      expect(operation.roles.length).toBeGreaterThan(0);
      for (const role of operation.roles) expect(STAFF_ROLES).toContain(role);
    } else expect(['public', 'anyone']).toContain(operation.roles);
    // Step-up needs a logged-in caller, and an auditor must not change anything.
    if (operation.roles === 'public') expect(operation.needsProof).toBeUndefined();
    if ((operation.needsProof || operation.moves) && Array.isArray(operation.roles)) {
      expect([path, operation.roles.includes('auditor')]).toEqual([path, false]);
    }
    if (operation.moves) expect([path, operation.needsProof]).toEqual([path, true]);
  });

  test('declares its limit if it changes something: a quota of each person, or attempts of a network', () => {
    for (const [path, { method, roles, limit }] of operations) {
      const counted = Object.keys(limit ?? {}).filter((part) => part !== 'guesses');
      const expected = method === 'GET' ? [] : [roles === 'public' ? 'attempt' : 'quota'];
      expect([path, counted]).toEqual([path, expected]);
    }
  });

  test('needs a login, except the login itself', () => {
    const open = operations.filter(([, { roles }]) => roles === 'public').map(([path]) => path);
    expect(open.sort()).toEqual(['session/login', 'session/passkeyOptions']);
  });
});

test('every refusal for staff is declared by an operation', () => {
  const declared = new Set<string>(operations.flatMap(([, operation]) => officeErrorsOf(operation)));
  expect(Object.keys(OFFICE_ERRORS).filter((code) => !declared.has(code))).toEqual([]);
});

test('every refusal for staff has a text in each language', () => {
  for (const [code, entry] of Object.entries(OFFICE_ERRORS)) {
    for (const language of LANGUAGES) expect([code, entry[language].length > 1]).toEqual([code, true]);
  }
});
