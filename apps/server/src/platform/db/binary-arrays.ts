/**
 * Arrays in PostgreSQL's binary format; `pg` sends a Buffer unchanged. In text format each element is quoted here and
 * parsed there, which is half of all the work for a batch of a thousand rows.
 */
type Cell<T> = T | null;

const OID = { bool: 16, int2: 21, int8: 20, bytea: 17, text: 25 } as const;
const HEAD_BYTES = 20;
const EMPTY_HEAD_BYTES = 12;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;
const TWO_32 = 0x1_0000_0000;

export function int2Array(values: readonly Cell<number>[]): Buffer {
  const bytes = begin(OID.int2, values.length, values.length * (LENGTH_BYTES + 2));
  let at = HEAD_BYTES;
  for (const value of values) {
    if (value === null) at = bytes.writeInt32BE(NULL_LENGTH, at);
    else at = bytes.writeInt16BE(value, bytes.writeInt32BE(2, at));
  }
  return end(bytes, values, at);
}

export function boolArray(values: readonly Cell<boolean>[]): Buffer {
  const bytes = begin(OID.bool, values.length, values.length * (LENGTH_BYTES + 1));
  let at = HEAD_BYTES;
  for (const value of values) {
    if (value === null) at = bytes.writeInt32BE(NULL_LENGTH, at);
    else at = bytes.writeUInt8(value ? 1 : 0, bytes.writeInt32BE(1, at));
  }
  return end(bytes, values, at);
}

/** Throws for numbers that are not safe integers. */
export function int8Array(values: readonly Cell<number | bigint>[]): Buffer {
  const bytes = begin(OID.int8, values.length, values.length * (LENGTH_BYTES + 8));
  let at = HEAD_BYTES;
  for (const value of values) {
    if (value === null) {
      at = bytes.writeInt32BE(NULL_LENGTH, at);
      continue;
    }
    at = bytes.writeInt32BE(8, at);
    if (typeof value === 'bigint') at = bytes.writeBigInt64BE(value, at);
    else if (Number.isSafeInteger(value)) {
      // Several times as fast as via a bigint.
      at = bytes.writeUInt32BE(value >>> 0, bytes.writeInt32BE(Math.floor(value / TWO_32), at));
    } else throw new RangeError(`${value} is no whole number`);
  }
  return end(bytes, values, at);
}

export function byteaArray(values: readonly Cell<Uint8Array>[]): Buffer {
  const size = values.reduce((sum, value) => sum + LENGTH_BYTES + (value?.length ?? 0), 0);
  const bytes = begin(OID.bytea, values.length, size);
  let at = HEAD_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(value === null ? NULL_LENGTH : value.length, at);
    if (value === null) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return end(bytes, values, at);
}

export function textArray(values: readonly Cell<string>[]): Buffer {
  const size = values.reduce(
    (sum, value) => sum + LENGTH_BYTES + (value === null ? 0 : Buffer.byteLength(value)),
    0,
  );
  const bytes = begin(OID.text, values.length, size);
  let at = HEAD_BYTES;
  for (const value of values) {
    if (value === null) {
      at = bytes.writeInt32BE(NULL_LENGTH, at);
      continue;
    }
    const length = bytes.write(value, at + LENGTH_BYTES);
    bytes.writeInt32BE(length, at);
    at += LENGTH_BYTES + length;
  }
  return end(bytes, values, at);
}

/** Writes the header: dimensions, null flag (see {@link end}), type, and the one dimension's length and lower bound. */
function begin(oid: number, length: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + size);
  bytes.writeInt32BE(length === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(0, 4);
  bytes.writeInt32BE(oid, 8);
  bytes.writeInt32BE(length, 12);
  bytes.writeInt32BE(1, 16);
  return bytes;
}

function end(bytes: Buffer, values: readonly unknown[], at: number): Buffer {
  if (values.length === 0) return bytes.subarray(0, EMPTY_HEAD_BYTES);
  if (values.includes(null)) bytes.writeInt32BE(1, 4);
  return bytes.subarray(0, at);
}
