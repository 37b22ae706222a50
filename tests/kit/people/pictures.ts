import sharp from 'sharp';
import { type Answer, answerOf, type CallOptions } from '../clients/api-client.ts';

/** A photograph as a phone sends it, of one colour. */
export async function photo(
  options: { width?: number; height?: number; colour?: string; kind?: 'jpeg' | 'png' | 'webp' } = {},
): Promise<Buffer> {
  const { width = 640, height = 400, colour = '#3a6ea5', kind = 'jpeg' } = options;
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .toFormat(kind)
    .toBuffer();
}

/** Pictures by field: bytes, or bytes with the name and type that the sender claims. */
export type Files = Readonly<
  Record<string, Uint8Array | { readonly bytes: Uint8Array; readonly name?: string; readonly type?: string }>
>;

/** A form with pictures, as a browser sends it. In English by default. */
export async function upload(
  origin: string,
  path: string,
  form: { readonly fields?: Readonly<Record<string, string>>; readonly files: Files },
  { token, key }: CallOptions = {},
): Promise<Answer> {
  const body = new FormData();
  for (const [name, value] of Object.entries({ lang: 'en', ...form.fields })) body.append(name, value);
  for (const [name, given] of Object.entries(form.files)) {
    const { bytes, name: fileName, type } = given instanceof Uint8Array ? { bytes: given } : given;
    body.append(
      name,
      new Blob([new Uint8Array(bytes)], { type: type ?? 'image/jpeg' }),
      fileName ?? 'photo.jpg',
    );
  }
  return answerOf(
    await fetch(`${origin}/api/${path}`, {
      method: 'POST',
      headers: {
        language: 'en',
        ...(token === undefined ? {} : { token }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body,
    }),
  );
}

export const IDENTITY = {
  realName: '张三丰',
  idCountry: 'SG',
  idType: 'passport',
  idNumber: 'E1234567X',
  idAddress: '1 Raffles Place',
  currentAddress: '2 Marina Boulevard',
} as const;

/** Submits a real name with both photographs. */
export async function submitReal(
  origin: string,
  token: string,
  fields: Readonly<Record<string, string>> = {},
  files: Files = {},
): Promise<Answer> {
  const picture = await photo();
  const form = { fields: { ...IDENTITY, ...fields }, files: { idFront: picture, idBack: picture, ...files } };
  return upload(origin, 'user/submitReal', form, { token });
}
