import { hashInput } from '../idempotency.ts';
import type { KeyRing } from '../personal-data/key-ring.ts';

/**
 * What a repeated key is compared by: an index that takes the installation's key to make, for words are soon guessed from a
 * plain hash. `known`: the same under every key, since a rotation takes a while.
 */
export function indexOfWords(
  keys: KeyRing,
  whose: string,
  fields: Readonly<Record<string, unknown>>,
): { readonly index: Buffer; readonly known: Buffer[] } {
  const text = `${whose} ${hashInput('words', fields).toString('hex')}`;
  return { index: keys.index('words', text), known: keys.indices('words', text) };
}
