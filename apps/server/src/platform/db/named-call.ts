import type { QueryConfig } from 'pg';

/**
 * A prepared call of a database function by the names of its parameters: `notAfter` here is `_not_after` there. The row has the
 * function's output parameters, or `result` if it has none.
 */
export class NamedCall<Name extends string> {
  readonly #name: string;
  readonly #names: readonly Name[];
  readonly #text: string;

  /** @param types of the parameters, as PostgreSQL names them */
  constructor(name: string, types: Readonly<Record<Name, string>>) {
    this.#name = name;
    this.#names = Object.keys(types) as Name[];
    const list = this.#names.map((each, at) => `${parameterOf(each)} => $${at + 1}::${types[each]}`);
    this.#text = `select * from ${name}(${list.join(', ')}) as result`;
  }

  with(values: Readonly<Record<Name, unknown>>): QueryConfig {
    return { name: this.#name, text: this.#text, values: this.#names.map((name) => values[name]) };
  }
}

const parameterOf = (name: string): string =>
  `_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
