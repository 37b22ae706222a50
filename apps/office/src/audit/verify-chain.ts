/** What the server tells of an entry: its text, and the hash of the chain up to it, in hex. */
export interface ChainItem {
  readonly seq: number;
  readonly entry: string;
  readonly hash: string;
}

export interface Head {
  /** How many entries there are. */
  readonly size: number;
  readonly hash: string;
}

export type ChainFault =
  /** An entry is missing before `seq`. */
  | { readonly kind: 'missing'; readonly seq: number }
  /** The text is not the one that was hashed, or the entries before it are not. */
  | { readonly kind: 'changed'; readonly seq: number }
  /** The newest entries are missing, or the head is not theirs. */
  | { readonly kind: 'head'; readonly seq: number }
  /** This browser has seen another log up to `seq`. */
  | { readonly kind: 'rewritten'; readonly seq: number };

const EMPTY_HASH = '00'.repeat(32);

/**
 * Hashes the audit log anew, entry by entry: hash = SHA-256(the hash before || the entry's UTF-8), beginning with 32 zero
 * bytes. `seen` is the head that this browser verified last: the log has to go on from there, or somebody cut it or wrote
 * it anew, which a chain alone can't show.
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

  /** The next entries, in order. */
  async add(items: readonly ChainItem[]): Promise<ChainFault | null> {
    for (const { seq, entry, hash } of items) {
      if (seq !== this.#size) return { kind: 'missing', seq };
      this.#hash = await nextHash(this.#hash, entry);
      if (this.#hash !== hash || seqOf(entry) !== seq) return { kind: 'changed', seq };
      this.#size += 1;
      if (this.#size === this.#seen?.size && this.#hash !== this.#seen.hash)
        return { kind: 'rewritten', seq };
    }
    return null;
  }

  /** When all entries were added: whether they are all. */
  finish(head: Head): ChainFault | null {
    if (head.size !== this.#size || head.hash !== this.#hash) return { kind: 'head', seq: this.#size };
    if (this.#seen !== null && this.#seen.size > this.#size) return { kind: 'rewritten', seq: this.#size };
    return null;
  }
}

async function nextHash(before: string, entry: string): Promise<string> {
  const text = new TextEncoder().encode(entry);
  const bytes = new Uint8Array(32 + text.length);
  bytes.set(Uint8Array.fromHex(before));
  bytes.set(text, 32);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).toHex();
}

/** The number that an entry says it has; null: it says none. */
function seqOf(entry: string): number | null {
  try {
    const { seq } = JSON.parse(entry) as { seq?: unknown };
    return typeof seq === 'number' ? seq : null;
  } catch {
    return null;
  }
}
