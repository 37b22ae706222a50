/** A log as its server shows it: checkpoint, tiles, proofs. The answers are unverified bytes and prove nothing by themselves. */
import { fromHex, utf8 } from '../encoding.ts';
import { MAX_NOTE_BYTES, nobleVerifier } from '../note.ts';
import { HASH_BYTES } from '../sha256.ts';
import { decodeEntryBundle, formatTilePath, MAX_ENTRY_BYTES, TILE_WIDTH, type Tile } from '../tile.ts';

/** The server did not answer, or answered something else. This proves nothing about the log. */
export class ServerTrouble extends Error {}

export interface ToldKeys {
  readonly origin: string;
  readonly checkpoints: string;
  readonly acceptances: string;
  /** Hand-overs in the log, oldest first, each with the key that was handed over. */
  readonly rotations: readonly {
    readonly index: number;
    readonly entry: string;
    readonly oldKey: string;
  }[];
}

/** The requests that a monitor sends to a server. */
export interface LogSource {
  keys(): Promise<ToldKeys>;
  checkpoint(): Promise<string>;
  /** The checkpoint that witnesses are to cosign now; null while there is none. */
  toCosign(): Promise<string | null>;
  cosign(note: string): Promise<void>;
  /** The texts of a bundle, exactly `width` of them. */
  bundle(index: number, width: number): Promise<string[]>;
  tile(tile: Tile): Promise<Uint8Array>;
  consistency(fromSize: number, size: number): Promise<Uint8Array[]>;
  inclusion(index: number, size: number): Promise<Uint8Array[]>;
}

/** Upper bound of an answer: 256 entries of the greatest length. */
const MOST_BYTES = TILE_WIDTH * (2 + MAX_ENTRY_BYTES);
const TIMEOUT_MS = 20_000;
/** At most so many characters of a server's message are shown. */
const MOST_QUOTED = 200;

/** A server's log over HTTP. */
export function httpSource(url: string, ask: typeof fetch = fetch): LogSource {
  const base = `${url.replace(/(?<!\/)\/+$/, '')}/api/transparency`;
  const read = async (
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; body: Uint8Array }> => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(new Error('no answer in time')), TIMEOUT_MS);
    try {
      const answer = await ask(`${base}/${path}`, { ...init, signal: stop.signal });
      return { status: answer.status, body: await bodyOf(answer, MOST_BYTES) };
    } catch (error) {
      if (error instanceof ServerTrouble) throw error;
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
      throw new ServerTrouble(`${base}/${path} gave no answer (${(error as Error).message}${cause})`);
    } finally {
      clearTimeout(timer);
    }
  };
  const file = async (path: string): Promise<Uint8Array> => {
    const { status, body } = await read(path);
    if (status !== 200) throw new ServerTrouble(`${base}/${path} answered ${status}`);
    return body;
  };
  const data = async (path: string, init?: RequestInit): Promise<unknown> => {
    const { body } = await read(path, init);
    const answer = parseJson(body);
    if (!isRecord(answer) || answer.code !== 1)
      throw new ServerTrouble(
        `${base}/${path} refused: ${isRecord(answer) ? quoted(answer.msg) : 'no envelope'}`,
      );
    return answer.data;
  };
  return {
    keys: async () => readKeys(await data('key?lang=en')),
    checkpoint: async () => textOf(await file('checkpoint')),
    toCosign: async () => {
      const told = await data('witnesses?lang=en');
      const note = isRecord(told) ? told.toCosign : undefined;
      if (note !== null && typeof note !== 'string') throw new ServerTrouble('no list of witnesses');
      return note;
    },
    cosign: async (note) => {
      if (note.length > MAX_NOTE_BYTES) throw new RangeError('the note is too long');
      const body = new URLSearchParams({ lang: 'en', note });
      await data('cosign', { method: 'POST', body });
    },
    bundle: async (index, width) => {
      const path = formatTilePath({ level: 'entries', index, width });
      const entries = decodeEntryBundle(await file(path), width);
      if (entries === null) throw new ServerTrouble(`${base}/${path} is no bundle of ${width} entries`);
      return entries.map(textOf);
    },
    tile: async (tile) => {
      const path = formatTilePath(tile);
      const bytes = await file(path);
      if (bytes.length !== tile.width * HASH_BYTES)
        throw new ServerTrouble(`${base}/${path} is no tile of ${tile.width} hashes`);
      return bytes;
    },
    inclusion: async (index, size) => {
      const told = await data(`proof?lang=en&index=${index}&size=${size}`);
      return hashesIn(isRecord(told) ? told.proof : null);
    },
    consistency: async (fromSize, size) => {
      const told = await data(`proof?lang=en&fromSize=${fromSize}&size=${size}`);
      return hashesIn(isRecord(told) ? told.consistency : null);
    },
  };
}

/** @throws ServerTrouble for an answer of more bytes */
export async function bodyOf(answer: Response, most: number): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  // Older browsers can't iterate over a stream.
  const reader = answer.body?.getReader();
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    length += read.value.length;
    if (length > most) {
      await reader?.cancel();
      throw new ServerTrouble(`${answer.url} sends more than ${most} bytes`);
    }
    parts.push(read.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function textOf(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  // Bytes that are not UTF-8 are no entry: the decoder replaces them, and the hash would differ from the signed one.
  return utf8(text).length === bytes.length ? text : '\uFFFD';
}

function hashesIn(list: unknown): Uint8Array[] {
  const hexes = Array.isArray(list) ? list : [null];
  const hashes = hexes.map((hex) => (typeof hex === 'string' ? fromHex(hex) : null));
  if (hashes.includes(null)) throw new ServerTrouble('the server gave no proof');
  return hashes as Uint8Array[];
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A server's words in one short line: they could otherwise pass for the program's own. */
function quoted(words: unknown): string {
  return JSON.stringify(String(words).slice(0, MOST_QUOTED).replaceAll(/\p{C}/gu, ' '));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readKeys(told: unknown): ToldKeys {
  if (isRecord(told)) {
    const { origin, checkpoints, acceptances, rotations } = told;
    const isPlaced = (each: unknown): each is ToldKeys['rotations'][number] =>
      isRecord(each) &&
      Number.isSafeInteger(each.index) &&
      typeof each.entry === 'string' &&
      typeof each.oldKey === 'string';
    const list = Array.isArray(rotations) ? rotations : [];
    const isKey = (text: unknown) => typeof text === 'string' && nobleVerifier(text) !== null;
    if (typeof origin === 'string' && [checkpoints, acceptances].every(isKey) && list.every(isPlaced))
      return { origin, checkpoints, acceptances, rotations: list } as ToldKeys;
  }
  throw new ServerTrouble('the server gave no keys');
}
