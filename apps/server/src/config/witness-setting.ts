import { type NoteVerifier, witnessVerifier } from '@fairtick/proof';

/** A witness whose cosignatures the server accepts: the operator chose these, and a verifier makes its own choice. */
export interface Witness extends NoteVerifier {
  readonly key: string;
}

/** As many cosignatures as a note has room for beside the log's own line. */
const MOST_WITNESSES = 8;

/** Reads verifier keys of type 0x04, separated by spaces; an error is returned as its text. */
export function readWitnesses(text: string): readonly Witness[] | string {
  const keys = text.split(/\s+/).filter(Boolean);
  if (keys.length > MOST_WITNESSES) return `may name ${MOST_WITNESSES} at most`;
  const witnesses: Witness[] = [];
  for (const key of keys) {
    const verifier = witnessVerifier(key);
    if (verifier === null) return `must be keys of witnesses (fairtick witness-key), and "${key}" is none`;
    if (witnesses.some(({ name }) => name === verifier.name)) return `names ${verifier.name} twice`;
    witnesses.push({ ...verifier, key });
  }
  return witnesses;
}
