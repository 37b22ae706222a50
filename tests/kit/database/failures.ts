import { failureOf, type Pool } from '../../../apps/server/src/platform/db/database.ts';

/** The name of the refusal, or the SQLSTATE, with which the database ends this work; null if it succeeds. */
export async function failureIn(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    return failure;
  }
}

/** The first value that a statement answers, as text, or its failure. */
export async function answerOrFailure(pool: Pool, text: string, values: readonly unknown[]): Promise<string> {
  try {
    const { rows } = await pool.query({ text, values: [...values], rowMode: 'array' });
    return String(rows[0]?.[0] ?? '');
  } catch (error) {
    return failureOf(error) ?? String(error);
  }
}
