import { createHmac, createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  ACCEPTANCE_ORIGIN_SUFFIX,
  formatVerifierKey,
  generateNoteKey,
  type NoteSigner,
  nobleVerifier,
  openNote,
  parseSignerKey,
} from '@fairtick/proof';
import { keepFilePrivate } from '../../platform/db/private-files.ts';
import { UnfitDatabaseError } from '../../platform/db/unfit-database.ts';

/** The server's two keys: one signs the log's checkpoints, the other batches of acceptances. Their names are their origins. */
export interface SigningKeys {
  readonly checkpoints: NoteSigner;
  readonly acceptances: NoteSigner;
  /** By which processes with this file know each other's steps of the log. */
  readonly steps: Buffer;
  /** The public keys as verifier keys. */
  readonly verifierKeys: { readonly checkpoints: string; readonly acceptances: string };
}

const KEYS_ARE_NEEDED =
  'put the right ones back, finish a rotation that was interrupted (npm run admin -- rotate-signing-key --yes), or give the log a new name (npm run admin -- new-log --yes)';

/** The prefix of an Ed25519 seed in PKCS #8 form (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Reads the key file, or creates it at the first start: two signer keys of the C2SP signed-note form, one per line.
 * @param lastCheckpoint the log's newest signed checkpoint, null before the first
 * @throws UnfitDatabaseError when the file is malformed, its keys are of another origin than the log's, or the log was signed with others: to
 * those who follow the log, changed keys look like another log under its name
 */
export function loadSigningKeys(
  file: string,
  origin: string,
  lastCheckpoint: string | null = null,
): SigningKeys {
  // Checkpoints under a former name of the log do not bind the keys of this one.
  const signed = lastCheckpoint?.startsWith(`${origin}\n`) ? lastCheckpoint : null;
  if (!existsSync(file)) {
    if (signed !== null)
      throw new UnfitDatabaseError(`${file} is missing, with which the log is signed: ${KEYS_ARE_NEEDED}`);
    makeKeyFile(file, origin);
  }
  keepFilePrivate(file);
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const [checkpoints, acceptances] = lines.map((line) => readKey(line));
  if (lines.length !== 2 || !checkpoints || !acceptances) {
    throw new UnfitDatabaseError(`${file} must hold two signer keys, one a line`);
  }
  if (checkpoints.signer.name !== origin || acceptances.signer.name !== origin + ACCEPTANCE_ORIGIN_SUFFIX) {
    throw new UnfitDatabaseError(
      `the keys in ${file} are of ${checkpoints.signer.name}, but the log's origin is ${origin}`,
    );
  }
  const verifier = nobleVerifier(checkpoints.verifierKey);
  if (signed !== null && (verifier === null || openNote(signed, [verifier]) === null)) {
    throw new UnfitDatabaseError(
      `the log is signed with other keys than those in ${file}: ${KEYS_ARE_NEEDED}`,
    );
  }
  return {
    checkpoints: checkpoints.signer,
    acceptances: acceptances.signer,
    steps: createHmac('sha256', lines.join('\n')).update('steps of the log').digest(),
    verifierKeys: { checkpoints: checkpoints.verifierKey, acceptances: acceptances.verifierKey },
  };
}

/** Several processes may start at once: the first one links its draft, and the others read that file. */
export function makeKeyFile(file: string, origin: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  const names = [origin, origin + ACCEPTANCE_ORIGIN_SUFFIX];
  const keys = names.map((name) => generateNoteKey(name, randomBytes(32)).signerKey);
  writeFileSync(draft, `${keys.join('\n')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
}

function readKey(line: string): { signer: NoteSigner; verifierKey: string } | null {
  const key = parseSignerKey(line);
  if (key === null) return null;
  const secret: KeyObject = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, key.seed]),
    format: 'der',
    type: 'pkcs8',
  });
  return {
    signer: { name: key.name, keyId: key.keyId, sign: (message) => sign(null, message, secret) },
    verifierKey: formatVerifierKey(key.name, key.publicKey),
  };
}
