import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { ConfigError } from './config-error.ts';

/** Vendors of screening and identity (`VENDOR_FILE`, docs/VENDORS.md). The secrets stand in files of their own. */
const MAX_BYTES = 100_000;

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/** Personal data goes there, so only a program on the same machine is asked without TLS. */
function isFitApi(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}

const JUDGED = ['identity', 'address'] as const;
const isSet = (all: readonly unknown[]) => new Set(all).size === all.length;

const vendor = z.strictObject({
  /** As staff read it; it never changes, and is the last part of the address for events. */
  name: z.string().regex(/^[a-z0-9-]{1,30}$/, { error: 'must have lower-case letters, digits and - only' }),
  api: z
    .string()
    .refine(isFitApi, { error: 'must be an address with https, or with http on the same machine' })
    .transform((text) => text.replace(/\/$/, '')),
  apiKeyFile: z.string().min(1),
  /** The file has a secret on each line, and two while the vendor changes its secret. */
  webhookSecretsFile: z.string().min(1),
  judges: z.array(z.enum(JUDGED)).min(1).refine(isSet, { error: 'names one twice' }),
  /** The vendor gets these fields of a submitted identity. */
  fields: z
    .array(z.enum(['realName', 'idCountry', 'idType', 'idNumber', 'idAddress', 'currentAddress']))
    .min(1)
    .default(['realName', 'idCountry']),
  lateMinutes: z.int().min(5).max(10_080).default(60),
});
const vendors = z
  .array(vendor)
  .max(5)
  .refine((all) => isSet(all.map(({ name }) => name)), { error: 'names a vendor twice' })
  .refine((all) => isSet(all.flatMap(({ judges }) => judges)), {
    error: 'has two vendors for one judgement',
  });

export type VendorSettings = Omit<z.infer<typeof vendor>, 'apiKeyFile' | 'webhookSecretsFile'> & {
  readonly apiKey: string;
  /** As the Standard Webhooks write them: whsec_ and base64. */
  readonly webhookSecrets: readonly string[];
};

/** @throws ConfigError with one line, which repeats no secret */
export function readVendorFile(path: string): readonly VendorSettings[] {
  const refuse = (why: string): never => {
    throw new ConfigError(`VENDOR_FILE ${path} ${why}`);
  };
  const textOf = (file: string, named: string): string => {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      return refuse(`${named}can't be read: ${(error as NodeJS.ErrnoException).code}`);
    }
  };
  const text = textOf(path, '');
  if (text.length > MAX_BYTES) refuse(`is larger than ${MAX_BYTES} bytes`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    refuse('is no JSON');
  }
  const read = vendors.safeParse(json);
  if (!read.success) {
    const [issue] = read.error.issues;
    return refuse(`at ${issue?.path.join('.') || 'the top'}: ${issue?.message.split('\n')[0]}`);
  }
  return read.data.map(({ apiKeyFile, webhookSecretsFile, ...rest }) => {
    const beside = (file: string) => textOf(resolve(dirname(path), file), `names ${file}, which `);
    const apiKey = beside(apiKeyFile);
    if (!/^[\x21-\x7e]{16,500}$/.test(apiKey))
      refuse(`names ${apiKeyFile}, which is no key: one line of 16 to 500 characters`);
    const webhookSecrets = beside(webhookSecretsFile).split(/\s+/);
    if (webhookSecrets.length > 2 || !isSet(webhookSecrets) || !webhookSecrets.every(isSecret))
      refuse(
        `names ${webhookSecretsFile}, which must have one or two secrets: whsec_ and 24 to 64 bytes in base64`,
      );
    return { ...rest, apiKey, webhookSecrets };
  });
}

function isSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(base64 ?? '', 'base64');
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === base64;
}
