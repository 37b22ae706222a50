import { expect } from 'vitest';
import type { Answer } from './api-client.ts';
import type { OfficeAnswer } from './office-client.ts';

type AnyAnswer = Answer | OfficeAnswer;

/** The data of an answer that must succeed. */
export const dataOf = async (answer: Promise<AnyAnswer>) => {
  const { body } = await answer;
  expect([body.code, body.error]).toEqual([1, undefined]);
  return body.data;
};

/** The code of an answer's error; undefined if it succeeded. */
export const errorOf = async (answer: Promise<AnyAnswer>): Promise<string | undefined> =>
  (await answer).body.error;

/** How many answers have each error; `done` counts those that succeeded. */
export function countErrors(answers: readonly AnyAnswer[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const { body } of answers) counted[body.error ?? 'done'] = (counted[body.error ?? 'done'] ?? 0) + 1;
  return counted;
}
