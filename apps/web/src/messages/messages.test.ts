import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LANGUAGES } from '@fairtick/protocol/languages';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { expect, test } from 'vitest';

const FOLDER = dirname(fileURLToPath(import.meta.url));

type Texts = Readonly<Record<string, string>>;
const read = (part: string, language: string): Texts =>
  JSON.parse(readFileSync(join(FOLDER, part, `${language}.json`), 'utf8')) as Texts;

const parametersOf = (message: string) =>
  [...new Set([...message.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name))].sort();

test.each([
  '.',
  'wallet',
  'chart',
  'identity',
  'news',
  'protection',
  'security',
  'support',
  '../../../../packages/ui/src/messages/receipt',
  'transparency',
])(
  'the texts of %s are there in every language, with the same parameters, and can be read (S1-27)',
  (part) => {
    const wanted = read(part, 'zh');
    for (const language of LANGUAGES) {
      const texts = read(part, language);
      expect([language, Object.keys(texts).sort()]).toEqual([language, Object.keys(wanted).sort()]);
      for (const [id, text] of Object.entries(texts)) {
        expect([id, text.trim()]).not.toEqual([id, '']);
        expect(() => compileMessageOrThrow(text)).not.toThrow();
        expect([language, id, parametersOf(text)]).toEqual([
          language,
          id,
          parametersOf(wanted[id] as string),
        ]);
      }
    }
  },
);
