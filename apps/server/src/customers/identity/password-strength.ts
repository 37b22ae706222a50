import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/**
 * Fewest guesses that a new password must take, by zxcvbn's estimate: eight random characters take so many. Guesses at a login are
 * limited, so this is for a thief of the hashes, who tries some 40 a second on each core.
 */
const MIN_GUESSES = 1e8;
/** The words that guessers of this product's passwords try first. */
const PRODUCT_WORDS = [
  'fairtick',
  'trading',
  'trader',
  'forex',
  'crypto',
  'bitcoin',
  'ethereum',
  'usdt',
  'office',
];
/** A shorter part of a name is no word of its own. */
const MIN_PART = 4;

/** The time of an estimate rises with length and with substitutions: these keep the worst below 50 ms. */
const estimator = new ZxcvbnFactory({
  dictionary: { leaked: dictionary['passwords-common'] },
  graphs: adjacencyGraphs,
  maxLength: 24,
  l33tMaxSubstitutions: 10,
});

export type PasswordFault = 'PASSWORD_COMMON' | 'PASSWORD_NAMED' | 'PASSWORD_GUESSABLE';

/**
 * Why a new password is too easy to guess; null: it is not. It is compared with 49 000 leaked passwords, common patterns, the
 * product's words and the owner's names.
 */
export function passwordFault(password: string, ownNames: readonly string[]): PasswordFault | null {
  const parts = ownNames
    .flatMap((name) => name.split(/[^\p{L}]+/u))
    .filter(({ length }) => length >= MIN_PART);
  const { guesses, sequence } = estimator.check(password.normalize('NFKC'), [
    ...ownNames,
    ...parts,
    ...PRODUCT_WORDS,
  ]);
  if (guesses >= MIN_GUESSES) return null;
  const words = sequence.flatMap((match) => ('dictionaryName' in match ? [match.dictionaryName] : []));
  if (words.includes('userInputs')) return 'PASSWORD_NAMED';
  return words.includes('leaked') ? 'PASSWORD_COMMON' : 'PASSWORD_GUESSABLE';
}
