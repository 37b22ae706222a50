/**
 * Price updates of Pyth (an "accumulator update" with a Wormhole Merkle root), as Hermes sends them. Pyth's routers sign a root;
 * each price is a message with a path to it. Formats: docs.pyth.network, "Price feeds, how Pyth works: Hermes, accumulator".
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { equalBytes, toHex } from '../encoding.ts';
import { signerOf } from '../secp256k1-signer.ts';
import { ByteReader, ShortBytes } from './byte-reader.ts';
import { type PythKeys, pythKeysAt } from './pyth-keys.ts';

/** Longer updates are refused without reading: 255 feeds with paths of 16 hashes have about 107 000 bytes. */
const MAX_PYTH_UPDATE_BYTES = 110_000;
/** An update of one feed alone, with the longest path and five signatures, is shorter. */
export const MAX_PYTH_COMPACT_BYTES = 1_200;

/** A Merkle path of this length reaches 65 536 feeds. */
const MAX_PATH = 16;
const MAX_SIGNATURES = 19;
const NODE_BYTES = 20;
const MOST_POWER = 36;

const PNAU = 0x504e4155;
const MAJOR = 1;
const WORMHOLE_MERKLE = 0;
const VAA_VERSION = 1;
const AUWV = 0x41555756;
const PRICE_MESSAGE = 0;

/**
 * - `form`: not an update of one of these formats, or cut off, or longer than allowed
 * - `keys`: no pinned keys count at its time
 * - `emitter`: signed for another place than Pyth's prices
 * - `signature`: a signature is not that of the router that it names, or routers are named twice or out of order
 * - `quorum`: too few signatures
 * - `path`: a price is not under the root that was signed
 */
export type PythFault = 'form' | 'keys' | 'emitter' | 'signature' | 'quorum' | 'path';

/** A price of one feed: `mantissa` × 10^`exponent`. Times are whole Unix seconds. */
export interface PythPrice {
  /** 64 lower-case hex digits. */
  readonly feed: string;
  readonly mantissa: bigint;
  readonly conf: bigint;
  readonly exponent: number;
  readonly publishTime: number;
  readonly previousPublishTime: number;
}

/** A verified update. */
export interface PythUpdate {
  /** By feed id in hex. */
  readonly prices: ReadonlyMap<string, PythPrice>;
  /** Rises with each update, 20 a second. */
  readonly slot: bigint;
  /** The time that the routers signed, whole Unix seconds. */
  readonly time: number;
  /** How many routers signed it, and the keys that were counted with. */
  readonly signers: number;
  readonly keys: PythKeys;
}

interface Vaa {
  readonly signatures: readonly { readonly router: number; readonly rs: Uint8Array; readonly bit: number }[];
  /** What is signed. */
  readonly body: Uint8Array;
  readonly time: number;
  readonly chain: number;
  readonly emitter: string;
  readonly slot: bigint;
  readonly root: Uint8Array;
}

interface Leaf {
  readonly message: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/**
 * Verifies an update: three of five routers signed its root, and each price has a path to it. No bytes make it throw.
 * @param sets the keys that count, by date
 */
export function verifyPythUpdate(
  bytes: Uint8Array,
  sets: readonly PythKeys[],
): PythUpdate | { readonly fault: PythFault } {
  const parts = partsOf(bytes);
  const vaa = parts && readWhole(parts.vaa, readVaa);
  if (!parts || !vaa) return { fault: 'form' };
  const keys = pythKeysAt(sets, vaa.time * 1000);
  if (keys === null) return { fault: 'keys' };
  if (vaa.chain !== keys.chain || vaa.emitter !== keys.emitter) return { fault: 'emitter' };
  const prices = new Map<string, PythPrice>();
  for (const leaf of parts.leaves) {
    const price = readWhole(leaf.message, readPrice);
    if (price === null || prices.has(price.feed)) return { fault: 'form' };
    if (!equalBytes(rootOf(leaf), vaa.root)) return { fault: 'path' };
    prices.set(price.feed, price);
  }
  const fault = faultOfSignatures(vaa, keys);
  if (fault !== null) return { fault };
  return { prices, slot: vaa.slot, time: vaa.time, signers: vaa.signatures.length, keys };
}

/**
 * The same update with the price of one feed alone: an update that can be verified by itself, about 630 bytes. Null where the bytes are
 * no update or have no such feed; nothing is verified.
 * @param feed 64 lower-case hex digits
 */
export function compactPythUpdate(bytes: Uint8Array, feed: string): Uint8Array | null {
  const parts = partsOf(bytes);
  const leaf = parts?.leaves.find(({ message }) => readWhole(message, readPrice)?.feed === feed);
  if (!parts || !leaf) return null;
  const { vaa } = parts;
  const { message, path } = leaf;
  return concatBytes(
    Uint8Array.of(0x50, 0x4e, 0x41, 0x55, MAJOR, 0, 0, WORMHOLE_MERKLE, vaa.length >> 8, vaa.length & 255),
    vaa,
    Uint8Array.of(1, message.length >> 8, message.length & 255),
    message,
    Uint8Array.of(path.length),
    ...path,
  );
}

/** The parts of an update, unverified; null where the form is wrong. */
const partsOf = (bytes: Uint8Array) =>
  bytes.length > MAX_PYTH_UPDATE_BYTES ? null : readWhole(bytes, readParts);

/** The value that `read` makes of all the bytes; null if it refuses them, finds too few, or leaves some. */
function readWhole<T>(bytes: Uint8Array, read: (from: ByteReader) => T | null): T | null {
  const from = new ByteReader(bytes);
  try {
    const value = read(from);
    return from.isAtEnd ? value : null;
  } catch (error) {
    if (error instanceof ShortBytes) return null;
    throw error;
  }
}

function readParts(from: ByteReader): { vaa: Uint8Array; leaves: readonly Leaf[] } | null {
  if (from.u32() !== PNAU || from.u8() !== MAJOR) return null;
  // A minor version and a header that it may add; neither is signed, and neither changes the rest.
  from.u8();
  from.take(from.u8());
  if (from.u8() !== WORMHOLE_MERKLE) return null;
  const vaa = from.take(from.u16());
  const leaves: Leaf[] = [];
  for (let left = from.u8(); left > 0; left -= 1) {
    const message = from.take(from.u16());
    const length = from.u8();
    if (length > MAX_PATH) return null;
    leaves.push({ message, path: Array.from({ length }, () => from.take(NODE_BYTES)) });
  }
  return leaves.length === 0 ? null : { vaa, leaves };
}

function readVaa(from: ByteReader): Vaa | null {
  if (from.u8() !== VAA_VERSION) return null;
  // The number of the set of signers is not signed: keys count by date.
  from.u32();
  const count = from.u8();
  if (count > MAX_SIGNATURES) return null;
  const signatures = Array.from({ length: count }, () => ({
    router: from.u8(),
    rs: from.take(64),
    bit: from.u8(),
  }));
  const body = from.rest();
  const signed = readWhole(body, readBody);
  return signed && { signatures, body, ...signed };
}

function readBody(from: ByteReader): Omit<Vaa, 'signatures' | 'body'> | null {
  const time = from.u32();
  from.u32(); // nonce
  const chain = from.u16();
  const emitter = toHex(from.take(32));
  from.u64(); // sequence
  from.u8(); // consistency
  if (from.u32() !== AUWV || from.u8() !== WORMHOLE_MERKLE) return null;
  const slot = from.u64();
  from.u32(); // size of the ring of roots
  return { time, chain, emitter, slot, root: from.take(NODE_BYTES) };
}

function readPrice(from: ByteReader): PythPrice | null {
  if (from.u8() !== PRICE_MESSAGE) return null;
  const feed = toHex(from.take(32));
  const [mantissa, conf, exponent] = [from.i64(), from.u64(), from.i32()];
  const [publishTime, previousPublishTime] = [Number(from.i64()), Number(from.i64())];
  from.i64(); // moving average of the price and its confidence
  from.u64();
  if (![publishTime, previousPublishTime].every((time) => Number.isSafeInteger(time) && time >= 0))
    return null;
  return { feed, mantissa, conf, exponent, publishTime, previousPublishTime };
}

const hash160 = (...parts: readonly Uint8Array[]): Uint8Array =>
  keccak_256(concatBytes(...parts)).subarray(0, NODE_BYTES);

const SLOT_MS = 50;

/**
 * The time of a price, Unix ms, and of its quote in the log: that of its slot where the slot lies in the second of the publish time; else that second's start, such as
 * of a feed whose market is closed.
 */
export function pythTimeMs({ slot }: Pick<PythUpdate, 'slot'>, { publishTime }: PythPrice): number {
  const slotMs = Number(slot) * SLOT_MS;
  return Math.floor(slotMs / 1000) === publishTime ? slotMs : publishTime * 1000;
}

/**
 * A price in units of a decimal place, cut off after it, as prices of all live sources are. Null where it is not above zero, or beyond
 * what a price can be.
 */
export function pythPoints({ mantissa, exponent }: PythPrice, decimals: number): bigint | null {
  const places = decimals + exponent;
  if (mantissa <= 0n || Math.abs(places) > MOST_POWER) return null;
  const power = 10n ** BigInt(Math.abs(places));
  const points = places < 0 ? mantissa / power : mantissa * power;
  return points > 0n ? points : null;
}

/** Nodes are ordered by value, so that a path needs no directions. */
function rootOf({ message, path }: Leaf): Uint8Array {
  let node = hash160(Uint8Array.of(0), message);
  for (const other of path) {
    const isFirst = toHex(node) <= toHex(other);
    node = hash160(Uint8Array.of(1), isFirst ? node : other, isFirst ? other : node);
  }
  return node;
}

/** Every signature must be that of the router that it names, and routers are named once, in rising order. */
function faultOfSignatures({ signatures, body }: Vaa, { routers, quorum }: PythKeys): PythFault | null {
  if (signatures.length < quorum) return 'quorum';
  const digest = keccak_256(keccak_256(body));
  let last = -1;
  for (const { router, rs, bit } of signatures) {
    if (router <= last || signerOf(digest, rs, bit) !== routers[router]) return 'signature';
    last = router;
  }
  return null;
}
