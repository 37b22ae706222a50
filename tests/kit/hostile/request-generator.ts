import type { ApiDocument, Call } from '../clients/api.ts';
import { HOSTILE_AMOUNTS, HOSTILE_IDS, HOSTILE_SYMBOLS } from './hostile-values.ts';
import { type Random, textLike } from './random.ts';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example?: unknown;
}

interface Field {
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** An operation as the document describes it. */
export interface OperationToTry {
  readonly id: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly takesKey: boolean;
  /** Its form contains pictures. */
  readonly isMultipart: boolean;
  readonly needsSession: boolean;
}

/** A generated request. `isValid`: as far as the document can tell. */
export interface MadeRequest {
  readonly address: string;
  readonly call: Call;
  readonly isValid: boolean;
  readonly description: string;
}

/** Values from earlier answers, by field name. */
export type Known = Readonly<Record<string, readonly string[]>>;

/** Whether the answer can be something other than an envelope, at least on success. */
const isFile = (response: object): boolean =>
  'content' in response &&
  Object.keys(response.content as object).some((type) => type !== 'application/json');

interface Form {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The schema of a body: customers' forms are named components, the office's are inline. */
function formOf(
  { components }: ApiDocument,
  { operationId, requestBody }: ApiDocument['paths'][string][string],
): Form | undefined {
  const named = components.schemas[`${operationId}Form`];
  const body = requestBody?.content['application/json'] as { schema: Form & { $ref?: string } } | undefined;
  const schema = body?.schema;
  return named ?? (schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1) as string] : schema);
}

/** All operations with an envelope. */
export function operationsOf(document: ApiDocument): OperationToTry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(
        ([, { responses }]) =>
          JSON.stringify(responses[200] ?? {}).includes('"Refused"') && !isFile(responses[200] ?? {}),
      )
      .map(([method, operation]) => {
        const form = formOf(document, operation);
        const parameters = (operation.parameters ?? []) as unknown as {
          name: string;
          in: string;
          required?: boolean;
          schema: Schema;
          example?: unknown;
        }[];
        const query = parameters
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, required, schema, example }): [string, Field] => [
            name,
            { schema: { ...schema, example }, isRequired: required === true },
          ]);
        const inForm = Object.entries(form?.properties ?? {}).map(([name, schema]): [string, Field] => [
          name,
          { schema, isRequired: form?.required?.includes(name) ?? false },
        ]);
        return {
          id: operation.operationId,
          method: method as 'get' | 'post',
          path,
          fields: Object.fromEntries([...query, ...inForm]),
          isMultipart: 'multipart/form-data' in (operation.requestBody?.content ?? {}),
          takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
          needsSession: !operation.security.some((scheme) => Object.keys(scheme).length === 0),
        };
      }),
  );
}

type Values = Record<string, unknown>;

/** A request that the document allows: required fields, some optional ones, known values where available. */
export function validRequest(operation: OperationToTry, known: Known, random: Random): MadeRequest {
  const values: Values = {};
  for (const [name, { schema, isRequired }] of Object.entries(operation.fields)) {
    if (!isRequired && !random.isLikely(0.25)) continue;
    values[name] = known[name] && random.isLikely(0.8) ? random.of(known[name]) : madeOf(schema, random);
  }
  // A schema can't say that the second password repeats the first.
  if ('confirmPassword' in values) values.confirmPassword = values.password;
  if ('confirmPayWord' in values) values.confirmPayWord = values.payWord;
  // Nor that a card needs a branch, and has another number than an account.
  if ('cardNumber' in values)
    Object.assign(values, { kind: 'card', branch: 'a branch', cardNumber: '4111111111111111' });
  return requestOf(operation, values, { random, isValid: true, description: 'valid' });
}

/** At least one of several optional fields is required, which a schema can't say. */
const ONE_OF: Readonly<Record<string, string>> = { chatSend: 'text' };

/** The simplest request that should succeed: known values and examples only. */
export function plainRequest(operation: OperationToTry, known: Known, random: Random): MadeRequest {
  const values: Values = {};
  for (const [name, { schema, isRequired }] of Object.entries(operation.fields)) {
    if (isRequired || ONE_OF[operation.id] === name)
      values[name] = known[name]?.[0] ?? schema.example ?? schema.enum?.[0] ?? madeOf(schema, random);
  }
  if ('confirmPassword' in values) values.confirmPassword = values.password;
  if ('confirmPayWord' in values) values.confirmPayWord = values.payWord;
  // Nor that a card needs a branch, and has another number than an account.
  if ('cardNumber' in values)
    Object.assign(values, { kind: 'card', branch: 'a branch', cardNumber: '4111111111111111' });
  return requestOf(operation, values, { random, isValid: true, description: 'plain' });
}

/** The smallest valid picture: 16 by 16, grey, PNG. */
export const SMALLEST_PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAHElEQVQokWPoIBEwjGogAjAQowgZjGogBtA+lADnoJgQ2ess4gAAAABJRU5ErkJggg==',
  'base64',
);

function madeOf(schema: Schema, random: Random): unknown {
  if (schema.format === 'binary') return SMALLEST_PICTURE;
  if (schema.example !== undefined && random.isLikely(0.4)) return schema.example;
  if (schema.enum) return random.of(schema.enum);
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf) return madeOf(random.of(schema.anyOf), random);
  if (schema.type === 'integer')
    return random.whole(schema.minimum ?? 0, Math.min(schema.maximum ?? 1e6, 1e6));
  if (schema.type === 'boolean') return random.isLikely(0.5);
  if (schema.pattern) return textLike(schema.pattern, random).slice(0, schema.maxLength ?? 200);
  const length = random.whole(schema.minLength ?? 0, Math.min(schema.maxLength ?? 30, 30));
  return textLike(`^[A-Za-z0-9 _é中😀-]{${length}}$`, random);
}

const STRANGE: readonly unknown[] = [
  ...HOSTILE_AMOUNTS.filter((text) => text.length < 5_000),
  ...HOSTILE_IDS,
  ...HOSTILE_SYMBOLS.filter((text) => text.length < 5_000),
  'x'.repeat(3_000),
  '\ud800',
  null,
  true,
  -1,
  0,
  1.5,
  1e300,
  [],
  ['x'],
  {},
  { $gt: '' },
];

/** A valid request with one or two faults in it. */
export function mutatedRequest(operation: OperationToTry, known: Known, random: Random): MadeRequest {
  const base = validRequest(operation, known, random);
  const values = { ...(base as MadeRequest & { values: Values }).values };
  const names = Object.keys(operation.fields);
  const faults: string[] = [];
  for (let count = random.whole(1, 2); count > 0; count -= 1) {
    const name = random.of(names);
    const fault = random.of(['drop', 'strange', 'strange', 'strange', 'extra', 'swap']);
    faults.push(`${fault} ${name}`);
    if (fault === 'drop') delete values[name];
    if (fault === 'strange') values[name] = random.of(STRANGE);
    if (fault === 'extra')
      values[random.of(['__proto__ ', 'constructor', 'isAdmin', 'id', 'balance', ''])] = 'x';
    if (fault === 'swap') values[name] = values[random.of(names)];
  }
  return requestOf(operation, values, { random, isValid: false, description: faults.join(', ') });
}

/** A body that is not even a form. */
export function brokenRequest(operation: OperationToTry, random: Random): MadeRequest {
  const junk = Array.from({ length: random.whole(0, 200) }, () =>
    String.fromCharCode(random.whole(0, 0x2ff)),
  ).join('');
  const description = `broken ${JSON.stringify(junk.slice(0, 40))}`;
  if (operation.method === 'get') {
    const query = random.of([
      encodeURIComponent(junk),
      '%',
      '%zz=1',
      'a=1&a=2',
      '='.repeat(50),
      'x='.repeat(30),
    ]);
    return {
      address: `${operation.path}?${query}`,
      call: {},
      isValid: false,
      description: `broken ${query}`,
    };
  }
  const type = random.of([
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'image/png',
    'json',
  ]);
  return { address: operation.path, call: { type, body: junk }, isValid: false, description };
}

function requestOf(
  operation: OperationToTry,
  values: Values,
  { random, ...about }: { random: Random; isValid: boolean; description: string },
): MadeRequest & { values: Values } {
  const flat = Object.entries(values).filter(([, value]) => value !== undefined);
  const query = () => flat.map(([name, value]) => `${encode(name)}=${encode(String(value))}`).join('&');
  if (operation.method === 'get') {
    return { address: `${operation.path}?${query()}`, call: {}, values, ...about };
  }
  if (operation.isMultipart) {
    const body = new FormData();
    for (const [name, value] of flat) {
      if (Buffer.isBuffer(value)) body.append(name, new Blob([new Uint8Array(value)]), 'picture');
      else body.append(name, String(value).toWellFormed());
    }
    return { address: operation.path, call: { body }, values, ...about };
  }
  const isJson = random.isLikely(0.5);
  const call: Call = isJson
    ? { type: 'application/json', body: JSON.stringify(Object.fromEntries(flat)) }
    : { type: 'application/x-www-form-urlencoded', body: query() };
  return { address: operation.path, call, values, ...about };
}

/** Lone surrogates have no encoding: they are replaced, as a careless client does. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

export const ORDER = { direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
export const form = (fields: Readonly<Record<string, string>>): string =>
  new URLSearchParams(fields).toString();

/** Fields of forms that hold no money. A field in neither list fails the test. */
const NO_MONEY = new Set(
  'account password confirmPassword oldPassword country acceptRisk otp recoveryCode claimCode contact text nickname language symbols symbol direction minutes asset opensAt nonce notAfter seenSize seenRoot lang realName idCountry idType idNumber idAddress currentAddress idFront idBack payWord confirmPayWord oldPayWord USDT BTC ETH holder bank bankCode branch cardNumber checked id ids side channelId proof destinationId passkey label kind per hours months image place as note'.split(
    ' ',
  ),
);
/** A request for each operation that takes money; it would succeed if its amount were valid. */
export const basesOf = (symbol: string): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  'order/create': { ...ORDER, symbol },
  'recharge/submit': { channelId: '1' },
  'withdraw/submit': { destinationId: '1000', asset: 'USDT', amount: '20', payWord: '135790' },
  'protection/setLimit': { asset: 'DEMO', kind: 'stake', per: 'day' },
  'alert/add': { symbol },
  'profit/transferIn': { asset: 'USDT' },
  'profit/transferOut': { asset: 'USDT' },
});

/** The same fields in each body format that the operation accepts. */
export function bodiesOf(path: string, fields: Readonly<Record<string, string>>): Call[] {
  if (path !== 'recharge/submit') {
    const json = JSON.stringify(fields);
    return [
      { type: 'application/x-www-form-urlencoded', body: form({ lang: 'en', ...fields }) },
      { type: 'application/json', body: json },
    ];
  }
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('proof', new Blob([new Uint8Array(SMALLEST_PICTURE)]), 'proof.png');
  return [{ body }];
}

export interface MoneyField {
  readonly path: string;
  readonly field: string;
  readonly isOptional: boolean;
}

/** Every money field of every form, from the document. */
export function moneyFieldsOf(document: ApiDocument): MoneyField[] {
  return Object.entries(document.paths).flatMap(([path, methods]) => {
    const fields = document.components.schemas[`${methods.post?.operationId}Form`] as
      | { properties: Record<string, object>; required?: string[] }
      | undefined;
    return Object.keys(fields?.properties ?? {})
      .filter((field) => !NO_MONEY.has(field))
      .map((field) => ({
        path: path.replace('/api/', ''),
        field,
        isOptional: !fields?.required?.includes(field),
      }));
  });
}
