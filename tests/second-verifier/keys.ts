import type { Shown } from './document.ts';
import type { HandOver } from './entries.ts';
import { fail, must } from './ground.ts';
import { isSigned, parseKey, type TrustedKey } from './reading.ts';

/** Check 0: the sizes of the log for which each key is valid. */
export interface Range {
  readonly key: TrustedKey;
  readonly from: number;
  readonly to: number;
}
export interface Ranges {
  readonly log: readonly Range[];
  readonly acceptances: readonly Range[];
}

const nameOf = ({ entry }: Shown<HandOver>): string => entry.over?.to.split('+')[0] ?? '';
const isSame = (one: TrustedKey, other: TrustedKey): boolean =>
  one.name === other.name && one.id.equals(other.id);

export function followHandOvers(
  trusted: { readonly log: TrustedKey; readonly acceptances: TrustedKey },
  shown: readonly Shown<HandOver>[],
): Ranges {
  const { log, acceptances } = trusted;
  for (const { entry } of shown) {
    const key = parseKey(entry.over?.to ?? '') ?? fail('keys', 'a hand-over to no key');
    must([log.name, acceptances.name].includes(key.name), 'keys', 'a hand-over of another name');
  }
  return { log: rangesOf(log, shown), acceptances: rangesOf(acceptances, shown) };
}

function rangesOf(trusted: TrustedKey, shown: readonly Shown<HandOver>[]): readonly Range[] {
  const own = shown.filter((each) => nameOf(each) === trusted.name);
  const begins = own.findIndex(({ entry }) => {
    const key = parseKey(entry.over?.to ?? '');
    return key !== null && isSame(key, trusted) && key.publicKey.equals(trusted.publicKey);
  });
  const first = own[begins];
  const ranges: Range[] = [{ key: trusted, from: first ? first.index + 1 : 0, to: Number.MAX_SAFE_INTEGER }];
  for (const { index, entry } of own.slice(begins + 1)) {
    const last = ranges.pop() as Range;
    const { to, signature } = entry.over ?? fail('keys', 'no hand-over');
    const key = parseKey(to) ?? fail('keys', 'a hand-over to no key');
    must(isSigned(to, signature, last.key), 'keys', 'a hand-over that the key before it did not sign');
    must(
      ![...ranges, last].some((range) => isSame(range.key, key)),
      'keys',
      'a hand-over to a key that was valid before',
    );
    ranges.push({ ...last, to: index }, { key, from: index + 1, to: Number.MAX_SAFE_INTEGER });
  }
  return ranges;
}

/** Every key that is trusted, by the receipt's own hand-overs too. */
export const keysOf = ({ log, acceptances }: Ranges): readonly TrustedKey[] =>
  [...log, ...acceptances].map(({ key }) => key);

export function keyAt(ranges: readonly Range[], size: number, check: string): TrustedKey {
  const found = ranges.find(({ from, to }) => from <= size && size <= to);
  return found?.key ?? fail(check, 'no key is known to be valid for this size of the log');
}
