import { hashInput } from '../platform/request-hashes.ts';
import type { KeyRing } from '../platform/sealing/key-ring.ts';

/**
 * The index by which repeated keys are compared. It takes the installation's key, because a plain hash of short words is soon
 * guessed. `known`: the index under every key, since a rotation takes a while.
 */
export function indexOfWords(
  keys: KeyRing,
  whose: string,
  fields: Readonly<Record<string, unknown>>,
): { readonly index: Buffer; readonly known: Buffer[] } {
  const text = `${whose} ${hashInput('words', fields).toString('hex')}`;
  return { index: keys.index('words', text), known: keys.indices('words', text) };
}
