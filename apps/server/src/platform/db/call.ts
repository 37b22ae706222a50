import type { Queryable } from './database.ts';

/**
 * Calls a function of the database by the names of its parameters, so that no value gets into another's place: the database refuses a
 * name that it does not have, and a call without one that it needs. `letGoStakes` here is `_let_go_stakes` there.
 * @returns the row of the function's output parameters, or of its result
 */
export async function callRow<Row>(
  db: Queryable,
  name: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Row> {
  const list = Object.keys(values).map((each, at) => `${parameterOf(each)} => $${at + 1}`);
  const { rows } = await db.query(
    `select * from ${name}(${list.join(', ')}) as result`,
    Object.values(values),
  );
  return rows[0] as Row;
}

/** Calls a function with one result. */
export async function call<T>(
  db: Queryable,
  name: string,
  values: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  return (await callRow<{ result: T }>(db, name, values)).result;
}

/** Calls a function for what it does. */
export async function perform(
  db: Queryable,
  name: string,
  values: Readonly<Record<string, unknown>> = {},
): Promise<null> {
  await callRow(db, name, values);
  return null;
}

const parameterOf = (name: string): string =>
  `_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
