import { Frontier, leafHash, parseCheckpoint, TILE_WIDTH, toHex } from '@fairtick/proof';
import type { Queryable } from '../../platform/db/database.ts';
import { Products } from '../products.ts';
import { RuleBook } from '../rule-book.ts';
import { readLastCheckpoint, readLogHead } from './log-head.ts';
import { LogReader } from './log-reader.ts';
import { nativeSha256 } from './native-sha256.ts';

/**
 * Hashes the whole log again from the texts of all its entries, archived ones included. Takes about one second per hundred
 * thousand entries.
 * @param db in a transaction of one snapshot
 * @returns the faults: empty if the entries give the roots of the head and of the newest checkpoint, and the heads of ledger and
 * audit log are those that the entries name
 */
export async function auditLog(db: Queryable): Promise<string[]> {
  const head = await readLogHead(db);
  const note = await readLastCheckpoint(db);
  const checkpoint = note === null ? null : parseCheckpoint(note.slice(0, note.indexOf('\n\n') + 1));
  if (note !== null && checkpoint === null) return ['the newest checkpoint can’t be read'];
  const reader = new LogReader(db, await Products.load(db), new RuleBook(db));
  const frontier = new Frontier(nativeSha256);
  const wrong: string[] = [];
  const heads = new Map<number, string>();
  const compare = (what: string, root: Uint8Array) => {
    if (toHex(root) === toHex(frontier.root())) return;
    wrong.push(
      `${what} at ${frontier.size} has the root ${toHex(root)}, the entries give ${toHex(frontier.root())}`,
    );
  };
  for (let number = 0; frontier.size < head.size; number += 1) {
    const texts = (await reader.bundle(number)).slice(0, head.size - number * TILE_WIDTH);
    if (texts.length === 0) return [...wrong, `the log ends at ${frontier.size}, its head says ${head.size}`];
    for (const text of texts) {
      if (frontier.size === checkpoint?.size) compare('the newest checkpoint', checkpoint.root);
      if (text.startsWith('audit|')) heads.set(frontier.size, text);
      frontier.append(leafHash(text, nativeSha256));
    }
  }
  if (frontier.size === checkpoint?.size) compare('the newest checkpoint', checkpoint.root);
  if ((checkpoint?.size ?? 0) > head.size)
    wrong.push(`a checkpoint of ${checkpoint?.size} is beyond the head, ${head.size}`);
  compare('the head', head.root);
  return [...wrong, ...(await auditHeads(db, heads))];
}

/** Compares the heads of ledger and audit log with the entries that published them, by their places in the log. */
async function auditHeads(db: Queryable, entries: ReadonlyMap<number, string>): Promise<string[]> {
  const { rows } = await db.query<{ number: string; index: string; fields: string }>(
    `select number, entry_index as index, head_fields(h) as fields from public_heads h
     where entry_index is not null order by number`,
  );
  const known = new Set(rows.map(({ index }) => Number(index)));
  const wrong = rows
    .filter(({ index, fields }) => entries.get(Number(index))?.split('|').slice(3).join('|') !== fields)
    .map(
      ({ number, index }) => `head ${number} of ledger and audit log is not what the log says at ${index}`,
    );
  const strange = [...entries.keys()].filter((index) => !known.has(index));
  return [...wrong, ...strange.map((index) => `the entry at ${index} of the log is no head that was taken`)];
}
