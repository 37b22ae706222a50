import type * as z from 'zod';
import type { AnyErrorCode } from '../errors.ts';
import { BY_STAFF } from '../limit.ts';
import { type Operation, operation } from '../operation.ts';
import type { StaffRole } from '../staff-roles.ts';

/** One operation of the back office. Its path is its key in {@link officeOperations}. */
export interface OfficeOperation extends Operation<AnyErrorCode> {
  /** Who may call: `public` anyone, `anyone` a logged-in member of staff, or the holders of one of these roles. No default. */
  readonly roles: OfficeAccess;
  /** Moves money or changes rights, so it needs a proved session: a login or a step-up within the last 15 minutes. */
  readonly needsProof?: true;
  /** Staff may call this before they have changed their first password and set up a second factor. */
  readonly isSetUp?: true;
  /** Answers a file (an image, a CSV) instead of an envelope. */
  readonly isFile?: true;
  /** Maximum size of the body, in bytes, if 64 KB are too few. */
  readonly maxBytes?: number;
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
) => ({ roles, ...operation('GET', input, data, rest) });

export const officePost = <I extends z.ZodRawShape, D extends z.ZodType>(
  roles: OfficeAccess,
  input: I,
  data: D,
  { limit = BY_STAFF, ...rest }: Rest,
) => ({ roles, limit, ...operation('POST', input, data, rest) });
