/** What the commands share: arguments, output, files. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { MAX_RECEIPT_LENGTH } from '../src/index.ts';

/** The command could not check anything; the message gives the reason. */
export class Trouble extends Error {}

/** Keys that the user trusts. */
export const KEY_OPTIONS = { key: { type: 'string', multiple: true }, keys: { type: 'string' } } as const;

export function readArguments<T extends ParseArgsOptionsConfig>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new Trouble((error as Error).message);
  }
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function readText(file: string): string {
  try {
    // UTF-8 has up to three bytes for each UTF-16 unit.
    if (statSync(file).size > 3 * MAX_RECEIPT_LENGTH) throw new Trouble(`${file} is longer than any receipt`);
    // A replacement for bytes that are no UTF-8 would change what is judged, and a byte order mark is part of the text.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof Trouble) throw error;
    throw new Trouble(`${file} can not be read: ${(error as Error).message}`);
  }
}

/** Writes and syncs a draft, then renames it, so that a power loss leaves the old or the new text. */
export function replaceText(file: string, text: string): void {
  const draft = `${file}.draft`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}
