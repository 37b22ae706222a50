import * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import * as fields from './fields.ts';

/** One operation of the API. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** Below `/api/`. */
  readonly path: string;
  /** Who may call: anybody, whoever has a session, or whoever has one whose password was given lately. */
  readonly access: 'public' | 'session' | 'fresh';
  /** Moves money, and so takes an Idempotency-Key. */
  readonly moves?: true;
  readonly summary: string;
  readonly input: z.ZodType;
  readonly data: z.ZodType;
  /** Refusals beyond those of any request. */
  readonly errors: readonly ErrorCode[];
}

export const nothing = z.null();

export const get = <I extends z.ZodRawShape, D extends z.ZodType>(
  path: string,
  access: Endpoint['access'],
  input: I,
  data: D,
  rest: { summary: string; errors?: readonly ErrorCode[] },
) => ({
  method: 'GET' as const,
  path,
  access,
  input: z.strictObject({ ...input, lang: fields.lang }),
  data,
  errors: [],
  ...rest,
});

export const post = <I extends z.ZodRawShape, D extends z.ZodType>(
  path: string,
  access: Endpoint['access'],
  input: I,
  data: D,
  rest: { summary: string; errors?: readonly ErrorCode[]; moves?: true },
) => ({
  method: 'POST' as const,
  path,
  access,
  input: z.strictObject({ ...input, lang: fields.lang }),
  data,
  errors: [],
  ...rest,
});
