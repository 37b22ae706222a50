import type {
  AnyErrorCode,
  Data,
  EndpointName,
  Endpoints,
  GuessKind,
  Input,
  Language,
} from '@fairtick/protocol';
import type { Asker } from '../fairness/line.ts';
import { Packed } from '../packed.ts';
import type { Caller, Session } from './session.ts';
import type { ThrottledError } from './throttled-error.ts';

/**
 * Checks one guess at an account's secret; the account may be unknown. A wrong guess counts, a right one resets the count.
 * @param of `place`: guesses from this place have a count of their own; absent: the common count
 * @param isRight what it throws is passed on, and does not count
 * @throws ThrottledError when the account has failed too often, this guess included
 */
export type Guess = (
  kind: GuessKind,
  of: { readonly account: string; readonly place?: string; readonly held?: Held | undefined },
  isRight: () => Promise<boolean>,
) => Promise<boolean>;

/** When the guesses of a count are used up: the refusal of further ones, and what happens once, at the last. */
export interface Held {
  readonly code: ThrottledError['code'];
  tell(): Promise<void>;
}

export interface Context {
  readonly language: Language;
  readonly caller: Caller;
  readonly asker: Asker;
  readonly session: Session | null;
  /** As sent by the client, checked for form; null: the client wants no idempotency. */
  readonly idempotencyKey: string | null;
  /** The request's fields as received, without `lang`; a repeated key is compared by these. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly guess: Guess;
  /** Marks the caller's browser as one in which this customer has logged in ({@link Caller.device}). */
  readonly rememberDevice: (customerId: string) => void;
}

export interface SessionContext extends Context {
  readonly session: Session;
}

/** The context of an operation that answers everybody alike: it gets no session, even if the caller has one. */
export interface PublicContext extends Context {
  readonly session: null;
}

/** Public operations that get the caller's session if there is one: they state the limits of the customer's own level. */
export const PERSONAL_IF_KNOWN = ['productList', 'productDetail'] as const satisfies readonly EndpointName[];
type PersonalIfKnown = (typeof PERSONAL_IF_KNOWN)[number];

type ContextOf<N extends EndpointName> = N extends PersonalIfKnown
  ? Context
  : Endpoints[N]['access'] extends 'public'
    ? PublicContext
    : SessionContext;

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

/** A refusal that is about one field of the form, or about none. */
export const refusalOf = (
  code: AnyErrorCode,
  field: string | null = null,
  parameters: Readonly<Record<string, string>> = {},
): RefusalError => new RefusalError(code, { parameters, fields: field === null ? {} : { [field]: code } });

/** Data that is sent to many clients: the envelope is serialised and compressed once. */
export class SharedAnswer<T> extends Packed {
  /** Type only: no other member of the class depends on `T`. */
  declare readonly ofType: T;

  constructor(data: T) {
    super(JSON.stringify({ code: 1, msg: '', data }));
  }
}

/** @throws RefusalError to refuse */
export type Handler<N extends EndpointName> = (
  input: Input<N>,
  context: ContextOf<N>,
) => Promise<Data<N> | SharedAnswer<Data<N>>>;

export type Handlers = { readonly [N in EndpointName]: Handler<N> };
