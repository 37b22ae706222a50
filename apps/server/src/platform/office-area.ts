import type { Readable } from 'node:stream';
import type { Language } from '@fairtick/protocol';
import type {
  OfficeData,
  OfficeInput,
  OfficeOperations,
  OfficePath,
  StaffRole,
} from '@fairtick/protocol/office';
import type { Guess } from './http/context.ts';
import type { Caller } from './http/session.ts';

/**
 * How a folder of the server adds operations to the office: it declares them in `packages/protocol/src/office/` and
 * exports a function that makes their handlers, which `processes/office-part.ts` passes to the office. Roles are checked
 * before a handler runs; the database refuses what needs two people.
 */

/** The member of staff who calls. */
export interface StaffSession {
  readonly id: string;
  readonly staffId: string;
  readonly account: string;
  readonly roles: ReadonlySet<StaffRole>;
  /** Whether money may move and rights may change: a login or a step-up within the last 15 minutes. */
  readonly isProved: boolean;
  /** Whether a second factor was given. */
  readonly isStrong: boolean;
  readonly mustChangePassword: boolean;
  readonly tokenHash: Buffer;
}

/** A handler's view of the request besides its input. */
export interface OfficeContext {
  readonly language: Language;
  readonly caller: Caller;
  readonly session: StaffSession;
  /** As sent by the client, checked for form; null: the client wants no idempotency. */
  readonly idempotencyKey: string | null;
  /** The request's fields as received, without `lang`; a repeated key is compared by these. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly guess: Guess;
  /** Marks the caller's browser as one in which this member of staff has logged in. */
  rememberDevice(staffId: string): void;
  /** Sets the session's cookie; null removes it. */
  setToken(token: string | null): void;
}

/** The answer of an operation with `isFile`. Browsers show or save it, and never run it. */
export class OfficeFile {
  readonly type:
    | 'image/jpeg'
    | 'image/png'
    | 'image/webp'
    | 'text/csv; charset=utf-8'
    | 'text/plain; charset=utf-8'
    | 'application/pdf'
    | 'application/json'
    | 'application/jsonl';
  /** A stream is sent as it comes; one that fails ends the connection, so that the file is seen to be cut. */
  readonly bytes: Buffer | Readable;
  /** File name for download; null: shown in the browser. */
  readonly saveAs: string | null;

  constructor(type: OfficeFile['type'], bytes: OfficeFile['bytes'], saveAs: string | null = null) {
    this.type = type;
    this.bytes = bytes;
    this.saveAs = saveAs;
  }
}

type Answer<P extends OfficePath> = OfficeOperations[P] extends { readonly isFile: true }
  ? OfficeFile
  : OfficeData<P>;

/** Throws {@link RefusalError} to refuse; errors of the database's rules (ROLE_MISSING to ROLES_CONFLICT) may pass through. */
export type OfficeHandler<P extends OfficePath> = (
  input: OfficeInput<P>,
  context: OfficeContext,
) => Promise<Answer<P>>;

export type OfficeHandlers<P extends OfficePath = OfficePath> = { readonly [K in P]: OfficeHandler<K> };
