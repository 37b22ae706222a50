import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** An entry as the server returns it: its text, and the hash of the chain up to it, in hex. */
export interface ChainItem {
  readonly seq: number;
  readonly entry: string;
  readonly hash: string;
}

export interface Head {
  /** Number of entries. */
  readonly size: number;
  readonly hash: string;
}

export type ChainFault =
  /** An entry is missing before `seq`. */
  | { readonly kind: 'missing'; readonly seq: number }
  /** The text is not what was hashed, or an earlier entry was changed. */
  | { readonly kind: 'changed'; readonly seq: number }
  /** The newest entries are missing, or the head does not match them. */
  | { readonly kind: 'head'; readonly seq: number }
  /** This browser has verified a different log up to `seq`. */
  | { readonly kind: 'rewritten'; readonly seq: number };

const EMPTY_HASH = '00'.repeat(32);

/**
 * Hashes the audit log again, entry by entry: hash = SHA-256(previous hash || the entry's UTF-8), starting with 32 zero bytes.
 * `seen` is the head that this browser last verified: the log must continue from it, otherwise it was truncated or rewritten,
 * which the chain alone can't show.
 */
export class ChainCheck {
  #size = 0;
  #hash = EMPTY_HASH;
  readonly #seen: Head | null;

  constructor(seen: Head | null) {
    this.#seen = seen;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds the next entries, in order; returns the first fault found, else null. */
  add(items: readonly ChainItem[]): ChainFault | null {
    for (const { seq, entry, hash } of items) {
      if (seq !== this.#size) return { kind: 'missing', seq };
      this.#hash = nextHash(this.#hash, entry);
      if (this.#hash !== hash || seqOf(entry) !== seq) return { kind: 'changed', seq };
      this.#size += 1;
      if (this.#size === this.#seen?.size && this.#hash !== this.#seen.hash)
        return { kind: 'rewritten', seq };
    }
    return null;
  }

  /** Call after all entries were added: checks that they reach `head` and are not fewer than this browser has seen. */
  finish(head: Head): ChainFault | null {
    if (head.size !== this.#size || head.hash !== this.#hash) return { kind: 'head', seq: this.#size };
    if (this.#seen !== null && this.#seen.size > this.#size) return { kind: 'rewritten', seq: this.#size };
    return null;
  }
}

const nextHash = (before: string, entry: string): string =>
  bytesToHex(sha256(concatBytes(hexToBytes(before), utf8ToBytes(entry))));

/** The number inside an entry's text; null if it has none. */
function seqOf(entry: string): number | null {
  try {
    const { seq } = JSON.parse(entry) as { seq?: unknown };
    return typeof seq === 'number' ? seq : null;
  } catch {
    return null;
  }
}
