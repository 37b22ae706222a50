import { verify } from 'node:crypto';
import { fail, must, type Shown } from './document.ts';
import { publicKeyOf, readBase64, readKey, readWhole, type TrustedKey } from './reading.ts';

/** A key and the log sizes that it is valid for, by the section on hand-overs in docs/receipt-format.md. */
export interface KeyInTime {
  readonly key: TrustedKey;
  readonly from: number;
  readonly until: number;
}

interface HandOver {
  readonly index: number;
  readonly text: string;
  readonly key: TrustedKey;
  readonly signature: Buffer;
}

function readHandOver({ index, text }: Shown): HandOver {
  const [kind, version, timeMs, named = '', signature = '', ...more] = text.split('|');
  const bytes = readBase64(signature);
  const isForm = kind === 'key' && version === '1' && readWhole(timeMs) !== null && more.length === 0;
  if (!isForm || bytes?.length !== 64 || named.length < 1 || named.length > 1024)
    return fail('form', `${text} hands over no key`);
  try {
    return { index, text: named, key: readKey(named), signature: bytes };
  } catch {
    return fail('keys', `no key of its own id at ${index}`);
  }
}

/** The trusted keys and their successors, each with the sizes that it is valid for. */
export function follow(trusted: { log: TrustedKey; acceptances: TrustedKey }, shown: readonly Shown[]) {
  const all = shown.map(readHandOver);
  const names = [trusted.log.name, trusted.acceptances.name];
  must(
    all.every(({ key }) => names.includes(key.name)),
    'keys',
    'a key of another name',
  );
  return { log: chain(trusted.log, all), acceptances: chain(trusted.acceptances, all) };
}

function chain(first: TrustedKey, all: readonly HandOver[]): KeyInTime[] {
  const own = all.filter(({ key }) => key.name === first.name);
  const arrival = own.findIndex(({ key }) => key.id.equals(first.id));
  const keys: KeyInTime[] = [];
  let now = { key: first, from: arrival < 0 ? 0 : (own[arrival]?.index ?? 0) + 1 };
  for (const { index, text, key, signature } of own.slice(arrival + 1)) {
    const isUsed = [...keys, now].some((each) => each.key.id.equals(key.id));
    must(!isUsed, 'keys', `the key at ${index} was there before`);
    const isSigned = verify(null, Buffer.from(text), publicKeyOf(now.key), signature);
    must(isSigned, 'keys', `the key at ${index} is not signed by the one before it`);
    keys.push({ ...now, until: index });
    now = { key, from: index + 1 };
  }
  return [...keys, { ...now, until: Infinity }];
}

export function validAt(keys: readonly KeyInTime[], size: number, check: string): TrustedKey {
  const found = keys.find(({ from, until }) => from <= size && size <= until);
  return found?.key ?? fail(check, `no key that is trusted may sign for ${size}`);
}
