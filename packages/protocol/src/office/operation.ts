import * as z from 'zod';
import type { AnyErrorCode } from '../errors.ts';
import * as fields from '../fields.ts';
import type { StaffRole } from './roles.ts';

/** One operation of the office. Its path is its name. */
export interface OfficeOperation {
  readonly method: 'GET' | 'POST';
  /** Who may call: anybody, whoever is logged in, or whoever has one of these roles. There is no default. */
  readonly roles: OfficeAccess;
  /** Moves money or rights: the password or second factor must have been given lately. */
  readonly isFresh?: true;
  /** Also for those who have yet to change their first password or to set up a second factor. */
  readonly isSetUp?: true;
  /** Takes an Idempotency-Key. */
  readonly moves?: true;
  /** Answers a file (an image, a CSV) in place of an envelope. */
  readonly isFile?: true;
  /** A body may be so large, where 64 KB are not enough. */
  readonly maxBytes?: number;
  readonly summary: string;
  readonly input: z.ZodType;
  readonly data: z.ZodType;
  /** Refusals beyond those of any request. */
  readonly errors: readonly AnyErrorCode[];
}

export type OfficeAccess = 'public' | 'anyone' | readonly [StaffRole, ...StaffRole[]];

type Rest = Omit<OfficeOperation, 'method' | 'roles' | 'input' | 'data' | 'errors'> & {
  readonly errors?: readonly AnyErrorCode[];
};

export const officeGet = <I extends z.ZodRawShape, D extends z.ZodType>(
  roles: OfficeAccess,
  input: I,
  data: D,
  rest: Rest,
) => ({
  method: 'GET' as const,
  roles,
  input: z.strictObject({ ...input, lang: fields.lang }),
  data,
  errors: [],
  ...rest,
});

export const officePost = <I extends z.ZodRawShape, D extends z.ZodType>(
  roles: OfficeAccess,
  input: I,
  data: D,
  rest: Rest,
) => ({
  method: 'POST' as const,
  roles,
  input: z.strictObject({ ...input, lang: fields.lang }),
  data,
  errors: [],
  ...rest,
});
