import type { Shown } from './document.ts';
import type { HandOver } from './entries.ts';
import { fail, must } from './ground.ts';
import { isSigned, type Known, parseKey, type TrustedKey } from './reading.ts';

/** Check 0: the sizes of the log for which each key is valid, both included. */
export interface Range {
  readonly key: TrustedKey;
  readonly from: number;
  readonly to: number;
}
export interface Ranges {
  readonly log: readonly Range[];
  readonly acceptances: readonly Range[];
  readonly known: Known;
}
export interface TrustedKeys {
  readonly log: TrustedKey;
  readonly acceptances: TrustedKey;
  /** Pinned witnesses. */
  readonly witnesses?: readonly TrustedKey[];
  /** How many of them have to have cosigned; all, if nothing is said. */
  readonly quorum?: number;
}

interface Step {
  readonly index: number;
  readonly to: TrustedKey;
  /** As it is signed. */
  readonly text: string;
  readonly signature: Buffer;
}

export function followHandOvers(trusted: TrustedKeys, shown: readonly Shown<HandOver>[]): Ranges {
  const { log, acceptances, witnesses = [] } = trusted;
  const steps = shown.map(({ index, entry }): Step => {
    const to = parseKey(entry.to) ?? fail('keys', 'a hand-over to no key');
    must([log.name, acceptances.name].includes(to.name), 'keys', 'a hand-over of another name');
    return { index, to, text: entry.to, signature: entry.signature };
  });
  const of = (key: TrustedKey): Range[] =>
    rangesOf(
      key,
      steps.filter(({ to }) => to.name === key.name),
    );
  const ranges = { log: of(log), acceptances: of(acceptances) };
  const keys = [...ranges.log, ...ranges.acceptances].map(({ key }) => key);
  return { ...ranges, known: { keys, witnesses } };
}

function rangesOf(trusted: TrustedKey, steps: readonly Step[]): Range[] {
  const begins = steps.findIndex(({ to }) => to.publicKey.equals(trusted.publicKey));
  const first = steps[begins];
  const ended: Range[] = [];
  let last: Range = { key: trusted, from: first ? first.index + 1 : 0, to: Number.MAX_SAFE_INTEGER };
  for (const { index, to, text, signature } of steps.slice(begins + 1)) {
    const isBySame = isSigned(text, signature, last.key);
    must(isBySame, 'keys', 'a hand-over that the key before it did not sign');
    const isNew = [...ended, last].every(({ key }) => !key.id.equals(to.id));
    must(isNew, 'keys', 'a hand-over to a key that was valid before');
    ended.push({ ...last, to: index });
    last = { key: to, from: index + 1, to: Number.MAX_SAFE_INTEGER };
  }
  return [...ended, last];
}

export function keyAt(ranges: readonly Range[], size: number, check: string): TrustedKey {
  const found = ranges.find(({ from, to }) => from <= size && size <= to);
  return found?.key ?? fail(check, 'no key is known to be valid for this size of the log');
}
