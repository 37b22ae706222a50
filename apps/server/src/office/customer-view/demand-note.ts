import { refusalOf } from '../../platform/http/context.ts';

const LEAST = 5;

/** @throws RefusalError for a note that is too short to say anything */
export function demandNote(note: string): void {
  if (note.length < LEAST) throw refusalOf('INVALID_VALUE', 'note');
}
