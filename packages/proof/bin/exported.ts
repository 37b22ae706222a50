/** `fairtick exported`: checks the file of a report against its signed note. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type NoteVerifier, openNote } from '../src/index.ts';
import { say, Trouble } from './command-line.ts';

const NOTE_FORMAT = 'fairtick-export/1\n';

/** @returns 0 when a trusted key signed the note and the file is the one that it states, else 1 */
export async function checkExport(
  file: string,
  note: string,
  keys: readonly NoteVerifier[],
): Promise<number> {
  const opened = openNote(note, keys);
  if (!opened?.text.startsWith(NOTE_FORMAT)) {
    say('NOT SIGNED: the note is no note of an export, or no key that you trust signed it.');
    return 1;
  }
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash).catch((error: Error) => {
    throw new Trouble(error.message);
  });
  if (!opened.text.includes(`\nsha256 ${hash.digest('hex')}\n`)) {
    say('CHANGED: the file is not the one that the note states.');
    return 1;
  }
  say(`RIGHT: this is the file that the note states.\n${opened.text.slice(NOTE_FORMAT.length).trimEnd()}`);
  return 0;
}
