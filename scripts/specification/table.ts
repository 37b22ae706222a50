import { FULL_ONLY, LINES } from './lines.ts';
import type { NamedTest } from './named-tests.ts';

export const TABLE_PATH = 'docs/SPECIFICATION.md';

const HEAD = `# The specification, line by line

Which test proves which line. The ids are those of the specification's numbered lines; a test names them in its title, and each
was seen to fail when the line was broken. The last column names the command that runs it. \`npm test\` proves all
but ${FULL_ONLY.length} lines by itself, and it fails when a line has no test or when this page differs from the titles.

\`npm run spec-lines\` writes this page.

| line | file | test | command |
|---|---|---|---|
`;

/** A title without its ids, which have a column of their own. */
const plain = (title: string): string =>
  title
    .replace(/ ?\((?:S\d-\d\d(?:, | to )?)+\)/g, '')
    .trim()
    .replaceAll('|', '\\|');

function command(file: string, isEveryday: boolean): string {
  if (isEveryday) return 'npm test';
  return file.endsWith('.long.test.ts') ? 'test:long' : 'test:full';
}

/** The table as Markdown, one row for each line and each test that proves it. */
export function specificationTable(tests: readonly NamedTest[]): string {
  const rows = LINES.flatMap((line) =>
    tests
      .filter(({ lines }) => lines.includes(line))
      .map(
        ({ file, title, isEveryday }) =>
          `| ${line} | ${file} | ${plain(title)} | ${command(file, isEveryday)} |\n`,
      ),
  );
  return HEAD + rows.join('');
}
