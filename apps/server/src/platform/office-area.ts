import type { Readable } from 'node:stream';
import type {
  OfficeData,
  OfficeInput,
  OfficeOperations,
  OfficePath,
  StaffRole,
} from '@fairtick/protocol/office';
import type { Context } from './http/context.ts';

export interface StaffSession {
  readonly id: string;
  readonly staffId: string;
  readonly account: string;
  readonly roles: ReadonlySet<StaffRole>;
  /** Whether money may move and rights may change: a login or a step-up within the last 15 minutes. */
  readonly isProved: boolean;
  readonly isStrong: boolean;
  readonly mustChangePassword: boolean;
  readonly tokenHash: Buffer;
}

export interface OfficeContext
  extends Pick<
    Context,
    'language' | 'caller' | 'idempotencyKey' | 'fields' | 'path' | 'guess' | 'rememberDevice'
  > {
  readonly session: StaffSession;
  setToken(token: string | null): void;
}

export class OfficeFile {
  readonly type:
    | 'image/jpeg'
    | 'image/png'
    | 'image/webp'
    | 'text/csv; charset=utf-8'
    | 'text/plain; charset=utf-8'
    | 'application/pdf'
    | 'application/xml'
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
