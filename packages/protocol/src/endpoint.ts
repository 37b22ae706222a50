import * as z from 'zod';
import { answeredFile, pictureBytes } from './answers.ts';
import type { ErrorCode } from './errors.ts';
import * as fields from './fields.ts';
import { type Limit, ORDINARY } from './limit.ts';
import { type Operation, operation } from './operation.ts';

/** One operation of the API. */
export interface Endpoint extends Operation<ErrorCode> {
  /** Below `/api/`. */
  readonly path: string;
  /**
   * Who may call: `public` anyone; `session` a logged-in customer; `fresh` a session in use without a pause of an hour since its
   * last proof; `proved` a session whose last proof, the password and the second factor if one is on, is at most five minutes old.
   */
  readonly access: 'public' | 'session' | 'fresh' | 'proved';
  /** Moves no money, but takes an Idempotency-Key, so that a retry stores nothing twice. */
  readonly takesKey?: true;
  /** Form fields that are pictures; the request must be multipart/form-data. */
  readonly pictures?: readonly string[];
  /** The pictures are optional; without them the request may be an ordinary form. */
  readonly mayLackPictures?: true;
  /** Answers a JPEG instead of an envelope; refusals are envelopes. */
  readonly answersPicture?: true;
  /** The answer never changes and is the same for everyone, so it may be cached. */
  readonly isImmutable?: true;
  /** Answers a file of one of these types instead of an envelope; refusals are envelopes. */
  readonly answersFile?: readonly string[];
}

export const nothing = z.null();

export const get = <
  P extends string,
  A extends Endpoint['access'],
  I extends z.ZodRawShape,
  D extends z.ZodType,
>(
  path: P,
  access: A,
  input: I,
  data: D,
  rest: { summary: string; errors?: readonly ErrorCode[] },
) => ({ path, access, ...operation('GET', input, data, rest) });

interface Changes {
  readonly summary: string;
  readonly errors?: readonly ErrorCode[];
  readonly limit?: Limit;
}

export const post = <
  P extends string,
  A extends Endpoint['access'],
  I extends z.ZodRawShape,
  D extends z.ZodType,
>(
  path: P,
  access: A,
  input: I,
  data: D,
  { limit = ORDINARY, ...rest }: Changes & { moves?: true; takesKey?: true },
) => ({ path, access, limit, ...operation('POST', input, data, rest) });

/** A form with pictures. */
export const upload = <
  P extends string,
  A extends Endpoint['access'],
  I extends z.ZodRawShape,
  F extends z.ZodRawShape,
  D extends z.ZodType,
>(
  path: P,
  access: A,
  form: { fields: I; pictures: F },
  data: D,
  rest: Changes & { moves?: true; takesKey?: true },
) => {
  const { errors = [], ...others } = rest;
  return {
    ...post(path, access, { ...form.fields, ...form.pictures }, data, {
      ...others,
      errors: [
        ...errors,
        'IMAGE_TYPE',
        'IMAGE_HEIC',
        'IMAGE_UNREADABLE',
        'IMAGE_TOO_LARGE',
        'PICTURES_FULL',
        'PICTURE_NOT_STORED',
      ],
    }),
    pictures: Object.keys(form.pictures),
  };
};

/** A form whose pictures are optional: an ordinary form, or multipart/form-data with the picture. */
export const mayUpload = <
  P extends string,
  A extends Endpoint['access'],
  I extends z.ZodRawShape,
  F extends z.ZodRawShape,
  D extends z.ZodType,
>(
  path: P,
  access: A,
  form: { fields: I; pictures: F },
  data: D,
  rest: Changes & { takesKey?: true },
) => ({ ...upload(path, access, form, data, rest), mayLackPictures: true as const });

/** One picture by its id. */
export const picture = <P extends string, A extends Endpoint['access'], I extends z.ZodRawShape>(
  path: P,
  access: A,
  input: I,
  rest: { summary: string; errors?: readonly ErrorCode[] },
) => ({ ...get(path, access, input, pictureBytes, rest), answersPicture: true as const });

/** A file of one of these media types. */
export const file = <P extends string, A extends Endpoint['access'], I extends z.ZodRawShape>(
  path: P,
  access: A,
  input: I,
  rest: Changes & { types: readonly string[] },
) => {
  const { types, ...others } = rest;
  return { ...get(path, access, input, answeredFile, others), answersFile: types };
};

/** A new password, twice. */
export const passwordPair = { password: fields.newPassword, confirmPassword: fields.confirmPassword };

/** A form with two passwords: the confirmation must repeat the first. */
export const confirmed = <E extends { input: z.ZodType }>(endpoint: E): E => ({
  ...endpoint,
  input: endpoint.input.refine(
    (value) => fields.passwordsMatch(value as { password: string; confirmPassword: string }),
    fields.differs,
  ),
});
