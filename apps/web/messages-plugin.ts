import { readFile } from 'node:fs/promises';
import { LANGUAGES } from '@fairtick/protocol/languages';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import type { Plugin } from 'vite';

/** The app's texts, in one folder, and those of its parts, each in a folder of its own. */
const CATALOGUE = new RegExp(`/src/messages/([a-z]+/)?(${LANGUAGES.join('|')})\\.json$`);

/**
 * Compiles the ICU messages of the catalogues while the app is built, so that browsers need no parser of them.
 * A message that can't be parsed fails the build by its id.
 */
export function messages(): Plugin {
  return {
    name: 'fairtick-messages',
    enforce: 'pre',
    async load(id) {
      if (!CATALOGUE.test(id)) return null;
      const texts = JSON.parse(await readFile(id, 'utf8')) as Record<string, string>;
      return JSON.stringify(Object.fromEntries(Object.entries(texts).map(compileEntry)));
    },
  };
}

function compileEntry([id, text]: [string, string]): [string, unknown] {
  try {
    return [id, compileMessageOrThrow(text)];
  } catch (error) {
    throw new Error(`message ${id}: ${(error as Error).message}`);
  }
}
