import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  ACCEPTANCE_ORIGIN_SUFFIX,
  equalBytes,
  formatCheckpoint,
  formatVerifierKey,
  isValidAt,
  MerkleTree,
  openNote,
  parseSignerKey,
  type RangedVerifier,
} from '@fairtick/proof';
import type pg from 'pg';
import { keyRanges, readHandOvers } from '../../market/keys/hand-overs.ts';
import { nativeVerifier } from '../../market/log/native-verifier.ts';
import { splitLeaves } from '../../trading/order-terms.ts';
import type { CodeCheck } from './audit-checks.ts';

type BatchRow = {
  number: string;
  accepted: number;
  log_size: string;
  root: Buffer;
  leaves: Buffer;
  signed: string;
};

const BATCHES_A_READ = 5_000;
const ALL = { first: 0, last: Number.MAX_SAFE_INTEGER };

/**
 * Batches of acceptances whose root is not that of their leaves, or that no key signed which was the log's then.
 * @param keyFile the server's signing keys. Keys of a former name of the log lie beside it.
 * @param range numbers of batches
 * @param client in a transaction
 */
export async function wronglySigned(
  client: pg.ClientBase,
  keyFile: string,
  range: { readonly first: number; readonly last: number } = ALL,
): Promise<string[]> {
  const keys = await acceptanceKeys(client, keyFile);
  await client.query(
    `declare signed_batches no scroll cursor for select number, accepted, log_size, root, leaves, signed from order_batches
     where number between ${range.first} and ${range.last} order by number`,
  );
  const wrong: string[] = [];
  for (;;) {
    const { rows } = await client.query<BatchRow>(`fetch ${BATCHES_A_READ} from signed_batches`);
    for (const row of rows) {
      const fault = faultOf(row, keys);
      if (fault !== null) wrong.push(`batch ${row.number}: ${fault}`);
    }
    if (rows.length < BATCHES_A_READ) break;
  }
  await client.query('close signed_batches');
  return wrong;
}

/** The check of the whole installation; null where there is no key file, so that there is nothing to check signatures by. */
export const batchCheck = (keyFile: string): CodeCheck | null =>
  existsSync(keyFile)
    ? {
        name: 'each batch of acceptances is signed by a key of the log',
        run: (client) => wronglySigned(client, keyFile),
      }
    : null;

function faultOf(
  { accepted, log_size, root, leaves, signed }: BatchRow,
  keys: readonly RangedVerifier[],
): string | null {
  const tree = new MerkleTree(splitLeaves(leaves));
  if (!equalBytes(tree.root, root)) return 'its root is not that of its leaves';
  const size = Number(log_size);
  const note = openNote(signed, keys);
  const signer = note?.verified.find(({ name, keyId }) =>
    keys.some((key) => key.name === name && key.keyId === keyId && isValidAt(key, size)),
  );
  if (!note || !signer) return 'no key of the log signed it';
  const text = formatCheckpoint({ origin: signer.name, size: accepted, root });
  return note.text === text ? null : 'something else is signed';
}

/** All keys of acceptances, with the sizes of the log for which each is valid. */
async function acceptanceKeys(client: pg.ClientBase, keyFile: string): Promise<RangedVerifier[]> {
  const handOvers = await readHandOvers(client);
  const folder = dirname(keyFile);
  const former = readdirSync(folder).filter((name) => name.startsWith(`${basename(keyFile)}.before-`));
  const texts = [keyFile, ...former.map((name) => join(folder, name))].map(acceptanceKeyIn);
  return texts
    .flatMap((text) => keyRanges(handOvers, text))
    .map(({ key, from, until }) => {
      const verifier = nativeVerifier(key);
      if (verifier === null) throw new Error(`${key} is no verifier key`);
      return { ...verifier, sizes: { from, until } };
    });
}

function acceptanceKeyIn(file: string): string {
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const key = parseSignerKey(line);
    if (key?.name.endsWith(ACCEPTANCE_ORIGIN_SUFFIX)) return formatVerifierKey(key.name, key.publicKey);
  }
  throw new Error(`${file} has no key of acceptances`);
}
