import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The page that an operator types from; tests use its files with the addresses and ports of this machine. */
const PAGE = join(import.meta.dirname, '../../../docs/HIGH_AVAILABILITY.md');

/** The block of the page that begins with this text. @throws Error when there is none */
export function blockOfPage(start: string): string {
  const blocks = readFileSync(PAGE, 'utf8').matchAll(/^```\w*\n([\s\S]*?)^```$/gm);
  for (const [, block = ''] of blocks) if (block.startsWith(start)) return block;
  throw new Error(`the page on high availability has no block that begins with ${start}`);
}

/** Changes each occurrence of some parts of a text. @throws Error when one is not there */
export function changed(text: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((before, [part, value]) => {
    if (!before.includes(part)) throw new Error(`the page on high availability no longer says ${part}`);
    return before.replaceAll(part, value);
  }, text);
}
