/** Trusted keys: given with a command, or pinned in a file, which also stores their ranges once these are known. */
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  ACCEPTANCE_ORIGIN_SUFFIX,
  followKey,
  followLogKeys,
  httpSource,
  type NoteVerifier,
  nameOfKey,
  type PinnedKey,
  type PlacedKey,
  type RangedVerifier,
  rangedVerifier,
  type TrustedKeys,
  witnessVerifier,
} from '../src/index.ts';
import { readText, replaceText, say, Trouble } from './command-line.ts';

export function pinFile(): string {
  const folder = process.env.XDG_CONFIG_HOME || join(homedir(), '.config');
  return process.env.FAIRTICK_KEYS || join(folder, 'fairtick', 'keys');
}

/** A line of the file: a key, and, if known, the log sizes that it is valid for (`KEY 0-41`, `KEY 42-`). */
const LINE = /^(\S+)(?: (0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})?)?$/;

export interface Keys {
  readonly trusted: TrustedKeys;
  /** Those of the log and its acceptances, as they were given. */
  readonly pinned: readonly PinnedKey[];
  /** Whether they came from the file of pinned keys. Only then are learned ranges stored. */
  readonly arePinned: boolean;
}

export function readKeys(given: { key?: string[] | undefined; keys?: string | undefined }): Keys {
  const { key, keys } = given;
  const arePinned = keys === undefined && key === undefined && existsSync(pinFile());
  const file = keys ?? (arePinned ? pinFile() : undefined);
  const lines = [...(key ?? []), ...(file === undefined ? [] : readText(file).split('\n'))];
  const pinned = readPinned(lines);
  const witnesses = pinned.flatMap((each) => witnessVerifier(each.key) ?? []);
  const verifiers = pinned.filter(isOfLog).map(verifierOf);
  const isOfAcceptances = ({ name }: NoteVerifier) => name.endsWith(ACCEPTANCE_ORIGIN_SUFFIX);
  const log = verifiers.filter((verifier) => !isOfAcceptances(verifier));
  const acceptances = verifiers.filter(isOfAcceptances);
  if (log.length === 0 || acceptances.length === 0)
    throw new Trouble(
      'Both keys of the log are needed, from a place that you trust: --key KEY --key KEY, or pin them.',
    );
  return { trusted: { log, acceptances, witnesses }, pinned: pinned.filter(isOfLog), arePinned };
}

/** Each key once; the last range given for it wins. */
function readPinned(lines: readonly string[]): PinnedKey[] {
  const found = new Map<string, PinnedKey>();
  for (const line of lines.map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, key = line, from, until] = LINE.exec(line) ?? [];
    const sizes = from === undefined ? {} : { from: Number(from), until: until ? Number(until) : null };
    if (from !== undefined || !found.has(key)) found.set(key, { key, ...sizes });
  }
  return [...found.values()];
}

const isOfLog = ({ key }: PinnedKey): boolean => witnessVerifier(key) === null;

function verifierOf(pinned: PinnedKey): RangedVerifier {
  const verifier = rangedVerifier(pinned);
  if (verifier === null) throw new Trouble(`This is no verifier key: ${pinned.key.slice(0, 200)}`);
  return verifier;
}

/** `fairtick pin KEY... [--url URL]` */
export async function pin(texts: readonly string[], url: string | undefined): Promise<number> {
  for (const text of texts) if (witnessVerifier(text) === null) verifierOf({ key: text });
  const known = existsSync(pinFile()) ? readText(pinFile()).split('\n') : [];
  const pinned = readPinned(known);
  const fresh = texts.filter(
    (text, at) => !pinned.some(({ key }) => key === text) && texts.indexOf(text) === at,
  );
  if (fresh.length > 0) writeLines([...known, ...fresh]);
  say(`${fresh.length} pinned in ${pinFile()}`);
  return url === undefined ? 0 : pinFollowed(url);
}

/** Learns from a server's log which keys followed the pinned ones. */
async function pinFollowed(url: string): Promise<number> {
  const source = httpSource(url);
  const { origin } = await source.keys();
  const names = [`${origin}+`, `${origin}${ACCEPTANCE_ORIGIN_SUFFIX}+`];
  const pinned = readPinned(readText(pinFile()).split('\n')).filter(({ key }) =>
    names.some((name) => key.startsWith(name)),
  );
  if (pinned.length === 0) throw new Trouble(`No key of ${origin} is pinned.`);
  const { keys, checkpoint } = await followLogKeys(source, pinned);
  say(`The log has ${checkpoint.size} entries, signed by a key that is pinned or follows from one.`);
  learn(keys);
  return 0;
}

/** Stores the keys that a receipt proves to have followed the pinned ones. */
export function learnFrom(handOvers: readonly PlacedKey[]): void {
  const pinned = readPinned(readText(pinFile()).split('\n')).filter(isOfLog);
  const names = new Set(handOvers.map(({ entry }) => nameOfKey(entry.split('|')[3] ?? '')));
  const concerned = pinned.filter(({ key }) => names.has(nameOfKey(key)));
  learn(concerned.flatMap((each) => followKey(each, handOvers) ?? []));
}

function learn(keys: readonly PinnedKey[]): void {
  const known = readText(pinFile()).split('\n');
  const pinned = readPinned(known);
  const news = keys.filter(({ key, from, until }, at) => {
    const before = pinned.find((each) => each.key === key);
    const isTold = keys.findIndex((each) => each.key === key) < at;
    // A key without a range is taken as valid from the beginning, so that range adds nothing.
    const isKnown = (before?.from ?? 0) === from && (before?.until ?? null) === until;
    return !isTold && (!before || !isKnown);
  });
  if (news.length === 0) return;
  const isTouched = (line: string) => news.some(({ key }) => line.trim().split(' ')[0] === key);
  const lines = news.map(({ key, from, until }) => `${key} ${from}-${until ?? ''}`);
  writeLines([...known.filter((line) => !isTouched(line)), ...lines]);
  say(`The log handed over to new keys: what each is valid for is kept in ${pinFile()}.`);
}

function writeLines(lines: readonly string[]): void {
  const file = pinFile();
  mkdirSync(dirname(file), { recursive: true });
  replaceText(file, `${lines.filter((line) => line !== '').join('\n')}\n`);
}
