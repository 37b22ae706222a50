import { LINES } from './lines.ts';
import type { NamedTest } from './named-tests.ts';

export const TABLE_PATH = 'docs/SPECIFICATION.md';

const HEAD = `# The specification, line by line

Which test proves which line. The ids are those of the specification's numbered lines; a test names them in its title, and each
was seen to fail when the line was broken. Files that end in \`.test.ts\` run in \`npm test\`, which fails when a line has no test
there or this page differs from the titles; \`.full.ts\` run in \`npm run test:full\`, \`.long.ts\` in \`npm run test:long\`.

\`npm run spec-lines\` writes this page.

| line | file | test |
|---|---|---|
`;

/** What is left of a title without the ids, which stand in a column of their own. */
const plain = (title: string): string =>
  title
    .replace(/ ?\((?:S\d-\d\d(?:, | to )?)+\)/g, '')
    .trim()
    .replaceAll('|', '\\|');

/** The table as Markdown, one row for each line and each test that proves it. */
export function specificationTable(tests: readonly NamedTest[]): string {
  const rows = LINES.flatMap((line) =>
    tests
      .filter(({ lines }) => lines.includes(line))
      .map(({ file, title }) => `| ${line} | ${file} | ${plain(title)} |\n`),
  );
  return HEAD + rows.join('');
}
