import type { ParseArgsConfig } from 'node:util';

export interface Arguments {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

/** A command of `npm run admin`. */
export interface Command {
  readonly name: string;
  /** Names of its positional arguments, all of them needed. */
  readonly needs: readonly string[];
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** The command's arguments, as its help shows them. */
  readonly usage: string;
  /** The command's purpose, in one line. */
  readonly does: string;
  /** The rest of the command's help. */
  readonly help: string;
  /** What can't be taken back about this call, so that it needs `--yes`; null: nothing. */
  readonly warning: (values: Arguments['values']) => string | null;
  /** Begins the line that reports a failure. */
  readonly failure: string;
  /** @returns the exit code; 0 means that all is well */
  readonly run: (input: Arguments) => Promise<number>;
}

export const NO_WARNING = () => null;
