import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { isPythKeys, MAX_PYTH_KEY_SETS, PYTH_KEYS, type PythKeys } from '@fairtick/proof';
import { PYTH_SOURCE } from '@fairtick/trading';
import { z } from 'zod';
import type { Access, Venue } from './venue.ts';
import { pythVenue } from './venues/pyth.ts';
import { VENUES } from './venues.ts';

/** Characters that stand in a header and an address as they are. */
const KEY = /^[\w.~+/=-]{8,256}$/;
const ACCOUNT = /^[\w-]{1,40}$/;
/** Permission bits of users that are neither the owner nor in the file's group. */
const OTHERS = 0o007;

const entry = z.strictObject({
  /** Another address of the venue, such as a regional one or a proxy of the operator. */
  url: z
    .url({ protocol: /^(wss?|https?)$/ })
    .refine((url) => !/[?#@]/.test(url), 'must have no user, query or fragment')
    .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
    .optional(),
  /** Another address of the venue's history. */
  historyUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** The operator's secret at the venue, and the number of the account there. */
  key: z.string().regex(KEY, 'must be 8 to 256 letters, digits or signs of . _ ~ + / = -').optional(),
  account: z.string().regex(ACCOUNT, 'must be 1 to 40 letters, digits or signs of _ -').optional(),
  /**
   * Of Pyth: the signing keys that count, in the place of those that this release pins. They stand in the rules of products, and
   * receipts say whose keys they are.
   */
  signers: z
    .array(z.custom<PythKeys>(isPythKeys, 'must be sets of keys, as rules name them'))
    .min(1)
    .max(MAX_PYTH_KEY_SETS)
    .optional(),
  /** Symbols of products that this source does not have for the operator. */
  without: z.array(z.string().max(20)).max(200).optional(),
  /** The contract under which the operator uses the source; it makes the licence class `licensed`. */
  contract: z.string().min(1).max(200).optional(),
  mayPublish: z.boolean().default(false),
  maySettle: z.boolean().default(false),
});

/** The operator's rights, addresses and keys, by the source's name. A source that is not named has no contract, its own address and no key. */
export type SourcesFile = Readonly<Record<string, z.infer<typeof entry>>>;

/**
 * @param path null: no file, so no source has a contract or a key
 * @throws Error with one line that names the first fault, and no value of the file
 */
export function readSourcesFile(path: string | null): SourcesFile {
  if (path === null) return {};
  const { text, mode } = readPrivately(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`SOURCES_FILE: ${path} is no JSON`);
  }
  const names = z.enum(VENUES.map(({ source }) => source));
  const read = z.partialRecord(names, entry).safeParse(value);
  if (!read.success) {
    const { path: where = [], message = '' } = read.error.issues[0] ?? {};
    throw new Error(`SOURCES_FILE: ${[path, ...where.map(String)].join(': ')}: ${message}`);
  }
  const file = read.data as SourcesFile;
  for (const venue of VENUES) refuseWrongAddress(venue, file, path);
  const other = Object.keys(file).find((source) => source !== PYTH_SOURCE && file[source]?.signers);
  if (other) throw new Error(`SOURCES_FILE: ${path}: ${other}: only ${PYTH_SOURCE} has signers`);
  if ((mode & OTHERS) !== 0 && Object.values(file).some(({ key }) => key !== undefined))
    throw new Error(
      `SOURCES_FILE: ${path} holds a key and is open to all users (mode ${(mode & 0o777).toString(8)}): chmod 640 it`,
    );
  return file;
}

function readPrivately(path: string): { text: string; mode: number } {
  try {
    const opened = openSync(path, 'r');
    try {
      return { text: readFileSync(opened, 'utf8'), mode: fstatSync(opened).mode };
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw new Error(`SOURCES_FILE: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @throws Error for an address of another protocol, and for one that would carry a key in the clear to another machine */
function refuseWrongAddress(venue: Venue, file: SourcesFile, path: string): void {
  const { url, key } = file[venue.source] ?? {};
  if (url === undefined) return;
  const { protocol, hostname } = new URL(url);
  const [safe, clear] = venue.carrier === 'socket' ? ['wss:', 'ws:'] : ['https:', 'http:'];
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  const mayBeClear = key === undefined || isHere;
  if (protocol === safe || (protocol === clear && mayBeClear)) return;
  throw new Error(
    `SOURCES_FILE: ${path}: ${venue.source}: url must begin with ${safe}//${mayBeClear ? ` or ${clear}//` : ''}`,
  );
}

/** The keys of Pyth that count. */
export const pythKeysOf = (file: SourcesFile): readonly PythKeys[] => file[PYTH_SOURCE]?.signers ?? PYTH_KEYS;

/** All venues, Pyth with the keys that count. */
export const venuesOf = (file: SourcesFile): readonly Venue[] =>
  VENUES.map((venue) => (venue.source === PYTH_SOURCE ? pythVenue(pythKeysOf(file)) : venue));

/** With what the operator connects to a venue; null where the file lacks the key or the account that the venue asks for. */
export function accessOf(venue: Venue, file: SourcesFile): Access | null {
  const { url = venue.url, key = '', account = '' } = file[venue.source] ?? {};
  const access = { url, key, account };
  return (venue.needs ?? []).every((need) => access[need] !== '') ? access : null;
}
