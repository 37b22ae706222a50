import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Queryable } from '../db/database.ts';
import { UnfitDatabaseError } from '../db/unfit-database.ts';
import { type DataKey, type DataKeys, makeKeyFile, readKeyFile, signOf } from './key-file.ts';

export interface Binding {
  readonly table:
    | 'verifications'
    | 'bank_cards'
    | 'crypto_addresses'
    | 'withdrawal_passwords'
    | 'uploads'
    | 'chat_messages'
    | 'chat_notes'
    | 'recovery_requests'
    | 'vendor_events'
    | 'staff_second_factors'
    | 'customer_second_factors'
    | 'feed_seeds';
  readonly record: string;
  readonly customer: string;
}

const FORMAT = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES;
const LEAST_BYTES = HEAD_BYTES + NONCE_BYTES + TAG_BYTES;

/** A value that does not open: wrong key, wrong record, or altered. */
export class SealError extends Error {}

/** AES-256-GCM with a fresh nonce for each value. The file is read again when it changes, so a rotation needs no restart. */
export class KeyRing {
  readonly #file: string;
  #keys: DataKeys;
  #sign: string;

  constructor(file: string) {
    this.#file = file;
    this.#sign = signOf(file);
    this.#keys = readKeyFile(file);
  }

  /** The database knows which keys were used. @param options.mayMake a file, when there is none and nothing was ever sealed */
  static async load(db: Queryable, file: string, options: { mayMake: boolean }): Promise<KeyRing> {
    const { rows } = await db.query<{ id: Buffer }>('select id from data_keys where retired_at is null');
    if (!existsSync(file)) {
      if (rows.length > 0)
        throw new UnfitDatabaseError(
          `${file} is missing, with which secrets are sealed: bring it back from its copy`,
        );
      if (!options.mayMake)
        throw new UnfitDatabaseError(
          `${file} is missing: MODE=live makes no key by itself (npm run admin -- new-house --keys)`,
        );
      makeKeyFile(file);
    }
    const ring = new KeyRing(file);
    const missing = rows.filter(({ id }) => !ring.#keys.all.some((key) => key.id.equals(id)));
    if (missing.length > 0) {
      const ids = missing.map(({ id }) => id.toString('hex')).join(', ');
      throw new UnfitDatabaseError(
        `${file} lacks keys that secrets are sealed with (${ids}): bring it back from its copy`,
      );
    }
    await ring.register(db);
    return ring;
  }

  get activeKey(): Buffer {
    return this.#current().active.id;
  }

  /** So that a start without the key is refused. */
  async register(db: Queryable): Promise<void> {
    await db.query('insert into data_keys (id) values ($1) on conflict do nothing', [this.activeKey]);
  }

  seal(plain: Uint8Array, binding: Binding): Buffer {
    const { active } = this.#current();
    const head = Buffer.concat([Buffer.from([FORMAT]), active.id]);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', active.seal, nonce);
    cipher.setAAD(associated(head, binding));
    const text = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([head, nonce, text, cipher.getAuthTag()]);
  }

  open(sealed: Buffer, binding: Binding): Buffer {
    if (sealed.length < LEAST_BYTES || sealed[0] !== FORMAT) throw new SealError('not a sealed value');
    const key = this.#keyOf(sealed);
    if (!key)
      throw new SealError(`no key ${keyIdOf(sealed).toString('hex')} to open a value of ${binding.table}`);
    const nonce = sealed.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key.seal, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associated(sealed.subarray(0, HEAD_BYTES), binding));
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const text = decipher.update(sealed.subarray(HEAD_BYTES + NONCE_BYTES, sealed.length - TAG_BYTES));
    try {
      return Buffer.concat([text, decipher.final()]);
    } catch {
      throw new SealError(`a value of ${binding.table} does not open`);
    }
  }

  index(kind: string, text: string): Buffer {
    return indexWith(this.#current().active, kind, text);
  }

  /** Under every key, because a rotation takes a while. */
  indices(kind: string, text: string): Buffer[] {
    return this.#current().all.map((key) => indexWith(key, kind, text));
  }

  #keyOf(sealed: Buffer): DataKey | undefined {
    return this.#current().all.find(({ id }) => id.equals(keyIdOf(sealed)));
  }

  #current(): DataKeys {
    const sign = signOf(this.#file);
    if (sign !== this.#sign) {
      this.#keys = readKeyFile(this.#file);
      this.#sign = sign;
    }
    return this.#keys;
  }
}

export const keyIdOf = (sealed: Buffer): Buffer => sealed.subarray(1, HEAD_BYTES);

function associated(head: Buffer, { table, record, customer }: Binding): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify([table, record, customer]))]);
}

function indexWith(key: DataKey, kind: string, text: string): Buffer {
  return createHmac('sha256', key.index)
    .update(JSON.stringify([kind, text]))
    .digest();
}
