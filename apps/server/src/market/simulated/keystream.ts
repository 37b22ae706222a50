import { type Cipheriv, createCipheriv, createSecretKey, hash } from 'node:crypto';

/**
 * The random numbers of one purpose on one date: the key stream of AES-256 in counter mode; its key is the SHA-256 of the date's
 * secret and the purpose. From any number of prices neither later words nor the secret can be computed. Any stretch can be read
 * without the ones before it.
 */
export class Keystream {
  /** Enciphers counters, block by block: one cipher for each stretch would take several times as long. */
  readonly #cipher: Cipheriv;

  /** @param secret 32 secret bytes of a date  @param purpose use of the numbers; each purpose has its own stream */
  constructor(secret: Uint8Array, purpose: string) {
    if (secret.length !== 32) throw new RangeError(`a date's secret is 32 bytes, not ${secret.length}`);
    const text = Buffer.concat([secret, Buffer.from(`market model 2: ${purpose}`)]);
    // A bare key takes several times as long.
    this.#cipher = createCipheriv('aes-256-ecb', createSecretKey(hash('sha256', text, 'buffer')), null);
  }

  /** `count` words of 32 uniform bits from word `from` on; `from` is a multiple of 4, an AES block. */
  words(from: number, count: number): Uint32Array {
    const counters = Buffer.alloc(Math.ceil(count / 4) * 16);
    for (let at = 12; at < counters.length; at += 16) counters.writeUInt32BE(from / 4 + (at - 12) / 16, at);
    return new Uint32Array(new Uint8Array(this.#cipher.update(counters)).buffer, 0, count);
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
