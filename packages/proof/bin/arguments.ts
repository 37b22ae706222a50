import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The command could not check anything; the message gives the reason. */
export class Trouble extends Error {}

export function readArguments<T extends ParseArgsOptionsConfig>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new Trouble((error as Error).message);
  }
}
