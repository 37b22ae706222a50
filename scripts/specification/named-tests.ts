import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

/** A test, and the lines of the specification that its title says it proves. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** Runs in `npm test`; otherwise in `test:full` or a long mode alone. */
  readonly isEveryday: boolean;
}

const ID = /S\d-\d\d/g;
const RANGE = /(S\d)-(\d\d) to (S\d)-(\d\d)/g;
const FOLDERS = ['apps', 'packages', 'tests', 'scripts', 'bench'];
const TEST_FILE = /\.test\.ts$/;

export function testFiles(root: string): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => TEST_FILE.test(path) && !path.includes('node_modules'))
      .map((path) => join(folder, path).split(sep).join('/')),
  ).sort();
}

/** The ids in a title; `S3-27 to S3-33` stands for all of them. */
export function linesIn(title: string): string[] {
  const inRanges = [...title.matchAll(RANGE)].flatMap(([text, section, first, end, last]) => {
    if (section !== end || Number(first) >= Number(last)) throw new Error(`${text} is no range`);
    const count = Number(last) - Number(first) + 1;
    return Array.from(
      { length: count },
      (_, at) => `${section}-${String(Number(first) + at).padStart(2, '0')}`,
    );
  });
  return [...new Set([...inRanges, ...(title.match(ID) ?? [])])].sort();
}

/** The kind and title of a call of a test or a group; `test.each(rows)('…')` has the title in its second call. */
function titleOf(call: ts.CallExpression, source: ts.SourceFile): { kind: string; title: string } | null {
  const [first] = call.arguments;
  const kind = /^(test|it|describe|fullTest)\b/.exec(call.expression.getText(source))?.[1];
  if (kind === undefined || first === undefined) return null;
  if (ts.isStringLiteralLike(first)) return { kind, title: first.text };
  return ts.isTemplateExpression(first) ? { kind, title: first.getText(source).slice(1, -1) } : null;
}

/** The tests of a file that name lines. Ids in a group's title do not count: no assertion stands behind them. */
export function namedTests(file: string, text: string): NamedTest[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const found: NamedTest[] = [];
  const visit = (node: ts.Node): void => {
    const titled = ts.isCallExpression(node) ? titleOf(node, source) : null;
    const lines = linesIn(titled?.title ?? '');
    if (titled && lines.length > 0) {
      if (titled.kind === 'describe') throw new Error(`${file}: "${titled.title}" names lines for a group`);
      const isEveryday = !/\.(full|long)\.test\.ts$/.test(file) && titled.kind !== 'fullTest';
      found.push({ file, title: titled.title, lines, isEveryday });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

export function readNamedTests(root: string): NamedTest[] {
  return testFiles(root).flatMap((file) =>
    namedTests(relative(root, join(root, file)), readFileSync(join(root, file), 'utf8')),
  );
}
