import { type Endpoint, type EndpointName, endpoints } from '@fairtick/protocol';
import { openApiDocument } from '@fairtick/protocol/openapi';

const document = openApiDocument();

/** An operation's fields, read from the published document, so that a new field reaches every test that walks all operations. */
export function fieldsOf(name: EndpointName): string[] {
  const { method, path } = endpoints[name];
  const operation = document.paths[`/api/${path}`]?.[method.toLowerCase()];
  const form = document.components.schemas[`${name}Form`];
  return method === 'GET'
    ? (operation?.parameters ?? [])
        .filter((parameter) => parameter.in === 'query')
        .map((parameter) => parameter.name)
    : Object.keys(form?.properties ?? {});
}

/** An operation's answer of any kind. */
export interface Called {
  readonly status: number;
  /** The headers as JSON, a newline, and the body. */
  readonly text: string;
}

/** Calls any operation with these fields; each of its pictures is `picture`. */
export async function callOperation(
  origin: string,
  name: EndpointName,
  fields: Readonly<Record<string, string>>,
  { token, picture }: { token: string | undefined; picture: Uint8Array<ArrayBuffer> },
): Promise<Called> {
  const { method, path, pictures }: Endpoint = endpoints[name];
  const isGet = method === 'GET';
  const form = pictures ? multipart(fields, pictures, picture) : new URLSearchParams(fields);
  const response = await fetch(`${origin}/api/${path}${isGet ? `?${new URLSearchParams(fields)}` : ''}`, {
    method,
    headers: { language: 'en', ...(token === undefined ? {} : { token }) },
    ...(isGet ? {} : { body: form }),
  });
  return {
    status: response.status,
    text: `${JSON.stringify([...response.headers])}\n${await response.text()}`,
  };
}

function multipart(
  fields: Readonly<Record<string, string>>,
  pictures: readonly string[],
  picture: Uint8Array<ArrayBuffer>,
): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  for (const field of pictures) form.append(field, new Blob([picture]), 'picture.jpg');
  return form;
}

export const bodyOf = ({ text }: Called) => JSON.parse(text.slice(text.indexOf('\n') + 1));
