import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { VENUES } from './venues.ts';

const entry = z.strictObject({
  /** Another address of the venue, such as a regional one or a proxy of the operator. */
  url: z.url({ protocol: /^wss?$/ }).optional(),
  /** Another address of the venue's history. */
  historyUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** The contract under which the operator uses the source; it makes the licence class `licensed`. */
  contract: z.string().min(1).max(200).optional(),
  mayPublish: z.boolean().default(false),
  maySettle: z.boolean().default(false),
});

/** The operator's rights and addresses, by the source's name. A source that is not named has no contract and its own address. */
export type SourcesFile = Readonly<Record<string, z.infer<typeof entry>>>;

/**
 * @param path null: no file, so no source has a contract
 * @throws Error with one line that names the first fault
 */
export function readSourcesFile(path: string | null): SourcesFile {
  if (path === null) return {};
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`SOURCES_FILE: ${error instanceof Error ? error.message : String(error)}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`SOURCES_FILE: ${path} is no JSON`);
  }
  const names = z.enum(VENUES.map(({ source }) => source));
  const read = z.partialRecord(names, entry).safeParse(value);
  if (read.success) return read.data as SourcesFile;
  const { path: where = [], message = '' } = read.error.issues[0] ?? {};
  throw new Error(`SOURCES_FILE: ${[path, ...where.map(String)].join(': ')}: ${message}`);
}
