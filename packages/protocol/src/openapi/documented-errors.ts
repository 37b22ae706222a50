import type * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { type AnyErrorCode, ERRORS, type ErrorCode, isErrorCode } from '../errors.ts';

/** Refusals that any request may get. */
export const ANY: readonly ErrorCode[] = [
  'MALFORMED_BODY',
  'BODY_TOO_LARGE',
  'UNKNOWN_FIELD',
  'INVALID_VALUE',
  'NOT_READY',
  'INTERNAL',
];

/** Every refusal that an operation can answer, in the order of the catalogue. */
export function errorsOf(endpoint: Endpoint): readonly ErrorCode[] {
  const codes = new Set<AnyErrorCode>([...ANY, ...endpoint.errors, ...fieldErrors(endpoint.input)]);
  if (endpoint.method === 'POST') codes.add('MEDIA_TYPE').add('TOO_SLOW').add('TOO_MANY_REQUESTS');
  if (endpoint.access !== 'public') codes.add('SESSION_EXPIRED');
  if (endpoint.access === 'fresh' || endpoint.access === 'proved') codes.add('REAUTH_REQUIRED');
  if (endpoint.moves || endpoint.takesKey) codes.add('INVALID_IDEMPOTENCY_KEY');
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

/** The parts of zod's own schema definition that can hold one of our error codes. */
interface Definition {
  readonly type?: string;
  readonly error?: (issue: { readonly input: unknown }) => unknown;
  readonly checks?: readonly { readonly _zod: { readonly def: Definition } }[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

/** The error codes that the rules of a form carry as messages, read from the rules so that none is missed. */
export function fieldErrors(schema: z.ZodType): ReadonlySet<AnyErrorCode> {
  const codes = new Set<AnyErrorCode>();
  collect(schema, codes, true);
  return codes;
}

function collect(schema: z.ZodType, codes: Set<AnyErrorCode>, isRequired: boolean): void {
  const definition = schema._zod.def as unknown as Definition;
  // An optional field is never refused for being absent.
  const inputs = isRequired ? [undefined, 0] : [0];
  for (const { error } of [definition, ...(definition.checks ?? []).map((check) => check._zod.def)]) {
    for (const input of inputs) {
      const said = error?.({ input });
      if (typeof said === 'string' && isErrorCode(said)) codes.add(said);
    }
  }
  const isInnerRequired = isRequired && definition.type !== 'optional';
  for (const part of partsOf(definition)) collect(part, codes, isInnerRequired);
}

function partsOf({ shape, innerType, in: input, out, options }: Definition): readonly z.ZodType[] {
  return [...Object.values(shape ?? {}), innerType, input, out, ...(options ?? [])].filter(
    (part) => part !== undefined,
  );
}
