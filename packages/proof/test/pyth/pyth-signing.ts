/** Routers of a test, which sign updates as Pyth's do. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { addressOfKey, PYTH_KEYS, type PythKeys, type PythPrice } from '../../src/index.ts';

const SECRETS = Array.from({ length: 5 }, (_, at) => new Uint8Array(32).fill(at + 1));

/** The keys of the test's routers, for all times. */
export const TEST_PYTH_KEYS: PythKeys = {
  ...(PYTH_KEYS[0] as PythKeys),
  fromMs: 0,
  routers: SECRETS.map((secret) => addressOfKey(secp256k1.getPublicKey(secret, false))),
};

export interface Said {
  readonly slot: bigint;
  readonly prices: readonly PythPrice[];
  /** Indexes of the routers that sign; the first three if absent. */
  readonly signers?: readonly number[];
  readonly emitter?: string;
  readonly chain?: number;
  /** Unix seconds; the slot's if absent. */
  readonly time?: number;
}

/** An update as Hermes sends it. */
export function signPythUpdate(said: Said): Uint8Array {
  const messages = said.prices.map(messageOf);
  const levels = treeOf(messages.map((message) => node(0, message)));
  const root = levels.at(-1)?.[0] as Uint8Array;
  const body = concatBytes(
    u32(said.time ?? Number(said.slot / 20n)),
    u32(0),
    u16(said.chain ?? TEST_PYTH_KEYS.chain),
    hexToBytes(said.emitter ?? TEST_PYTH_KEYS.emitter),
    u64(said.slot),
    Uint8Array.of(0, 0x41, 0x55, 0x57, 0x56, 0),
    u64(said.slot),
    u32(0),
    root,
  );
  const signatures = (said.signers ?? [0, 1, 2]).map((router) => signature(router, body));
  const vaa = concatBytes(Uint8Array.of(1), u32(0), Uint8Array.of(signatures.length), ...signatures, body);
  const parts = messages.flatMap((message, at) => {
    const path = pathOf(levels, at);
    return [u16(message.length), message, Uint8Array.of(path.length), ...path];
  });
  const head = Uint8Array.of(0x50, 0x4e, 0x41, 0x55, 1, 0, 0, 0);
  return concatBytes(head, u16(vaa.length), vaa, Uint8Array.of(messages.length), ...parts);
}

function signature(router: number, body: Uint8Array): Uint8Array {
  const digest = keccak_256(keccak_256(body));
  const secret = SECRETS[router] as Uint8Array;
  const signed = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' });
  return concatBytes(Uint8Array.of(router), signed.subarray(1), signed.subarray(0, 1));
}

function messageOf(price: PythPrice): Uint8Array {
  return concatBytes(
    Uint8Array.of(0),
    hexToBytes(price.feed),
    u64(price.mantissa),
    u64(price.conf),
    u32(price.exponent),
    u64(BigInt(price.publishTime)),
    u64(BigInt(price.previousPublishTime)),
    u64(price.mantissa),
    u64(price.conf),
  );
}

const node = (kind: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  keccak_256(concatBytes(Uint8Array.of(kind), ...parts)).subarray(0, 20);

/** Levels of the tree from the leaves to the root, filled up to a power of two as Pyth does. */
function treeOf(leaves: readonly Uint8Array[]): Uint8Array[][] {
  const width = 2 ** Math.ceil(Math.log2(leaves.length));
  const levels = [[...leaves, ...Array.from({ length: width - leaves.length }, () => node(2))]];
  for (let level = levels[0] as Uint8Array[]; level.length > 1; levels.push(level))
    level = Array.from({ length: level.length / 2 }, (_, at) => {
      const [left, right] = [level[2 * at] as Uint8Array, level[2 * at + 1] as Uint8Array];
      return isBefore(left, right) ? node(1, left, right) : node(1, right, left);
    });
  return levels;
}

const pathOf = (levels: readonly (readonly Uint8Array[])[], leaf: number): Uint8Array[] =>
  levels.slice(0, -1).map((level, height) => level[(leaf >> height) ^ 1] as Uint8Array);

const isBefore = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) <= 0;

const u16 = (value: number): Uint8Array => number(2, (view) => view.setUint16(0, value));
const u32 = (value: number): Uint8Array => number(4, (view) => view.setUint32(0, value));
const u64 = (value: bigint): Uint8Array => number(8, (view) => view.setBigUint64(0, value));

function number(length: number, write: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(length);
  write(new DataView(bytes.buffer));
  return bytes;
}
