import { type NoteVerifier, witnessVerifier } from '@fairtick/proof';

/** A witness whose cosignatures the server accepts: the operator chose these, and a verifier makes its own choice. */
export interface Witness extends NoteVerifier {
  readonly key: string;
  /** The address to which the server sends checkpoints (C2SP tlog-witness), without `/add-checkpoint`; null: the witness fetches them. */
  readonly url: string | null;
}

/** As many cosignatures as a note has room for beside the log's own line. */
const MOST_WITNESSES = 8;

/** Reads verifier keys of type 0x04, each with `=URL` or without, separated by spaces; an error is returned as its text. */
export function readWitnesses(text: string): readonly Witness[] | string {
  const parts = text.split(/\s+/).filter(Boolean);
  if (parts.length > MOST_WITNESSES) return `may name ${MOST_WITNESSES} at most`;
  const witnesses: Witness[] = [];
  for (const part of parts) {
    const [key = '', address = null] = part.split(/=(?=https?:\/\/)/, 2);
    const url = address === null ? null : readUrl(address);
    if (address !== null && url === null)
      return `must have addresses like https://witness.example/log, http only on this machine, and "${address}" is none`;
    const verifier = witnessVerifier(key);
    if (verifier === null) return `must be keys of witnesses (fairtick witness-key), and "${key}" is none`;
    if (witnesses.some(({ name }) => name === verifier.name)) return `names ${verifier.name} twice`;
    witnesses.push({ ...verifier, key, url });
  }
  return witnesses;
}

/** The computer itself, by name or address (in the form that {@link URL} gives them). */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** An https address, or an http one of this machine, without query, fragment and login, and without a slash at its end. */
function readUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return null;
  const { protocol, hostname, username, password, search, hash, href } = url;
  if (protocol !== 'https:' && !LOOPBACK.test(hostname)) return null;
  return username + password + search + hash === '' ? href.replace(/(?<!\/)\/+$/, '') : null;
}
