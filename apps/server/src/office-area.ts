import type { Language } from '@fairtick/protocol';
import type {
  OfficeData,
  OfficeInput,
  OfficeOperations,
  OfficePath,
  StaffRole,
} from '@fairtick/protocol/office';
import type { Caller } from './identity/sessions.ts';

/**
 * How a folder of the server answers operations of the office: it declares them in `packages/protocol/src/office/`, exports a
 * function that makes their handlers, and `main.ts` hands these to the office. What the roles of an operation allow has been
 * checked when a handler runs; what needs two people is the database's to refuse.
 */

/** The member of staff who calls. */
export interface StaffSession {
  readonly id: string;
  readonly staffId: string;
  readonly account: string;
  readonly roles: ReadonlySet<StaffRole>;
  readonly isFresh: boolean;
  /** Whether a second factor was given. */
  readonly isStrong: boolean;
  readonly mustChangePassword: boolean;
  readonly tokenHash: Buffer;
}

/** What a handler knows of the request beside its input. */
export interface OfficeContext {
  readonly language: Language;
  readonly caller: Caller;
  readonly session: StaffSession;
  /** As the client sent it, checked for form; null: no protection wanted. */
  readonly idempotencyKey: string | null;
  /** The request's fields as they came, without `lang`: what a repeated key is compared by. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly path: string;
  /** Sets the session's cookie, or with null removes it. */
  setToken(token: string | null): void;
}

/** What an operation with `isFile` answers. It is shown or saved, never run. */
export class OfficeFile {
  readonly type:
    | 'image/jpeg'
    | 'image/png'
    | 'image/webp'
    | 'text/csv; charset=utf-8'
    | 'application/pdf'
    | 'application/json';
  readonly bytes: Buffer;
  /** Offered for saving under this name; null: shown. */
  readonly saveAs: string | null;

  constructor(type: OfficeFile['type'], bytes: Buffer, saveAs: string | null = null) {
    this.type = type;
    this.bytes = bytes;
    this.saveAs = saveAs;
  }
}

type Answer<P extends OfficePath> = OfficeOperations[P] extends { readonly isFile: true }
  ? OfficeFile
  : OfficeData<P>;

/** Throws {@link RefusalError} to refuse; refusals of the database's rules (FT101 to FT110) may simply pass through. */
export type OfficeHandler<P extends OfficePath> = (
  input: OfficeInput<P>,
  context: OfficeContext,
) => Promise<Answer<P>>;

export type OfficeHandlers<P extends OfficePath = OfficePath> = { readonly [K in P]: OfficeHandler<K> };
