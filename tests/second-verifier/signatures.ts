import { createHash, createPublicKey, verify } from 'node:crypto';

/**
 * Ed25519 as the page wants it: the equation of RFC 8032, 5.1.7, with the cofactor. Node's equation has none, so that what it accepts
 * holds here too, and what it refuses is computed again.
 */
const P = 2n ** 255n - 19n;
export const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const mod = (value: bigint): bigint => ((value % P) + P) % P;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = mod(base);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}
const D = mod(-121665n * power(121666n, P - 2n));
const ROOT_OF_MINUS_1 = power(2n, (P - 1n) / 4n);

/** Homogeneous: x = X/Z, y = Y/Z, and T = XY/Z. */
export type Point = readonly [X: bigint, Y: bigint, Z: bigint, T: bigint];
const ZERO: Point = [0n, 1n, 1n, 0n];

export function add([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = (y1 - x1) * (y2 - x2);
  const b = (y1 + x1) * (y2 + x2);
  const c = 2n * D * t1 * t2;
  const d = 2n * z1 * z2;
  const [e, f, g, h] = [mod(b - a), mod(d - c), mod(d + c), mod(b + a)] as const;
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

export function times(factor: bigint, point: Point): Point {
  let result = ZERO;
  let doubled = point;
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = add(result, doubled);
    doubled = add(doubled, doubled);
  }
  return result;
}
const isEqual = ([x1, y1, z1]: Point, [x2, y2, z2]: Point): boolean =>
  mod(x1 * z2 - x2 * z1) === 0n && mod(y1 * z2 - y2 * z1) === 0n;

export const littleEndian = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

/** RFC 8032, 5.1.3. Null for what encodes no point, or not as the encoder would. */
export function decode(bytes: Uint8Array): Point | null {
  const read = littleEndian(bytes);
  const [y, isOdd] = [read & (2n ** 255n - 1n), read >> 255n];
  if (y >= P) return null;
  const square = mod((y * y - 1n) * power(D * y * y + 1n, P - 2n));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x - square) !== 0n) x = mod(x * ROOT_OF_MINUS_1);
  if (mod(x * x - square) !== 0n || (x === 0n && isOdd === 1n)) return null;
  if ((x & 1n) !== isOdd) x = P - x;
  return [x, y, 1n, mod(x * y)];
}
export const BASE = decode(Buffer.from(`58${'66'.repeat(31)}`, 'hex')) as Point;

export function encode([x, y, z]: Point): Buffer {
  const inverse = power(z, P - 2n);
  const written = mod(y * inverse) | ((mod(x * inverse) & 1n) << 255n);
  return Buffer.from(written.toString(16).padStart(64, '0'), 'hex').reverse();
}

export const isPublicKey = (bytes: Uint8Array): boolean => bytes.length === 32 && decode(bytes) !== null;

function satisfies(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array, key: Point): boolean {
  const [r, s] = [decode(signature.subarray(0, 32)), littleEndian(signature.subarray(32))];
  if (!r || s >= ORDER) return false;
  const hash = createHash('sha512').update(signature.subarray(0, 32)).update(publicKey).update(message);
  const k = littleEndian(hash.digest()) % ORDER;
  return isEqual(times(8n * s, BASE), times(8n, add(r, times(k, key))));
}

const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

export function isSignatureOf(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const key = decode(publicKey);
  if (signature.length !== 64 || !key || isEqual(times(8n, key), ZERO)) return false;
  const der = Buffer.concat([ED25519_SPKI, publicKey]);
  const opened = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, message, opened, signature) || satisfies(message, signature, publicKey, key);
}
