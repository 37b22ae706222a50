import { Frontier, leafHash, rootOf, TILE_WIDTH, toHex } from '@fairtick/proof';
import type { Queryable } from '../../platform/db/database.ts';
import { Products } from '../products.ts';
import { RuleBook } from '../rule-book.ts';
import { readLogHead } from './log-head.ts';
import { LogReader } from './log-reader.ts';

/**
 * Hashes the whole log again from the texts of all its entries, archived ones included. Takes about one second per hundred
 * thousand entries.
 * @param db in a transaction of one snapshot
 * @returns the faults: empty if the entries give the roots of the head and of all stored checkpoints and all stored nodes, archived bundles
 * give the same nodes, and the heads of ledger and audit log are those that the entries name
 */
export async function auditLog(db: Queryable): Promise<string[]> {
  const head = await readLogHead(db);
  const checkpoints = await readCheckpointRoots(db);
  const bundles: Uint8Array[] = [];
  const reader = new LogReader(db, await Products.load(db), new RuleBook(db));
  const frontier = new Frontier();
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
    const least = Math.min(TILE_WIDTH, head.size - number * TILE_WIDTH);
    if (texts.length < least) return [...wrong, `bundle ${number} has ${texts.length} of ${least} entries`];
    const leaves = texts.map((text) => leafHash(text));
    for (const [place, text] of texts.entries()) {
      if (text.startsWith('audit|')) heads.set(frontier.size, text);
      frontier.append(leaves[place] as Uint8Array);
      const checkpoint = checkpoints.get(frontier.size);
      if (checkpoint) compare('the checkpoint', checkpoint);
    }
    if (leaves.length === TILE_WIDTH) bundles.push(rootOf(leaves));
  }
  compare('the head', head.root);
  return [...wrong, ...(await auditNodes(db, bundles)), ...(await auditHeads(db, heads))];
}

async function readCheckpointRoots(db: Queryable): Promise<ReadonlyMap<number, Uint8Array>> {
  const { rows } = await db.query<{ size: string; root: Buffer }>('select size, root from log_checkpoints');
  return new Map(rows.map(({ size, root }) => [Number(size), root]));
}

/** Compares the stored nodes with the roots of the complete bundles, and the archive with the nodes. */
async function auditNodes(db: Queryable, bundles: readonly Uint8Array[]): Promise<string[]> {
  const { rows } = await db.query<{ level: number; index: string; hash: Buffer }>(
    'select level, index, hash from log_nodes order by level, index',
  );
  const stored = new Map(rows.map(({ level, index, hash }) => [`${level}/${index}`, toHex(hash)]));
  const wrong: string[] = [];
  for (let level = 8, nodes = bundles; nodes.length > 0; level += 8) {
    for (const [index, node] of nodes.entries()) {
      if (stored.get(`${level}/${index}`) !== toHex(node))
        wrong.push(`the node ${level}/${index} is not what the entries give`);
      stored.delete(`${level}/${index}`);
    }
    nodes = Array.from({ length: Math.floor(nodes.length / TILE_WIDTH) }, (_, at) =>
      rootOf(nodes.slice(at * TILE_WIDTH, (at + 1) * TILE_WIDTH)),
    );
  }
  for (const key of stored.keys()) wrong.push(`the node ${key} is of no complete subtree`);
  const archived = await db.query<{ number: string }>(
    `select b.number from log_bundles b left join log_nodes n on n.level = 8 and n.index = b.number
     where (bundle_root(b.body) = n.hash) is not true order by 1`,
  );
  return [
    ...wrong,
    ...archived.rows.map(({ number }) => `the archived bundle ${number} is not what the log has`),
  ];
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
