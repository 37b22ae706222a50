/** The result of one test file. */
export interface FileResult {
  /** Relative to the root of the project. */
  readonly path: string;
  readonly seconds: number;
}

/** A part of the run, as the table at the end shows it. */
export interface Stage {
  readonly name: string;
  /** From its start to its end. */
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly files: readonly FileResult[];
  /** Each failure with its message, for the end of the output. */
  readonly complaints: readonly string[];
}
