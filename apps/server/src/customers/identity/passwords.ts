import { createHash, randomBytes } from 'node:crypto';
import { readCode } from '@fairtick/money';
import { hash, verify } from '@node-rs/argon2';
import { BOUNDS } from '../../platform/fairness/bounds.ts';
import { type Asker, Line } from '../../platform/fairness/line.ts';
import { OverloadError } from '../../platform/fairness/overload-error.ts';

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const ARGON2 = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;
/** Asker for the server's own hashes. */
const HOUSE: Asker = { kind: 'inside', who: 'the house' };

/**
 * Normalises a password (NFKC): keyboards send the same letter composed or in parts, in full or half width. Hashes are of this
 * form; those of earlier versions are of the text as it was typed.
 */
const plain = (password: string) => password.normalize('NFKC');

/** Hashes and checks passwords with bounded concurrency and in turns, so that a flood of logins can't starve other work. */
export class Passwords {
  readonly #line = new Line(BOUNDS.passwords);
  /** The hash that a password for an unknown account is checked against: same work, never right. */
  readonly #decoy: Promise<string>;

  constructor() {
    this.#decoy = hash(randomBytes(18).toString('base64'), ARGON2);
  }

  /**
   * Refuses before any look-up when the queue is full for all of these askers.
   * @throws OverloadError when too many wait
   */
  refuseWhenFull(...askers: readonly Asker[]): void {
    if (!askers.some((asker) => this.#line.hasRoom(asker)))
      throw new OverloadError('too many passwords to check');
  }

  /** @throws OverloadError when too many wait */
  async hash(password: string, asker = HOUSE): Promise<string> {
    return this.#line.take(asker, () => hash(plain(password), ARGON2));
  }

  /**
   * Whether the password matches the hash. Without a hash (no such account) it does the same work and returns false.
   * @throws OverloadError when too many wait
   */
  async matches(password: string, hashed: string | null, asker = HOUSE): Promise<boolean> {
    const against = hashed ?? (await this.#decoy);
    const forms = new Set([plain(password), password]);
    for (const form of forms)
      if (await this.#line.take(asker, () => verify(against, form))) return hashed !== null;
    return false;
  }
}

/** A session's token: 256 random bits. Only its hash is stored. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Letters and digits that are not easily confused. */
const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const CODES = 10;
const HALF_LETTERS = 16;

/** Ten recovery codes of 78 bits each, in three groups of letters; short enough to write down. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, newRecoveryCode);
}

/** One recovery code, or one half of a code that two members of staff are given. */
export function newRecoveryCode(): string {
  const letters = Array.from(randomLetters(HALF_LETTERS)).join('');
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}

/** Uniformly random letters: a byte at or above the last whole multiple of the alphabet's size is discarded. */
function* randomLetters(count: number): Generator<string> {
  const limit = 256 - (256 % CODE_LETTERS.length);
  let made = 0;
  while (made < count) {
    for (const byte of randomBytes(count)) {
      if (byte >= limit || made >= count) continue;
      made += 1;
      yield CODE_LETTERS[byte % CODE_LETTERS.length] as string;
    }
  }
}

/** Hash of a recovery code as typed, ignoring case, spaces and dashes. The code has enough entropy for a plain hash. */
export function hashRecoveryCode(code: string): Buffer {
  return createHash('sha256')
    .update(`recovery:${readCode(code)}`)
    .digest();
}

/**
 * Hash of a code in two halves, each known to another member of staff. It is made from the halves' own hashes, so that
 * the first half need not be kept until the second is made. The customer may give the halves in either order.
 */
export function hashOfHalves(halves: readonly [Buffer, Buffer]): Buffer {
  const sorted = [...halves].sort(Buffer.compare);
  return createHash('sha256').update('recovery halves:').update(Buffer.concat(sorted)).digest();
}

/** The stored hash of a code as typed: of a single code, or of two halves. */
export function storedHash(code: string): Buffer {
  const plain = readCode(code);
  if (plain.length !== 2 * HALF_LETTERS) return hashRecoveryCode(plain);
  const [first, second] = [plain.slice(0, HALF_LETTERS), plain.slice(HALF_LETTERS)];
  return hashOfHalves([hashRecoveryCode(first), hashRecoveryCode(second)]);
}
