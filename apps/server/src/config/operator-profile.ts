import { readFileSync } from 'node:fs';
import type { Language } from '@fairtick/protocol';
import { COUNTRIES } from '@fairtick/protocol/countries';
import { inEachLanguage } from '@fairtick/protocol/languages';
import { isPlainText } from '@fairtick/protocol/plain-text';
import * as z from 'zod';
import { ConfigError } from './config-error.ts';
import { RESTRICTED_REGIONS } from './restricted-regions.ts';

/** Facts that only the operator can state (`OPERATOR_PROFILE`, docs/OPERATIONS.md). In demo mode all of its texts are marked as samples. */
const MAX_BYTES = 100_000;
/** After this time the share of losing customers is known, and must be stated. */
const LOSSES_AFTER_MONTHS = 12;

const words = (most: number) =>
  z.string().trim().min(1).max(most).refine(isPlainText, { error: 'has characters that can’t be seen' });
const localisedWords = (most: number) => z.strictObject(inEachLanguage(() => words(most)));
const claim = z.strictObject({
  figure: words(12).nullable(),
  title: localisedWords(60),
  text: localisedWords(120),
});
const day = z.iso.date();

const profile = z.strictObject({
  legalName: words(120),
  licence: z.strictObject({ regulator: localisedWords(120), number: words(60) }),
  countries: z
    .array(
      z
        .string()
        .refine((code) => COUNTRIES.includes(code), { error: 'is no ISO 3166 code of a country' })
        .refine((code) => !RESTRICTED_REGIONS.includes(code), {
          error: ({ input }) => `${input} is a restricted region`,
        }),
    )
    .min(1),
  /** Whether a withdrawal needs an account with a second factor; live mode only. */
  withdrawalsNeedFactor: z.boolean().optional(),
  contact: z.strictObject({ email: z.email(), address: words(200) }),
  riskText: localisedWords(1_000),
  operatingSince: day,
  /** Customers who lost over twelve months: a percentage, and the last day of these months. */
  losingShare: z
    .strictObject({ percent: z.string().regex(/^(100|\d{1,2})(\.\d{1,2})?$/), until: day })
    .optional(),
  claims: z
    .strictObject({ team: claim, continents: claim, platform: claim, funds: claim })
    .partial()
    .optional(),
});
export type OperatorProfile = Readonly<z.infer<typeof profile>>;

export function readOperatorProfile(path: string, nowMs: number): OperatorProfile {
  const read = profile.safeParse(readJson(path));
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
    throw new ConfigError(`OPERATOR_PROFILE ${path}${where}: ${issue?.message.split('\n')[0]}`);
  }
  const known = new Date(read.data.operatingSince);
  known.setUTCMonth(known.getUTCMonth() + LOSSES_AFTER_MONTHS);
  if (known.getTime() <= nowMs && read.data.losingShare === undefined) {
    throw new ConfigError(
      `OPERATOR_PROFILE ${path} at losingShare: it must be said once twelve months exist, since ${known.toISOString().slice(0, 10)}`,
    );
  }
  return read.data;
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`OPERATOR_PROFILE ${path} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (text.length > MAX_BYTES)
    throw new ConfigError(`OPERATOR_PROFILE ${path} is larger than ${MAX_BYTES} bytes`);
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(`OPERATOR_PROFILE ${path} is no JSON`);
  }
}

export function closedRegions(mode: 'demo' | 'live', operator: OperatorProfile | null): readonly string[] {
  if (mode === 'demo' || operator === null) return RESTRICTED_REGIONS;
  return COUNTRIES.filter((code) => !operator.countries.includes(code));
}

export function statedBy(operator: OperatorProfile, language: Language) {
  const { licence, contact, claims = {} } = operator;
  const claimed = (['team', 'continents', 'platform', 'funds'] as const).flatMap((id) => {
    const one = claims[id];
    return one ? [{ id, figure: one.figure, title: one.title[language], text: one.text[language] }] : [];
  });
  return [
    ...claimed,
    { id: 'regulation' as const, figure: null, title: licence.regulator[language], text: licence.number },
    {
      id: 'company' as const,
      figure: null,
      title: operator.legalName,
      text: `${contact.address} · ${contact.email}`,
    },
  ];
}
