import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { officeDocument, officeErrorsOf } from './openapi.ts';
import type { OfficeOperation } from './operation.ts';
import { officeOperations } from './operations.ts';

interface Made {
  readonly 'x-roles': unknown;
  readonly operationId: string;
  readonly responses: Readonly<Record<string, object>>;
}
const paths = officeDocument().paths as Readonly<Record<string, Readonly<Record<string, Made>>>>;

test('the office’s document passes a public linter: no errors and no warnings', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({
    source: JSON.stringify(officeDocument()),
    absoluteRef: '/openapi.json',
    config,
  });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`),
  ).toEqual([]);
});

test('the office’s document holds exactly the declared operations, with their roles and refusals', () => {
  const all = Object.entries<OfficeOperation>(officeOperations);
  expect(Object.keys(paths)).toEqual(all.map(([path]) => `/api/${path}`));
  for (const [path, operation] of all) {
    const made = paths[`/api/${path}`]?.[operation.method.toLowerCase()];
    expect([path, made?.['x-roles']]).toEqual([path, operation.roles]);
    const text = JSON.stringify(made?.responses);
    // In the response, or as the name of one that operations share.
    for (const code of officeErrorsOf(operation))
      expect([path, code, new RegExp(`[/"]${code}"`).test(text)]).toEqual([path, code, true]);
  }
});
