import { createHash, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { type Asker, BusyError, FairLine } from './fair-line.ts';

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const ARGON2 = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;
/** Each hash takes a core for some 25 ms: so many at once that a core is left for everything else, and so many may wait. */
const AT_ONCE = Math.max(1, Math.min(4, availableParallelism()) - 1);
const MAX_WAITING = 200;
/** Where the house asks for itself. */
const HOUSE: Asker = { kind: 'inside', who: 'the house' };

const common: ReadonlySet<string> = new Set(dictionary['passwords-common']);

export function isCommonPassword(password: string): boolean {
  return common.has(password.toLowerCase());
}

/** Hashes and checks passwords, a bounded number at a time and in turns, so that a flood of logins can't starve everything else. */
export class Passwords {
  readonly #line = new FairLine({ atOnce: AT_ONCE, waiting: MAX_WAITING });
  /** What an unknown account is checked against: the same work, and never right. */
  readonly #decoy: Promise<string>;

  constructor() {
    this.#decoy = hash(randomBytes(18).toString('base64'), ARGON2);
  }

  /**
   * For what comes before the hash: nothing has to be looked up for somebody who will not get in, whichever of these they are.
   * @throws BusyError when too many wait
   */
  refuseWhenFull(...askers: readonly Asker[]): void {
    if (!askers.some((asker) => this.#line.hasRoom(asker)))
      throw new BusyError('too many passwords to check');
  }

  /** @throws BusyError when too many wait */
  async hash(password: string, asker = HOUSE): Promise<string> {
    return this.#line.take(asker, () => hash(password, ARGON2));
  }

  /**
   * Whether the password is the one that was hashed. Without a hash (no such account) it does the same work and says no.
   * @throws BusyError when too many wait
   */
  async matches(password: string, hashed: string | null, asker = HOUSE): Promise<boolean> {
    const against = hashed ?? (await this.#decoy);
    const isRight = await this.#line.take(asker, () => verify(against, password));
    return isRight && hashed !== null;
  }
}

/** A session's token: 256 random bits. Only its hash is stored. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Letters and digits that can't be taken for one another. */
const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const CODES = 10;
const HALF_LETTERS = 16;

/** Ten recovery codes of 78 bits each, in three groups of letters: short enough to write down. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, newRecoveryCode);
}

/** One of them; or one half of a code that two members of staff are given. */
export function newRecoveryCode(): string {
  const letters = Array.from(randomLetters(HALF_LETTERS)).join('');
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}

/** Letters drawn evenly: a byte above the last whole multiple is thrown away. */
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

/** A recovery code as typed: without regard to case, spaces and dashes. Its bits are many, so a plain hash does. */
export function hashRecoveryCode(code: string): Buffer {
  return createHash('sha256')
    .update(`recovery:${plainCode(code)}`)
    .digest();
}

const plainCode = (code: string): string => code.toUpperCase().replace(/[^A-Z0-9]/g, '');

/**
 * A code of two halves, each known to another member of staff, from the halves' own hashes: so that the first need not be kept
 * until the second is made. The customer may give them in either order.
 */
export function hashOfHalves(halves: readonly [Buffer, Buffer]): Buffer {
  const sorted = [...halves].sort(Buffer.compare);
  return createHash('sha256').update('recovery halves:').update(Buffer.concat(sorted)).digest();
}

/** What a code as typed is stored as: its own hash, or what its two halves come to. */
export function storedHash(code: string): Buffer {
  const plain = plainCode(code);
  if (plain.length !== 2 * HALF_LETTERS) return hashRecoveryCode(plain);
  const [first, second] = [plain.slice(0, HALF_LETTERS), plain.slice(HALF_LETTERS)];
  return hashOfHalves([hashRecoveryCode(first), hashRecoveryCode(second)]);
}
