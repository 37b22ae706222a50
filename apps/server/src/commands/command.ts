import type { ParseArgsConfig } from 'node:util';

export interface Arguments {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

export interface Command {
  readonly name: string;
  /** Names of its positional arguments, all of them needed. */
  readonly needs?: readonly string[];
  readonly options?: NonNullable<ParseArgsConfig['options']>;
  /** The options, as the command's help shows them. */
  readonly usage?: string;
  readonly does: string;
  readonly help: string;
  /** What can't be taken back about this call, so that it needs `--yes`; null or absent: nothing. */
  readonly warning?: (values: Arguments['values']) => string | null;
  readonly failure: string;
  /** @returns the exit code; 0 means that all is well */
  readonly run: (input: Arguments) => Promise<number>;
}
