import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A statement of the schema that makes something, with its text up to the next one. */
interface Statement {
  readonly kind: 'function' | 'table' | 'other';
  /** Of a trigger and an index, the table that it belongs to. */
  readonly name: string;
  readonly text: string;
}

const MAKES =
  /^create (?:or replace )?(?:constraint |unique |unlogged |materialized )*(\w+)(?: if not exists)? ([\w.]+)(?:[^;]*? on (?:only )?([\w.]+))?/;

function statementsOf(text: string): Statement[] {
  return text.split(/^(?=create )/m).flatMap((part): Statement[] => {
    const [, made = '', name = '', table = name] = MAKES.exec(part) ?? [];
    if (name === '') return [];
    if (made === 'function' || made === 'procedure') return [{ kind: 'function', name, text: part }];
    const isOfTable = made === 'trigger' || made === 'index';
    const kind = isOfTable || /^(table|view)$/.test(made) ? 'table' : 'other';
    return [{ kind, name: isOfTable ? table : name, text: part }];
  });
}

/** What a text must say to use a function or a table: other words of the same letters, such as `orders`, do not count. */
function useOf(statements: readonly Statement[]): RegExp {
  const names = (kind: Statement['kind']) =>
    statements.filter((one) => one.kind === kind).map(({ name }) => name.replace(/^public\./, ''));
  const either = (list: readonly string[]) => `(?:${list.length === 0 ? '(?!)' : list.join('|')})`;
  return new RegExp(
    `\\b${either(names('function'))}[('"]|\\b(?:from|join|into|update|only|table|references) ${either(names('table'))}\\b|\\b${either(names('other'))}\\b`,
  );
}

/**
 * The uses, as a regular expression, of what differs between two texts of a schema file. A function counts with all functions that
 * call it, by however many steps; a table, a type and the like with the functions that name it.
 */
export function changedUses(root: string, before: string, after: string): RegExp {
  const all = globSync('apps/server/schema/**/*.sql', { cwd: root }).flatMap((file) =>
    statementsOf(readFileSync(join(root, file), 'utf8')),
  );
  const [old, now] = [statementsOf(before), statementsOf(after)];
  const isIn = (list: readonly Statement[], one: Statement) => list.some(({ text }) => text === one.text);
  const changed = [...old.filter((one) => !isIn(now, one)), ...now.filter((one) => !isIn(old, one))];
  const found = new Map(changed.map((one) => [one.name, one]));
  for (const one of found.values()) {
    if (one.kind !== 'function' && !changed.includes(one)) continue;
    const use = useOf([one]);
    for (const user of all) {
      const isTrigger = user.kind === 'table' && /^create (constraint )?trigger/.test(user.text);
      if ((user.kind === 'function' || isTrigger) && use.test(user.text) && !found.has(user.name))
        found.set(user.name, user);
    }
  }
  return useOf([...found.values()]);
}
