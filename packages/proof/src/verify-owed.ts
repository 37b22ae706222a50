import { formatDecimal } from '@fairtick/money';
import { parseCheckpoint } from './checkpoint.ts';
import { fromHex } from './encoding.ts';
import { leafHash, MAX_PROOF_LENGTH, verifyInclusion } from './merkle.ts';
import { type NoteVerifier, openNote } from './note.ts';
import { HASH_BYTES, type Sha256, sha256 } from './sha256.ts';
import { checkOwed, type OwedProof, parseLiabilities } from './sum-tree.ts';

/** What `/api/fund/owed` says of one asset. */
export interface OwedClaim {
  readonly asset: string;
  readonly decimals: number;
  readonly date: string;
  /** Of all customers, in the smallest unit. */
  readonly total: string;
  readonly root: string;
  /** Null: the server says that nothing was owed. */
  readonly leaf: OwedProof | null;
  readonly logged: {
    readonly index: number;
    readonly entry: string;
    readonly proof: readonly string[];
    readonly checkpoint: string;
  } | null;
}

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
      Number.isSafeInteger(logged.index) &&
      Array.isArray(logged.proof) &&
      logged.proof.length <= MAX_PROOF_LENGTH &&
      areTexts(...logged.proof));
  const isPlain = areTexts(asset, date, total, root) && Number.isSafeInteger(decimals);
  return isPlain && isLeaf && isLogged && (decimals as number) >= 0 && (decimals as number) <= 18;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areTexts = (...values: readonly unknown[]): boolean =>
  values.every((value) => typeof value === 'string');

/**
 * - `absent`: no leaf; whoever was owed something was left out
 * - `customer`: the leaf is another customer's
 * - `tree`: the way from the leaf does not lead to the root and the total, or a sum is out of bounds
 * - `unlogged`: not in the log yet: ask again
 * - `entry`: the log's entry says something else
 * - `log`: the entry is not in the log of a checkpoint with a trusted signature
 */
export type OwedFault = 'absent' | 'customer' | 'tree' | 'unlogged' | 'entry' | 'log';

/**
 * Whether what a customer is owed was counted into the total that the log names.
 * @param customer whose leaf it has to be: who looks knows their own id
 * @returns null where it was
 */
export function verifyOwed(
  claim: OwedClaim,
  { customer, keys, hash = sha256 }: { customer: string; keys: readonly NoteVerifier[]; hash?: Sha256 },
): OwedFault | null {
  const { leaf, logged, root } = claim;
  if (leaf === null) return 'absent';
  if (leaf.customer !== customer) return 'customer';
  if (!/^(0|[1-9]\d{0,38})$/.test(claim.total)) return 'tree';
  const total = BigInt(claim.total);
  if (checkOwed(leaf, { total, hash: root }, hash) !== null) return 'tree';
  if (logged === null) return 'unlogged';
  const said = parseLiabilities(logged.entry);
  const isSaid =
    said !== null &&
    said.date === claim.date &&
    said.asset === claim.asset &&
    said.total === formatDecimal(total, claim.decimals) &&
    said.root === root;
  if (!isSaid) return 'entry';
  const note = openNote(logged.checkpoint, keys);
  const checkpoint = note && parseCheckpoint(note.text);
  if (!note || !checkpoint || !note.verified.some(({ name }) => name === checkpoint.origin)) return 'log';
  const proof = logged.proof.map(fromHex);
  if (!proof.every((one): one is Uint8Array<ArrayBuffer> => one?.length === HASH_BYTES)) return 'log';
  const { size, root: logRoot } = checkpoint;
  const leafOfLog = leafHash(logged.entry, hash);
  const isIn = verifyInclusion({ index: logged.index, size, leaf: leafOfLog, proof, root: logRoot }, hash);
  return isIn ? null : 'log';
}
