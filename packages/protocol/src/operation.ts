import * as z from 'zod';
import * as fields from './fields.ts';
import type { Limit } from './limit.ts';

/** What the declarations of operations for customers and for staff share. */
export interface Operation<E> {
  readonly method: 'GET' | 'POST';
  /** Moves money, and therefore takes an Idempotency-Key. */
  readonly moves?: true;
  readonly summary: string;
  readonly input: z.ZodType;
  readonly data: z.ZodType;
  /** For operations that change something. */
  readonly limit?: Limit;
  /** Refusals beyond those of every request. */
  readonly errors: readonly E[];
}

/** Declares an operation; unknown fields are refused, and each takes `lang`. */
export const operation = <
  M extends 'GET' | 'POST',
  I extends z.ZodRawShape,
  D extends z.ZodType,
  R extends object,
>(
  method: M,
  input: I,
  data: D,
  rest: R,
) => ({
  method,
  input: z.strictObject({ ...input, lang: fields.lang }),
  data,
  errors: [],
  ...rest,
});
