import type { AnyErrorCode, Data, EndpointName, Input, Language } from '@fairtick/protocol';
import type { Caller, Session } from '../identity/sessions.ts';
import { Packed } from '../packed.ts';

/** What a handler knows of the request beside its input. */
export interface Context {
  readonly language: Language;
  readonly caller: Caller;
  readonly session: Session | null;
  /** As the client sent it, checked for form; null: no protection wanted. */
  readonly idempotencyKey: string | null;
  /** The request's fields as they came, without `lang`: what a repeated key is compared by. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly path: string;
  /** Makes the caller's browser keep a mark, which it sends at its next login ({@link Caller.device}). */
  readonly rememberDevice: (mark: string) => void;
}

/** The context of an operation that needs a session. */
export interface SessionContext extends Context {
  readonly session: Session;
}

/** A refusal that the user can read, with its parameters and the form field that it is about. */
export class RefusalError extends Error {
  readonly code: AnyErrorCode;
  readonly parameters: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, AnyErrorCode>>;

  constructor(
    code: AnyErrorCode,
    options: {
      parameters?: Readonly<Record<string, string>>;
      fields?: Readonly<Record<string, AnyErrorCode>>;
    } = {},
  ) {
    super(code);
    this.code = code;
    this.parameters = options.parameters ?? {};
    this.fields = options.fields ?? {};
  }
}

/** Data that many are answered: the envelope is written and packed once. */
export class SharedAnswer<T> extends Packed {
  /** The data's type, which nothing else of the class would tell. */
  declare readonly ofType: T;

  constructor(data: T) {
    super(JSON.stringify({ code: 1, msg: '', data }));
  }
}

/** Answers one operation. Throws {@link RefusalError} to refuse. */
export type Handler<N extends EndpointName> = (
  input: Input<N>,
  context: SessionContext,
) => Promise<Data<N> | SharedAnswer<Data<N>>>;

export type Handlers = { readonly [N in EndpointName]: Handler<N> };
