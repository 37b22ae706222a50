/** A reader met an end where bytes should be. */
export class ShortBytes extends Error {}

/** Reads big-endian numbers and byte strings one after the other; throws {@link ShortBytes} past the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** A view of the next bytes, not a copy. */
  take(length: number): Uint8Array {
    const from = this.#move(length);
    return this.#bytes.subarray(from, from + length);
  }

  /** All bytes up to the end. */
  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#at);
  }

  u8(): number {
    return this.#view.getUint8(this.#move(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#move(2));
  }

  u32(): number {
    return this.#view.getUint32(this.#move(4));
  }

  i32(): number {
    return this.#view.getInt32(this.#move(4));
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#move(8));
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#move(8));
  }

  /** @returns where the reader stood */
  #move(length: number): number {
    const from = this.#at;
    if (from + length > this.#bytes.length) throw new ShortBytes();
    this.#at = from + length;
    return from;
  }
}
