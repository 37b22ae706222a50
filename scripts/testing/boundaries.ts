import { RULES, type Rule } from '../../boundaries.config.ts';
import { type Import, importsOf, sourceFiles } from './imports.ts';

const RULES_FILE = 'boundaries.config.ts';

/** Faults of the imports of `apps` and `packages`, each with what is allowed. The rules are about code: stylesheets are free. */
export function boundaryFaults(root: string): string[] {
  const files = sourceFiles(root).filter((file) => /^(apps|packages)\//.test(file));
  return faultsOf(importsOf(root, files).filter(({ to }) => !/\.(css|json)$/.test(to)));
}

export function faultsOf(imports: readonly Import[], rules: readonly Rule[] = RULES): string[] {
  const lost = imports
    .filter(({ isLost }) => isLost)
    .map(({ from, line, to }) => `${from}:${line} imports ${to}, which does not exist`);
  const forbidden = imports.flatMap((each) =>
    rules
      .filter((rule) => forbids(rule, each))
      .map(({ name, says }) => {
        const { from, line, to } = each;
        return `${from}:${line} imports ${to}: ${says} (rule ${name} of ${RULES_FILE})`;
      }),
  );
  const circle = circleOf(imports);
  return [
    ...lost,
    ...forbidden,
    ...(circle === null
      ? []
      : [`these files import each other in a circle, which is never allowed: ${circle.join(' → ')}`]),
  ];
}

function forbids({ from, to, allowsTypes }: Rule, one: Import): boolean {
  const matches = (path: string, side: Rule['from']) =>
    side.path.test(path) && side.pathNot?.test(path) !== true;
  return matches(one.from, from) && matches(one.to, to) && !(allowsTypes && one.isType);
}

/** The first circle of imports, with its first file again at the end; types alone count, too. */
function circleOf(imports: readonly Import[]): string[] | null {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    path.push(file);
    for (const target of targets.get(file) ?? []) {
      const circle = visit(target);
      if (circle !== null) return circle;
    }
    path.pop();
    done.add(file);
    return null;
  };
  for (const file of targets.keys()) {
    const circle = visit(file);
    if (circle !== null) return circle;
  }
  return null;
}
