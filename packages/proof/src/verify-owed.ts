import { formatDecimal } from '@fairtick/money';
import { checkpointIn, parseCheckpoint } from './checkpoint.ts';
import { fromHex } from './encoding.ts';
import { leafHash, MAX_PROOF_LENGTH, verifyInclusion } from './merkle.ts';
import { openNote } from './note.ts';
import { followKeys, isValidAt, type PlacedKey, type RangedVerifier } from './rotation.ts';
import { HASH_BYTES } from './sha256.ts';
import { checkOwed, type OwedProof, parseLiabilities } from './sum-tree.ts';

export interface OwedClaim {
  readonly asset: string;
  readonly decimals: number;
  readonly date: string;
  /** Owed to all customers, in the smallest unit. */
  readonly total: string;
  readonly root: string;
  /** Null: the server states that nothing was owed. */
  readonly leaf: OwedProof | null;
  readonly logged: LoggedRoot | null;
}

/** An entry of the log that states a root, with its proof. */
export interface LoggedRoot {
  readonly index: number;
  readonly entry: string;
  readonly proof: readonly string[];
  readonly checkpoint: string;
  /** Hand-overs of the log's keys up to the checkpoint, each with its inclusion proof. */
  readonly keys: readonly (PlacedKey & { readonly proof: readonly string[] })[];
}

/** Upper bound of the hand-overs in a claim: two per rotation. */
export const MAX_HAND_OVERS = 64;

/** Reads the answer of `/api/fund/owed`, with its envelope or without; null for anything else. */
export function readOwedClaims(text: string): OwedClaim[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const list = isObject(value) && 'data' in value ? value.data : value;
  return Array.isArray(list) && list.every(isClaim) ? list : null;
}

function isClaim(value: unknown): value is OwedClaim {
  if (!isObject(value)) return false;
  const { asset, decimals, date, total, root, leaf, logged } = value;
  const isLeaf =
    leaf === null ||
    (isObject(leaf) &&
      areTexts(leaf.customer, leaf.nonce, leaf.amount) &&
      typeof leaf.place === 'number' &&
      Array.isArray(leaf.path) &&
      leaf.path.every((one) => isObject(one) && areTexts(one.sum, one.hash)));
  const isLogged =
    logged === null ||
    (isObject(logged) &&
      areTexts(logged.entry, logged.checkpoint) &&
      isPlace(logged) &&
      Array.isArray(logged.keys) &&
      logged.keys.length <= MAX_HAND_OVERS &&
      logged.keys.every((key) => isObject(key) && areTexts(key.entry) && isPlace(key)));
  const isPlain = areTexts(asset, date, total, root) && Number.isSafeInteger(decimals);
  return isPlain && isLeaf && isLogged && (decimals as number) >= 0 && (decimals as number) <= 18;
}

const isPlace = ({ index, proof }: Record<string, unknown>): boolean =>
  Number.isSafeInteger(index) &&
  (index as number) >= 0 &&
  Array.isArray(proof) &&
  proof.length <= MAX_PROOF_LENGTH &&
  areTexts(...proof);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areTexts = (...values: readonly unknown[]): boolean =>
  values.every((value) => typeof value === 'string');

/**
 * - `absent`: no leaf; a customer who was owed something was left out
 * - `customer`: the leaf is another customer's
 * - `tree`: the path from the leaf does not lead to the root and the total, or a sum is out of bounds
 * - `unlogged`: not in the log yet; ask again later
 * - `entry`: the log's entry differs
 * - `log`: the entry is not in the log of a checkpoint with a trusted signature, by a key that was valid then
 */
export type OwedFault = 'absent' | 'customer' | 'tree' | 'unlogged' | 'entry' | 'log';

/** Null if the amount owed to this customer was counted into the total that the log names. */
export function verifyOwed(
  claim: OwedClaim,
  { customer, keys }: { customer: string; keys: readonly RangedVerifier[] },
): OwedFault | null {
  const { leaf, logged, root } = claim;
  if (leaf === null) return 'absent';
  if (leaf.customer !== customer) return 'customer';
  if (!/^(0|[1-9]\d{0,38})$/.test(claim.total)) return 'tree';
  const total = BigInt(claim.total);
  if (checkOwed(leaf, { total, hash: root }) !== null) return 'tree';
  if (logged === null) return 'unlogged';
  const said = parseLiabilities(logged.entry);
  const isSaid =
    said !== null &&
    said.date === claim.date &&
    said.asset === claim.asset &&
    said.total === formatDecimal(total, claim.decimals) &&
    said.root === root;
  if (!isSaid) return 'entry';
  return isInLog(logged, keys) ? null : 'log';
}

/** Whether the entry is in a log signed by a trusted key, or by a successor that the log's hand-overs lead to. */
export function isInLog(
  { checkpoint: signed, keys: handOvers, ...own }: LoggedRoot,
  trusted: readonly RangedVerifier[],
): boolean {
  const size = checkpointIn(signed)?.size ?? 0;
  // Keys of other names are of the acceptances, which sign nothing here.
  const keys = followKeys(trusted, handOvers)?.filter((key) => isValidAt(key, size));
  const note = keys && openNote(signed, keys);
  const checkpoint = note && parseCheckpoint(note.text);
  if (!checkpoint || !note.verified.some(({ name }) => name === checkpoint.origin)) return false;
  const { root } = checkpoint;
  return [own, ...handOvers].every(({ index, entry, proof: hexes }) => {
    const proof = hexes.map(fromHex);
    const isWhole = proof.every((one): one is Uint8Array<ArrayBuffer> => one?.length === HASH_BYTES);
    return isWhole && verifyInclusion({ index, size, leaf: leafHash(entry), proof, root });
  });
}
