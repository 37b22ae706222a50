import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedBinding } from '../../market/simulated/seed-book.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { type Binding, type KeyRing, keyIdOf } from '../../platform/sealing/key-ring.ts';
import { FINDERS, INDEXED, openRecord, type SealedTable } from '../../platform/sealing/records.ts';
import type { DiskStore } from '../../platform/uploads/disk-store.ts';
import { CUSTOMER_FACTORS, STAFF_FACTORS } from '../identity/second-factors.ts';

/** Values sealed anew per transaction: rows are locked only briefly, and an interruption loses little. */
const CHUNK = 100;
/** Smaller, because files are large. */
const FILE_CHUNK = 10;
/** Most missing files that an error names. */
const MOST_NAMED = 20;
/** How long a process that has read the old key may take to store a value sealed with it. */
const LATE_MS = 3_000;

/** `db` is a connection of the owner's, because the server's role may not change sealed values. */
export interface RotationParts {
  readonly db: Queryable;
  readonly keys: KeyRing;
  readonly store: DiskStore;
  readonly say: (text: string) => void;
  /** How many lost files are given up: exactly as many as are missing; null: none. */
  readonly lost?: number | null;
  /** For tests, which wait less. */
  readonly lateMs?: number;
}

const TABLES = Object.keys(INDEXED) as SealedTable[];
/** The column that a record is bound to. */
const idColumn = (table: SealedTable) => (table === 'withdrawal_passwords' ? 'customer_id' : 'id');
/** The column with the customer that a record is bound to; calls for help and vendors' events are bound to none. */
const ownerColumn = (table: SealedTable) =>
  table === 'recovery_requests' || table === 'vendor_events' ? `''` : 'customer_id';
const SECRET_KEY = 'substring(sealed_secret from 2 for 4)';
/** Tables of second factors' secrets and of the simulated feed's, with their key and the binding of each. */
const SECRET_TABLES = [
  { table: STAFF_FACTORS.factors, id: 'id', owner: 'staff_id', bindingOf: STAFF_FACTORS.bindingOf },
  { table: CUSTOMER_FACTORS.factors, id: 'id', owner: 'customer_id', bindingOf: CUSTOMER_FACTORS.bindingOf },
  { table: 'former_factors', id: 'id', owner: 'customer_id', bindingOf: CUSTOMER_FACTORS.bindingOf },
  { table: 'feed_seeds', id: 'date', owner: 'date::text', bindingOf: seedBinding },
] as const;

/** Number of values that are not sealed with the active key. */
export async function countOld({ db, keys }: Pick<RotationParts, 'db' | 'keys'>): Promise<number> {
  const counts = [
    ...TABLES.map((table) => `select count(*) from ${table} where sealed is not null and key_id <> $1`),
    'select count(*) from uploads where file is not null and key_id <> $1',
    ...SECRET_TABLES.map(
      ({ table }) => `select count(*) from ${table} where sealed_secret is not null and ${SECRET_KEY} <> $1`,
    ),
  ];
  const { rows } = await db.query<{ old: string }>(`select (${counts.join(') + (')}) as old`, [
    keys.activeKey,
  ]);
  return Number(rows[0]?.old);
}

/**
 * Reseals all values with the active key while the server runs. It may be interrupted and restarted; finished work is
 * kept. Ends when no old value is left or arrived meanwhile.
 * @throws Error when files are missing and not given up; everything else is done by then
 */
export async function sealAnew(parts: RotationParts): Promise<number> {
  const { db, keys, say, lateMs = LATE_MS } = parts;
  await keys.register(db);
  let done = 0;
  for (;;) {
    for (const table of TABLES) done += await untilNone((limit) => chunkOf(parts, table, limit), CHUNK);
    await db.query('select documents_bind_again()');
    for (const place of SECRET_TABLES)
      done += await untilNone((limit) => secretChunk(parts, place, limit), CHUNK);
    done += await sealFilesAnew(parts);
    await sleep(lateMs);
    if ((await countOld(parts)) === 0) break;
    say('something was sealed with an older key meanwhile: once more');
  }
  await db.query('update data_keys set retired_at = now() where id <> $1 and retired_at is null', [
    keys.activeKey,
  ]);
  return done;
}

async function untilNone(work: (limit: number) => Promise<number>, limit: number): Promise<number> {
  let total = 0;
  for (;;) {
    const done = await work(limit);
    if (done === 0) return total;
    total += done;
  }
}

interface SealedRow {
  readonly id: string;
  readonly customer_id: string;
  readonly sealed: Buffer;
}

async function chunkOf({ db, keys }: RotationParts, table: SealedTable, limit: number): Promise<number> {
  const id = idColumn(table);
  const { rows } = await db.query<SealedRow>(
    `select ${id} as id, ${ownerColumn(table)} as customer_id, sealed from ${table} where sealed is not null and key_id <> $1 order by ${id} limit $2`,
    [keys.activeKey, limit],
  );
  await together(db, async () => {
    for (const row of rows) await resealRecord({ db, keys }, table, row);
  });
  return rows.length;
}

async function resealRecord(
  { db, keys }: Pick<RotationParts, 'db' | 'keys'>,
  table: SealedTable,
  row: SealedRow,
): Promise<void> {
  const binding = { table, record: row.id, customer: row.customer_id };
  const plain = openRecord(keys, binding, row.sealed);
  const indices = Object.entries(INDEXED[table]) as [
    string,
    readonly [keyof typeof FINDERS, (of: typeof plain) => string],
  ][];
  const columns = ['sealed', ...indices.map(([column]) => column)];
  const values = [
    keys.seal(Buffer.from(JSON.stringify(plain)), binding),
    ...indices.map(([, [finder, textOf]]) => keys.index(finder, FINDERS[finder](textOf(plain)))),
  ];
  // A concurrent change or erasure wins.
  await db.query(
    `update ${table} set ${columns.map((column, place) => `${column} = $${place + 3}`).join(', ')}
     where ${idColumn(table)} = $1 and sealed = $2`,
    [row.id, row.sealed, ...values],
  );
}

async function secretChunk(
  { db, keys }: RotationParts,
  { table, id: key, owner, bindingOf }: (typeof SECRET_TABLES)[number],
  limit: number,
): Promise<number> {
  const { rows } = await db.query<{ id: string; owner: string; sealed_secret: Buffer }>(
    `select ${key}::text as id, ${owner} as owner, sealed_secret from ${table}
     where sealed_secret is not null and ${SECRET_KEY} <> $1 order by ${key} limit $2`,
    [keys.activeKey, limit],
  );
  await together(db, async () => {
    for (const { id, owner: ownerId, sealed_secret } of rows) {
      const binding = bindingOf(ownerId);
      const sealed = keys.seal(keys.open(sealed_secret, binding), binding);
      await db.query(`update ${table} set sealed_secret = $3 where ${key} = $1 and sealed_secret = $2`, [
        id,
        sealed_secret,
        sealed,
      ]);
    }
  });
  return rows.length;
}

interface StoredFile {
  readonly id: string;
  readonly customer_id: string;
  readonly file: string;
}

/** Tries every file under an older key once, in the order of its row, so that a missing one does not block others. */
async function sealFilesAnew(parts: RotationParts): Promise<number> {
  const missing: StoredFile[] = [];
  let done = 0;
  let last = '0';
  for (;;) {
    const { rows } = await parts.db.query<StoredFile>(
      `select id, customer_id, file from uploads
       where file is not null and key_id <> $1 and id > $2 order by id limit $3`,
      [parts.keys.activeKey, last, FILE_CHUNK],
    );
    for (const row of rows) {
      const outcome = await resealFile(parts, row);
      if (outcome === 'missing') missing.push(row);
      if (outcome === 'done') done += 1;
      last = row.id;
    }
    if (rows.length === 0) break;
  }
  if (missing.length > 0 && missing.length !== parts.lost) {
    const named = missing.slice(0, MOST_NAMED).map(({ id }) => id);
    throw new Error(
      `files that are gone: ${missing.length} (uploads ${named.join(', ')}${missing.length > MOST_NAMED ? ', …' : ''}); bring them back from a backup, then go on. If no backup has them, give them up with --lost ${missing.length}`,
    );
  }
  for (const file of missing) await giveUp(parts, file);
  return done;
}

/** Marks a lost picture as erased, and notes that in the audit log. A row that was changed meanwhile stays. */
async function giveUp({ db, say }: RotationParts, { id, customer_id, file }: StoredFile): Promise<void> {
  await together(db, async () => {
    const { rowCount } = await db.query(
      'update uploads set file = null, erased_at = now() where id = $1 and file = $2',
      [id, file],
    );
    if (rowCount !== 1) return;
    await db.query('select audit_append(null, $1, $2, $3)', [
      'picture.lost',
      `upload:${id}`,
      { customer: customer_id },
    ]);
    say(`upload ${id} of customer ${customer_id} is lost and given up`);
  });
}

/** Writes the file under a new name; a concurrent reader of the old name finds the row changed and reads again. */
async function resealFile(
  { db, keys, store }: RotationParts,
  { id, customer_id, file }: StoredFile,
): Promise<'done' | 'changed' | 'missing'> {
  const binding: Binding = { table: 'uploads', record: id, customer: customer_id };
  const old = await store.read(file);
  if (!old) {
    // If it was erased or resealed meanwhile, its row has changed, too.
    const { rowCount } = await db.query('select from uploads where id = $1 and file = $2', [id, file]);
    return rowCount === 1 ? 'missing' : 'changed';
  }
  const sealed = keys.seal(keys.open(old, binding), binding);
  const name = randomBytes(24).toString('base64url');
  await store.write(name, sealed);
  const { rowCount } = await db.query(
    'update uploads set file = $3, key_id = $4, bytes = $5, sha256 = $6 where id = $1 and file = $2',
    [id, file, name, keyIdOf(sealed), sealed.length, createHash('sha256').update(sealed).digest()],
  );
  await store.remove(rowCount === 1 ? file : name);
  return rowCount === 1 ? 'done' : 'changed';
}

async function together(db: Queryable, work: () => Promise<void>): Promise<void> {
  await db.query('begin');
  try {
    await work();
    await db.query('commit');
  } catch (error) {
    await db.query('rollback');
    throw error;
  }
}
