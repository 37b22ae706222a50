import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../endpoint.ts';
import { endpoints } from '../endpoints.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { topics } from '../stream.ts';
import { errorsOf, fieldErrors } from './documented-errors.ts';
import { type JsonSchema, type OpenApiDocument, openApiDocument } from './openapi.ts';

const document = openApiDocument();
const all = Object.entries(endpoints) as [string, Endpoint][];

async function problemsOf(api: OpenApiDocument): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({
    source: JSON.stringify(api),
    absoluteRef: '/openapi.json',
    config,
  });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

describe('the OpenAPI document', () => {
  test('passes a public linter with its recommended rules: no errors and no warnings', async () => {
    expect(await problemsOf(document)).toEqual([]);
  });

  test('fails the linter when it has a fault', async () => {
    const [path, methods] = Object.entries(document.paths)[0] as [string, object];
    const twice = {
      ...document,
      paths: { ...document.paths, [`${path}/again`]: methods },
    } as OpenApiDocument;
    expect(await problemsOf(twice)).toContainEqual(expect.stringContaining('operation-operationId-unique'));
  });

  test('holds every operation with its fields, each with a description or a list of values', () => {
    for (const [name, endpoint] of all) {
      const operation = document.paths[`/api/${endpoint.path}`]?.[endpoint.method.toLowerCase()];
      expect(operation?.operationId).toBe(name);
      const form = document.components.schemas[`${name}Form`];
      const fields: [string, JsonSchema][] =
        endpoint.method === 'POST'
          ? Object.entries(form?.properties ?? {})
          : (operation?.parameters ?? []).map(({ name: field, schema, description }) => [
              field,
              { ...schema, ...(description ? { description } : {}) },
            ]);
      expect(fields.map(([field]) => field)).toContain('lang');
      for (const [field, schema] of fields) {
        expect([name, field, schema.description ?? schema.enum]).not.toEqual([name, field, undefined]);
      }
      if (form) expect(form.additionalProperties).toBe(false);
    }
  });

  test('states the access of each operation, and requires a key for transfers and chat messages', () => {
    for (const [name, endpoint] of all) {
      const operation = document.paths[`/api/${endpoint.path}`]?.[endpoint.method.toLowerCase()];
      const isPublic = operation?.security.some((scheme) => Object.keys(scheme).length === 0);
      expect([name, isPublic]).toEqual([name, endpoint.access === 'public']);
      const takesKey =
        operation?.parameters?.some((parameter) => parameter.name === 'Idempotency-Key') ?? false;
      expect([name, takesKey]).toEqual([name, endpoint.moves === true || name === 'chatSend']);
    }
  });

  test('names the codes of each operation under the status that the catalogue gives them', () => {
    for (const [name, endpoint] of all) {
      const { responses = {} } =
        document.paths[`/api/${endpoint.path}`]?.[endpoint.method.toLowerCase()] ?? {};
      const codes = errorsOf(endpoint);
      const statuses = new Set(codes.map((code) => String(ERRORS[code].http)));
      expect([name, new Set(Object.keys(responses))]).toEqual([name, new Set(['200', ...statuses])]);
      for (const code of codes) {
        const response = JSON.stringify(responses[ERRORS[code].http]);
        expect([name, code, response.includes(code)]).toEqual([name, code, true]);
      }
    }
  });

  test('derives the codes of a field from its rules', () => {
    expect([...fieldErrors(endpoints.register.input)].sort()).toEqual(
      [
        'ACCOUNT_FORMAT',
        'ACCOUNT_REQUIRED',
        'CONFIRM_REQUIRED',
        'INVALID_VALUE',
        'PASSWORDS_DIFFER',
        'PASSWORD_REQUIRED',
        'PASSWORD_TOO_LONG',
        'PASSWORD_TOO_SHORT',
      ].sort(),
    );
    expect([...fieldErrors(endpoints.orderList.input)].sort()).toEqual([
      'ASSET_NOT_ACCEPTED',
      'INVALID_CURSOR',
      'INVALID_VALUE',
      'PRODUCT_NOT_FOUND',
    ]);
  });

  test('holds the error catalogue and the topics of the stream', () => {
    expect(document['x-errors']).toEqual(ERRORS);
    expect(document['x-stream'].topics.map(({ topic }) => topic)).toEqual(
      Object.values(topics).map(({ topic }) => topic),
    );
  });
});

describe('the error catalogue', () => {
  const parametersOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

  test('has three languages for every code, with the same parameters in each', () => {
    for (const [code, entry] of Object.entries(ERRORS)) {
      for (const language of ['zh', 'tw', 'en'] as const) {
        expect([code, language, entry[language].trim().length > 0]).toEqual([code, language, true]);
        expect([code, language, parametersOf(entry[language])]).toEqual([
          code,
          language,
          parametersOf(entry.en),
        ]);
      }
      expect([code, /\p{Script=Han}/u.test(entry.zh), /\p{Script=Han}/u.test(entry.tw)]).toEqual([
        code,
        true,
        true,
      ]);
      expect([code, /\p{Script=Han}/u.test(entry.en)]).toEqual([code, false]);
    }
  });

  test('has no unused code: each belongs to an operation, to HTTP or to the stream', () => {
    const ofOperations = new Set(all.flatMap(([, endpoint]) => errorsOf(endpoint)));
    const elsewhere: readonly ErrorCode[] = [
      'PATH_NOT_FOUND',
      'METHOD_NOT_ALLOWED',
      'INVALID_MESSAGE',
      'UNKNOWN_TOPIC',
      'TOO_MANY_TOPICS',
    ];
    expect((Object.keys(ERRORS) as ErrorCode[]).filter((code) => !ofOperations.has(code)).sort()).toEqual(
      [...elsewhere].sort(),
    );
  });

  test('has the validation texts of the specification word for word (S5-01, S5-03, S5-04, S5-11, S5-12, S8-05)', () => {
    expect(ERRORS.ACCOUNT_REQUIRED.en).toBe('Account cannot be empty');
    expect(ERRORS.CONFIRM_REQUIRED.en).toBe('Please enter the confirmation password');
    expect(ERRORS.PASSWORDS_DIFFER.en).toBe('The two passwords do not match');
    expect(ERRORS.FORM_INCOMPLETE.en).toBe('Please fill out the complete form');
    expect(ERRORS.PAY_WORD_NOT_SET.en).toBe('Withdrawal password is not set, go to set it now?');
  });
});
