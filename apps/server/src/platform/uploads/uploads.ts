import { createHash, randomBytes } from 'node:crypto';
import { failureOf, type Queryable } from '../db/database.ts';
import { RefusalError } from '../http/context.ts';
import { type KeyRing, keyIdOf } from '../sealing/key-ring.ts';
import type { DiskStore } from './disk-store.ts';
import { type Picture, packPicture, type Refused, unpackPicture } from './picture-format.ts';
import { isRefused, type PictureWorkshop } from './picture-workshop.ts';

export type Purpose = 'id_front' | 'id_back' | 'proof' | 'chat';

const CODES = {
  type: 'IMAGE_TYPE',
  heic: 'IMAGE_HEIC',
  unreadable: 'IMAGE_UNREADABLE',
  pixels: 'IMAGE_TOO_LARGE',
} as const satisfies Record<Refused, string>;

/** A file that no row names after this time belongs to a transaction that never committed. */
const ORPHAN_MS = 60 * 60_000;
const SWEPT_AT_ONCE = 500;

export class Uploads {
  readonly #store: DiskStore;
  readonly #keys: KeyRing;
  readonly #workshop: PictureWorkshop;

  constructor(parts: { store: DiskStore; keys: KeyRing; workshop: PictureWorkshop }) {
    this.#store = parts.store;
    this.#keys = parts.keys;
    this.#workshop = parts.workshop;
  }

  /** Takes a while, so call it before the transaction. @throws RefusalError that names the field */
  async prepare(field: string, bytes: Uint8Array): Promise<Picture> {
    const made = await this.#workshop.remake(bytes);
    if (!isRefused(made)) return made;
    const code = CODES[made];
    throw new RefusalError(code, { fields: { [field]: code } });
  }

  /** Returns the picture's id. After a rollback the sweep removes the file. @throws RefusalError when the customer has stored too much */
  async store(db: Queryable, owner: string, purpose: Purpose, picture: Picture): Promise<string> {
    const { rows } = await db.query<{ id: string }>(`select nextval('personal_data_ids') as id`);
    const { id } = rows[0] as { id: string };
    const sealed = this.#keys.seal(packPicture(picture), { table: 'uploads', record: id, customer: owner });
    const file = randomBytes(24).toString('base64url');
    await this.#store.write(file, sealed);
    await db
      .query(
        `insert into uploads (id, customer_id, purpose, file, key_id, width, height, bytes, sha256)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          id,
          owner,
          purpose,
          file,
          keyIdOf(sealed),
          picture.width,
          picture.height,
          sealed.length,
          createHash('sha256').update(sealed).digest(),
        ],
      )
      .catch((error: unknown) => {
        throw failureOf(error) === 'PICTURES_FULL' ? new RefusalError('PICTURES_FULL') : error;
      });
    return id;
  }

  /** A picture of this customer; null when it does not exist, belongs to another customer, or was erased. */
  async read(db: Queryable, owner: string, id: string): Promise<Picture | null> {
    if (!/^\d{1,18}$/.test(id)) return null;
    // A rotation may delete the file between the row's read and the file's; the row then names another file.
    for (let tries = 0; tries < 3; tries += 1) {
      const { rows } = await db.query<{ file: string }>(
        'select file from uploads where id = $1 and customer_id = $2 and file is not null',
        [id, owner],
      );
      const row = rows[0];
      if (!row) return null;
      const sealed = await this.#store.read(row.file);
      if (sealed)
        return unpackPicture(this.#keys.open(sealed, { table: 'uploads', record: id, customer: owner }));
    }
    throw new Error(`the file of upload ${id} is missing`);
  }

  /** Removes files that no row names: of cancelled requests, rolled back transactions and processes that died. Returns how many. */
  async sweep(db: Queryable, nowMs = Date.now()): Promise<number> {
    let removed = 0;
    let files: string[] = [];
    const removeUnnamed = async () => {
      const { rows } = await db.query<{ file: string }>(
        'select file from unnest($1::text[]) file where not exists (select from uploads u where u.file = file.file)',
        [files],
      );
      for (const { file } of rows) await this.#store.remove(file);
      removed += rows.length;
      files = [];
    };
    for await (const file of this.#store.writtenBefore(nowMs - ORPHAN_MS)) {
      files.push(file);
      if (files.length === SWEPT_AT_ONCE) await removeUnnamed();
    }
    await removeUnnamed();
    return removed;
  }

  stop(): void {
    this.#workshop.stop();
  }
}
