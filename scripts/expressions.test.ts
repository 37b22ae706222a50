import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from 'scslre';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const PARTS = /^\/(.*)\/([a-z]*)$/s;

/** Whether some text takes more than a time in proportion to its length. The search through a text counts, not only the match. */
function isSuperLinear(literal: string): boolean {
  const [, source = '', flags = ''] = PARTS.exec(literal) ?? [];
  const reportTypes = { Move: true, Self: true, Trade: true };
  return analyse({ source, flags }, { reportTypes, assumeRejectingSuffix: false }).reports.length > 0;
}

function literalsOf(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest));
  return found;
}

test.each(['/0+$/', '/\\.?0+$/', '/^\\d+\\.?\\d*$/', '/^(a+)+$/'])('%s is found', (literal) => {
  expect(isSuperLinear(literal)).toBe(true);
});

test('no regular expression of the server and the packages takes more than linear time', () => {
  const files = globSync('{apps/server,packages/*}/src/**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/*.test.ts'],
  });
  const all = files.flatMap((file) => literalsOf(file).map((literal) => ({ file, literal })));
  expect(all.length).toBeGreaterThan(250);
  expect(all.filter(({ literal }) => isSuperLinear(literal))).toEqual([]);
}, 300_000);
