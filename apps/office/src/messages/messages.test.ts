import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Language } from '@fairtick/protocol/languages';
import { OFFICE_ERRORS } from '@fairtick/protocol/office/errors';
import { STAFF_ROLES } from '@fairtick/protocol/staff-roles';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { describe, expect, test } from 'vitest';
import en from './en.json' with { type: 'json' };
import tw from './tw.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };

const CATALOGUES: Readonly<Record<Language, Readonly<Record<string, string>>>> = { zh, tw, en };
const OFFICE = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = [OFFICE, join(OFFICE, '../../../packages/ui/src')];

const parametersOf = (message: string) => [...message.matchAll(/\{(\w+)/g)].map(([, name]) => name).sort();

describe('every message of the office', () => {
  test('exists in all three languages with the same parameters, and compiles', () => {
    for (const [language, texts] of Object.entries(CATALOGUES)) {
      expect([language, Object.keys(texts)]).toEqual([language, Object.keys(zh)]);
      for (const [id, text] of Object.entries(texts)) {
        expect([id, text.trim()]).not.toEqual([id, '']);
        expect(() => compileMessageOrThrow(text)).not.toThrow();
        expect([id, parametersOf(text)]).toEqual([
          id,
          parametersOf((zh as Record<string, string>)[id] as string),
        ]);
      }
    }
  });

  test('is used in the source, by its whole id or as one of a family', () => {
    const code = SOURCES.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
        .map((file) => readFileSync(join(folder, file), 'utf8')),
    ).join('\n');
    const families = new Set([...code.matchAll(/(?:word\('|t\(`)(\w+)[.'$]/g)].map(([, family]) => family));
    const unused = Object.keys(zh).filter(
      (id) => !code.includes(`'${id}'`) && !families.has(id.split('.')[0] as string),
    );
    expect(unused).toEqual([]);
  });

  test('names every role; refusals have their own texts in three languages', () => {
    for (const role of STAFF_ROLES) expect(zh).toHaveProperty([`role.${role}`]);
    for (const entry of Object.values(OFFICE_ERRORS))
      expect(Object.keys(entry)).toEqual(['http', 'zh', 'tw', 'en']);
  });
});
