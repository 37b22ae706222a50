import * as z from 'zod';
import { answeredFile, pictureBytes } from './answers.ts';
import type { ErrorCode } from './errors.ts';
import * as fields from './fields.ts';

/** How often one customer may ask for something that changes something, over all processes. `own`: it is counted by rules of its own. */
export type Quota = { readonly minute: number; readonly day: number } | 'own';

/** The quota of an operation that declares none, and of every change in the office. */
export const ORDINARY: Exclude<Quota, 'own'> = { minute: 60, day: 2_000 };
/** What people set now and then, and what is kept of it. */
export const SELDOM: Quota = { minute: 20, day: 100 };
/** What people do with money and credentials on a busy day, and more. */
export const SOMETIMES: Quota = { minute: 20, day: 400 };

/** One operation of the API. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** Below `/api/`. */
  readonly path: string;
  /**
   * Who may call: anybody, whoever has a session, whoever has one that was used within the last hour, or whoever gave the
   * password, and the second factor where one is on, within the last five minutes.
   */
  readonly access: 'public' | 'session' | 'fresh' | 'proved';
  /** Moves money, and so takes an Idempotency-Key. */
  readonly moves?: true;
  /** Moves no money, and takes an Idempotency-Key all the same: what is sent again is there once. */
  readonly takesKey?: true;
  /** The form's fields that are pictures: it comes as multipart/form-data and as nothing else. */
  readonly pictures?: readonly string[];
  /** It may come without its pictures, as a form like any other. */
  readonly mayLackPictures?: true;
  /** Answers a JPEG in place of an envelope; refusals are envelopes. */
  readonly answersPicture?: true;
  /** What it answers never changes and is for everybody: it may be kept. */
  readonly isImmutable?: true;
  /** Answers a file of one of these types in place of an envelope; refusals are envelopes. */
  readonly answersFile?: readonly string[];
  /** Of whatever changes something. */
  readonly quota?: Quota;
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

interface Changes {
  readonly summary: string;
  readonly errors?: readonly ErrorCode[];
  readonly quota?: Quota;
}

export const post = <I extends z.ZodRawShape, D extends z.ZodType>(
  path: string,
  access: Endpoint['access'],
  input: I,
  data: D,
  { quota = ORDINARY, ...rest }: Changes & { moves?: true; takesKey?: true },
) => ({
  method: 'POST' as const,
  path,
  access,
  input: z.strictObject({ ...input, lang: fields.lang }),
  data,
  errors: [],
  quota,
  ...rest,
});

/** A form with pictures in it. */
export const upload = <I extends z.ZodRawShape, P extends z.ZodRawShape, D extends z.ZodType>(
  path: string,
  access: Endpoint['access'],
  form: { fields: I; pictures: P },
  data: D,
  rest: Changes & { moves?: true; takesKey?: true },
) => {
  const { errors = [], ...others } = rest;
  return {
    ...post(path, access, { ...form.fields, ...form.pictures }, data, {
      ...others,
      errors: [...errors, 'IMAGE_TYPE', 'IMAGE_UNREADABLE', 'IMAGE_TOO_LARGE'],
    }),
    pictures: Object.keys(form.pictures),
  };
};

/** What may have a picture in it: comes as a form like any other, or with the picture as multipart/form-data. */
export const mayUpload = <I extends z.ZodRawShape, P extends z.ZodRawShape, D extends z.ZodType>(
  path: string,
  access: Endpoint['access'],
  form: { fields: I; pictures: P },
  data: D,
  rest: Changes & { takesKey?: true },
) => ({ ...upload(path, access, form, data, rest), mayLackPictures: true as const });

/** One picture by its id. */
export const picture = <I extends z.ZodRawShape>(
  path: string,
  access: Endpoint['access'],
  input: I,
  rest: { summary: string; errors?: readonly ErrorCode[] },
) => ({ ...get(path, access, input, pictureBytes, rest), answersPicture: true as const });

/** A file of one of these media types. */
export const file = <I extends z.ZodRawShape>(
  path: string,
  access: Endpoint['access'],
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
