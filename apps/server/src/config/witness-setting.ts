import { type NoteVerifier, witnessVerifier } from '@fairtick/proof';
import { ConfigError } from './config-error.ts';

/** A witness whose cosignatures the server accepts: the operator chose these, and a verifier makes its own choice. */
export interface Witness extends NoteVerifier {
  readonly key: string;
  /** The address to which the server sends checkpoints (C2SP tlog-witness), without `/add-checkpoint`; null: the witness fetches them. */
  readonly url: string | null;
}

const MOST_WITNESSES = 8;

/** Reads verifier keys of type 0x04, each with `=URL` or without, separated by spaces. @throws ConfigError */
export function readWitnesses(text: string): readonly Witness[] {
  const refuse = (why: string): never => {
    throw new ConfigError(`WITNESSES ${why}`);
  };
  const parts = text.split(/\s+/).filter(Boolean);
  if (parts.length > MOST_WITNESSES) refuse(`may name ${MOST_WITNESSES} at most`);
  const witnesses: Witness[] = [];
  for (const part of parts) {
    const [key = '', address = null] = part.split(/=(?=https?:\/\/)/, 2);
    const url = address === null ? null : readUrl(address);
    if (address !== null && url === null)
      refuse(
        `must have addresses like https://witness.example/log, http only on this machine, and "${address}" is none`,
      );
    const verifier = witnessVerifier(key);
    if (verifier === null)
      return refuse(`must be keys of witnesses (fairtick witness-key), and "${key}" is none`);
    if (witnesses.some(({ name }) => name === verifier.name)) refuse(`names ${verifier.name} twice`);
    witnesses.push({ ...verifier, key, url });
  }
  return witnesses;
}

/** The computer itself, by name or address (in the form that {@link URL} gives them). */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** https, or http of this machine, without query, fragment, login and a slash at its end. */
function readUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return null;
  const { protocol, hostname, username, password, search, hash, href } = url;
  if (protocol !== 'https:' && !LOOPBACK.test(hostname)) return null;
  return username + password + search + hash === '' ? href.replace(/(?<!\/)\/+$/, '') : null;
}
