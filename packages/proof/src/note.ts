/** Signed notes (C2SP signed-note): a text, a blank line, and one line for each signature. */

import { ed25519 } from '@noble/curves/ed25519.js';
import { fromBase64, hasControl, isWellFormed, toBase64, utf8 } from './encoding.ts';
import { isKeyName, parseSignerKey, parseVerifierKey, SIGNATURE_BYTES } from './note-key.ts';

/** The most signature lines a note may have: every verifier must accept this many. */
export const MAX_NOTE_SIGNATURES = 16;
/** The most bytes a note may have: 16 post-quantum signatures of nearly 5 kB each, in base64, and a short text. */
export const MAX_NOTE_BYTES = 128 * 1024;

const SIGNATURE_PREFIX = '— ';

export interface NoteSigner {
  readonly name: string;
  readonly keyId: number;
  sign(message: Uint8Array): Uint8Array;
}

export interface NoteVerifier {
  readonly name: string;
  readonly keyId: number;
  /** Whether the signature is this key's. False, not an error, for one of the wrong length. */
  verify(message: Uint8Array, signature: Uint8Array): boolean;
}

export interface NoteSignature {
  readonly name: string;
  readonly keyId: number;
  /** The bytes after the key id: 64 for Ed25519. */
  readonly signature: Uint8Array;
}

export interface OpenedNote {
  /** The signed text, including its last newline. */
  readonly text: string;
  /** At least one, and at most one for each verifier, in the order of their lines. */
  readonly verified: readonly NoteSignature[];
  /** Signatures by keys without a verifier: they prove nothing. */
  readonly unverified: readonly NoteSignature[];
}

/** A signer for a signer key string, on the portable Ed25519; null when the string is no such key. */
export function nobleSigner(signerKey: string): NoteSigner | null {
  const key = parseSignerKey(signerKey);
  if (key === null) return null;
  return { name: key.name, keyId: key.keyId, sign: (message) => ed25519.sign(message, key.seed) };
}

/**
 * A verifier for a verifier key string, on the portable Ed25519; null when the string is no such key. It accepts only canonical
 * encodings (RFC 8032), and no public key of small order, because one signature by such a key would fit many texts.
 */
export function nobleVerifier(verifierKey: string): NoteVerifier | null {
  const key = parseVerifierKey(verifierKey);
  if (key === null) return null;
  return {
    name: key.name,
    keyId: key.keyId,
    verify: (message, signature) =>
      signature.length === SIGNATURE_BYTES &&
      ed25519.verify(signature, message, key.publicKey, { zip215: false }),
  };
}

/** @param text ends in a newline @throws RangeError for a text or signer that no note may hold */
export function signNote(text: string, ...signers: readonly [NoteSigner, ...NoteSigner[]]): string {
  if (!text.endsWith('\n') || !isNoteText(text)) throw new RangeError('the text can not be a note');
  if (signers.length > MAX_NOTE_SIGNATURES) throw new RangeError('too many signers');
  const message = utf8(text);
  const note = `${text}\n${signers.map((signer) => signatureLine(signer, message)).join('')}`;
  if (utf8(note).length > MAX_NOTE_BYTES) throw new RangeError('the note is too long');
  return note;
}

function signatureLine(signer: NoteSigner, message: Uint8Array): string {
  if (!isKeyName(signer.name)) throw new RangeError('bad key name');
  const signature = signer.sign(message);
  if (signature.length === 0) throw new RangeError('a signer must give a signature');
  return formatSignature({ name: signer.name, keyId: signer.keyId, signature });
}

export function formatSignature({ name, keyId, signature }: NoteSignature): string {
  const bytes = new Uint8Array(4 + signature.length);
  new DataView(bytes.buffer).setUint32(0, keyId);
  bytes.set(signature, 4);
  return `${SIGNATURE_PREFIX}${name} ${toBase64(bytes)}\n`;
}

/**
 * Reads a note and checks its signatures. It sets signatures of unknown keys aside, and counts identical lines once. It refuses
 * the whole note if a signature with a known key's name and id does not verify, or if anything is malformed, even a line of an
 * unknown key.
 * @returns null when the note is malformed, too large, has a false signature, or has none of a known key
 * @throws Error when two verifiers share the name and id of a signature: the caller's list is wrong
 */
export function openNote(note: string, verifiers: readonly NoteVerifier[]): OpenedNote | null {
  const split = splitNote(note);
  if (split === null) return null;
  const message = utf8(split.text);
  const verified: NoteSignature[] = [];
  const unverified: NoteSignature[] = [];
  for (const signature of split.signatures) {
    const verifier = verifierOf(signature, verifiers);
    if (verifier === null) {
      unverified.push(signature);
      continue;
    }
    if (!verifier.verify(message, signature.signature)) return null;
    if (!verified.some((other) => isSameKey(other, signature))) verified.push(signature);
  }
  return verified.length === 0 ? null : { text: split.text, verified, unverified };
}

/** The text of a note, without checking its signatures. Null when the note is malformed. */
export function splitNoteText(note: string): string | null {
  return splitNote(note)?.text ?? null;
}

function verifierOf(signature: NoteSignature, verifiers: readonly NoteVerifier[]): NoteVerifier | null {
  const found = verifiers.filter((verifier) => isSameKey(verifier, signature));
  if (found.length > 1) throw new Error(`two verifiers are named ${signature.name} with one key id`);
  return found[0] ?? null;
}

type KeyOf = Pick<NoteSignature, 'name' | 'keyId'>;

/** Whether two signers, verifiers or signatures are of one key. */
export const isSameKey = (one: KeyOf, other: KeyOf): boolean =>
  one.name === other.name && one.keyId === other.keyId;

function splitNote(note: string): { text: string; signatures: NoteSignature[] } | null {
  // UTF-8 length is at least the UTF-16 length, so this first test bounds the cost of the others.
  if (note.length > MAX_NOTE_BYTES || !isNoteText(note) || utf8(note).length > MAX_NOTE_BYTES) return null;
  // The text may contain empty lines, so the last empty line of the note is the separator.
  const blank = note.lastIndexOf('\n\n');
  if (blank < 0 || !note.endsWith('\n')) return null;
  // One line more than allowed is enough to know that there are too many.
  const lines = note.slice(blank + 2, -1).split('\n', MAX_NOTE_SIGNATURES + 1);
  if (lines.length > MAX_NOTE_SIGNATURES) return null;
  const signatures: NoteSignature[] = [];
  for (const line of new Set(lines)) {
    const signature = parseSignatureLine(line);
    if (signature === null) return null;
    signatures.push(signature);
  }
  return { text: note.slice(0, blank + 1), signatures };
}

function parseSignatureLine(line: string): NoteSignature | null {
  if (!line.startsWith(SIGNATURE_PREFIX)) return null;
  const space = line.indexOf(' ', SIGNATURE_PREFIX.length);
  if (space < 0) return null;
  const name = line.slice(SIGNATURE_PREFIX.length, space);
  const bytes = fromBase64(line.slice(space + 1));
  if (!isKeyName(name) || bytes === null || bytes.length <= 4) return null;
  return { name, keyId: new DataView(bytes.buffer).getUint32(0), signature: bytes.slice(4) };
}

/** Whether a note may hold the text: well-formed Unicode without control characters other than newlines. */
function isNoteText(text: string): boolean {
  return isWellFormed(text) && !hasControl(text, '\n');
}
