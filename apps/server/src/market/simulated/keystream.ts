import { createCipheriv, hash } from 'node:crypto';

/**
 * The random numbers of one purpose on one date: the key stream of AES-256 in counter mode; its key is the SHA-256 of the date's
 * secret and the purpose. From any number of prices neither later words nor the secret can be computed. Any stretch can be read
 * without the ones before it.
 */
export class Keystream {
  readonly #key: Buffer;

  /** @param secret 32 secret bytes of a date  @param purpose use of the numbers; each purpose has its own stream */
  constructor(secret: Uint8Array, purpose: string) {
    if (secret.length !== 32) throw new RangeError(`a date's secret is 32 bytes, not ${secret.length}`);
    this.#key = hash('sha256', Buffer.concat([secret, Buffer.from(`market model 2: ${purpose}`)]), 'buffer');
  }

  /** `count` words of 32 uniform bits from word `from` on; `from` is a multiple of 4, an AES block. */
  words(from: number, count: number): Uint32Array {
    const counter = Buffer.alloc(16);
    counter.writeUInt32BE(from / 4, 12);
    const cipher = createCipheriv('aes-256-ctr', this.#key, counter);
    const bytes = cipher.update(new Uint8Array(count * 4));
    return new Uint32Array(Uint8Array.from(bytes).buffer);
  }
}

const TO_UNIT = 1 / 2 ** 32;

/** A word as a number in (0, 1), neither end included. */
export function uniform(word: number): number {
  return (word + 0.5) * TO_UNIT;
}

/**
 * Standard normal numbers by the Box-Muller transform, two for every two words.
 * Writes `count` of them, or one more if that is odd, to the start of `out`.
 */
export function writeGaussians(words: Uint32Array, count: number, out: number[]): void {
  for (let index = 0; index < count; index += 2) {
    const radius = Math.sqrt(-2 * Math.log(((words[index] as number) + 0.5) * TO_UNIT));
    const angle = (words[index + 1] as number) * (2 * Math.PI * TO_UNIT);
    out[index] = radius * Math.cos(angle);
    out[index + 1] = radius * Math.sin(angle);
  }
}
