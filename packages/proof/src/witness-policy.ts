/** Which witnesses a verifier wants to have cosigned a checkpoint, and how many of them. */
import { witnessVerifier } from './cosignature.ts';
import type { NoteVerifier } from './note.ts';

export interface WitnessPolicy {
  readonly witnesses: readonly NoteVerifier[];
  /** How many of them must have cosigned, each within 5 s of the checkpoint's own time. */
  readonly needed: number;
}

/** Reads lines `quorum NUMBER` and `witness KEY`; null for anything else, or where more are needed than there are. */
export function parsePolicy(text: string): WitnessPolicy | null {
  const witnesses: NoteVerifier[] = [];
  let needed: number | null = null;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [word, value = '', ...more] = line.split(/\s+/);
    if (more.length > 0) return null;
    if (word === 'quorum' && needed === null && /^[1-9]\d?$/.test(value)) needed = Number(value);
    else if (word === 'witness') {
      const verifier = witnessVerifier(value);
      if (verifier === null || witnesses.some(({ name }) => name === verifier.name)) return null;
      witnesses.push(verifier);
    } else return null;
  }
  return needed === null || needed > witnesses.length ? null : { witnesses, needed };
}
